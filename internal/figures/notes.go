package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/result"
)

// An earned claim with all that has earned it.
type Earned struct {
	weir.Claim
	About []string // "throughput", "loss 0.5 % (64, 512)"
}

// Claims are the claims of a campaign's results, each once with what it misses.
func Claims(g Grid) []Earned {
	if g.Named != nil {
		return g.Named
	}
	var out []Earned
	rows := make(map[int]map[string][]string) // of each claim, by heading
	headings := make(map[int][]string)
	all := make(map[string]int) // rows that have such a result
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if r.Unmeasured != "" {
				continue // nothing has earned no name
			}
			i := claimIndex(out, r.Claim)
			if i < 0 {
				i = len(out)
				out = append(out, Earned{Claim: r.Claim})
				rows[i] = make(map[string][]string)
			}
			h := Sought(*r)
			if !slices.Contains(rows[i][h], w.Label) {
				rows[i][h] = append(rows[i][h], w.Label)
				all[h]++
			}
			headings[i] = With(headings[i], h)
		}
	}
	for i := range out {
		if len(headings[i]) == 1 && headings[i][0] == out[i].Name && len(rows[i][out[i].Name]) == all[out[i].Name] {
			continue // its name says it all
		}
		for _, h := range headings[i] {
			about := h
			if len(rows[i][h]) < all[h] {
				about += " (" + strings.Join(rows[i][h], ", ") + ")"
			}
			out[i].About = append(out[i].About, about)
		}
	}
	return out
}

// claimIndex returns the place of a claim in list, or -1.
func claimIndex(list []Earned, c weir.Claim) int {
	return slices.IndexFunc(list, func(e Earned) bool { return e.Name == c.Name && slices.Equal(e.Missed, c.Missed) })
}

// String is the claim's name with what has earned it.
func (e Earned) String() string {
	if len(e.About) == 0 {
		return e.Name
	}
	return e.Name + ": " + strings.Join(e.About, ", ")
}

// A procedure says how all results of one heading were measured.
type procedure struct {
	Heading string
	Method  string
	Results int
	Trials  int
	Windows int // of sweeps, and
	Rounds  int // in how many rounds; 0: none has a result of its own
	Again   int // of the trials, those that do not count, as they were repeated
	Shortest, Longest,
	Width, // relative, 0 without a search
	Spent float64 // s
	Shares []float64 // of the throughput, at which latency was measured
}

// Procedures are those of a campaign, in the order of appearance.
func Procedures(c weir.Campaign, g Grid) []procedure {
	var out []procedure
	for _, w := range g.Rows {
		for n, r := range w.Results {
			if r.Unmeasured != "" && r.Trials == 0 {
				continue
			}
			h := Sought(*r)
			if Kind(r) == method.Goals {
				h = method.TitleOf(r.Method) // its goals share their trials
			}
			i := FindOrAdd(&out, func(p procedure) bool { return p.Heading == h && p.Method == r.Method }, procedure{Heading: h, Method: r.Method, Shortest: r.TrialSeconds, Longest: r.TrialSeconds, Width: r.Width})
			p := &out[i]
			p.Results += max(1, g.Runs[r])
			if !slices.ContainsFunc(w.Results[:n], func(o *weir.Result) bool { return share(o, r) }) {
				p.Trials += r.Trials
				for _, t := range deciding(c, r) {
					p.Again += max(t.Attempts-1, 0)
				}
				p.Spent += r.SearchTime
			}
			if result.InWindows(r) {
				p.Windows, p.Rounds = p.Windows+r.Windows, max(p.Rounds, r.Rounds)
			}
			p.Shortest = min(p.Shortest, r.TrialSeconds)
			p.Longest = max(p.Longest, r.TrialSeconds)
			if share := latencyShare(c, w, r); Kind(r) == method.Delay && share > 0 {
				p.Shares = append(p.Shares, share)
			}
		}
	}
	return out
}

// share reports whether two results of a row come from the same trials, as
// those of the goals of an MLRsearch do.
func share(a, b *weir.Result) bool {
	return Kind(a) == method.Goals && Kind(b) == method.Goals && a.First == b.First && a.Last == b.Last
}

// latencyShare is the load of a row's latency as a share of its throughput; 0
// when unknown.
func latencyShare(c weir.Campaign, w row, r *weir.Result) float64 {
	if l := loadOf(c, r); l.Rate > 0 {
		return l.Share
	}
	trials := deciding(c, r)
	if r.First == 0 {
		trials = w.measured(c)
	}
	for _, t := range trials {
		if best := w.Rates[0]; method.KindOf(t.Trial.Purpose) == method.Delay && best != nil && best.Value > 0 {
			return t.Trial.Intended * float64(t.Trial.Traffic.Ports()) / best.Value
		}
	}
	return 0
}

// String says it in one line.
func (p procedure) String() string {
	seconds := spent(p.Shortest)
	if p.Longest > p.Shortest {
		seconds += " to " + spent(p.Longest)
	}
	if p.Windows > 0 {
		rounds := ""
		if p.Rounds > 0 {
			rounds = fmt.Sprintf(" in %d %s", p.Rounds, Plural(p.Rounds, "round"))
		}
		return fmt.Sprintf("%s windows of %s s%s for %d %s", Number(float64(p.Windows), 0), seconds, rounds, p.Results, Plural(p.Results, "result"))
	}
	s := fmt.Sprintf("%d %s of %s s for %d %s", p.Trials, Plural(p.Trials, "trial"), seconds, p.Results, Plural(p.Results, "result"))
	if left := p.Trials - p.Again; p.Again > 0 && left > 0 {
		s += fmt.Sprintf(" (%d of them %s: the other %d lost frames while disturbed and %s measured again)",
			left, Pick(left, "counts", "count"), p.Again, Pick(p.Again, "was", "were"))
	}
	s += ", " + spent(p.Spent) + " s in all"
	if p.Width > 0 && searched(p.Method) {
		s += ", searched to a width of " + Percent(p.Width) + " %"
	}
	if len(p.Shares) > 0 {
		low, high := slices.Min(p.Shares), slices.Max(p.Shares)
		s += ", at " + Number(low*100, 0)
		if Number(high*100, 0) != Number(low*100, 0) {
			s += " to " + Number(high*100, 0)
		}
		s += " % of the throughput"
	}
	return s
}

// searched reports whether a method looks for a load.
func searched(name string) bool {
	k := method.KindOf(name)
	return k == method.Rate || k == method.Goals || k == method.Curve
}

// Plural is a noun after a number.
func Plural(n int, noun string) string { return Pick(n, noun, noun+"s") }

// Pick is the word that goes with a number.
func Pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// With is list with v at its end, unless v is there already.
func With[T cmp.Ordered](list []T, v T) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}

// turned reports whether a result, which may be nil, has round trips.
func turned(r *weir.Result) bool { return r != nil && r.RoundTrip != nil }

// clockNotes say what sender and receiver with clocks of their own mean for latencies.
func (g Grid) clockNotes() (out []string) {
	var within float64
	var left, why []string
	trips := false
	for _, w := range g.Rows {
		for _, r := range w.Results {
			trips = trips || turned(r)
			if r.Latency != nil {
				within = max(within, r.Latency.Within)
			}
			if turned(r) && r.Unmeasured != "" {
				left, why = With(left, w.Label), With(why, r.Unmeasured)
			}
		}
	}
	if within > 0 {
		out = append(out, fmt.Sprintf("latencies may be off by up to %s us, all of a trial alike: sender and receiver have clocks of their own, which agree to within that by PTP (clocks in the manifest)", Micros(within)))
	}
	if len(left) > 0 {
		out = append(out, fmt.Sprintf("there is no latency of %s: %s", Enumerated(left), strings.Join(why, "; ")))
	}
	if trips {
		out = append(out, "round trip: from before a frame is handed to the tester's port until it is back there, by one clock: through the DUT, "+
			"turned around at the receiving port, and through the DUT again. It is of some frames of the trial, and no latency, nor twice one")
	}
	return out
}
