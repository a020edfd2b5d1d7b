// Package figures turns the results of a campaign into figures: rows with their
// columns, numbers with their units, charts, and notes on what has to be known to
// read them. This is where base units become kpps, Mbit/s and microseconds
// (k = 1000). What runs prove, and the formats of a report, are
// the business of package report.
package figures

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/result"
)

// A Grid is a campaign's results by frame size (and other levels) and by what
// was sought.
type Grid struct {
	Goals  []float64 // loss ratios for which a rate was sought, lowest first
	Knees  []float64 // loss ratios of sweeps, lowest first
	Rows   []row
	Common weir.Factors // levels that all results share, without the frame size

	Of       map[*weir.Result][]*weir.Result // the runs that a result stands for; nil: each for itself
	Runs     map[*weir.Result]int            // how many runs a result stands for; nil: each for itself
	Named    []Earned                        // the claims that its tables refer to; nil: those of its results
	Plan     []weir.Factor                   // what an experiment varies; nil: nothing
	Imported bool                            // others measured it: the results have earned no name of weir's
}

// A row holds what is known at one combination of levels; a result that was
// not measured is nil.
type row struct {
	Label   string // "64", or "64 firewall stateful"
	Group   string // its levels without the frame size; "" where there are none
	Octets  int    // frame size with FCS, 0 for a mix
	Mean    float64
	Traffic string                   // the name that the trials carry
	Rates   map[float64]*weir.Result // by loss ratio
	Most    *weir.Result             // forwarding rate at maximum offered load
	Latency *weir.Result
	Swept   map[float64]*weir.Result // sweeps, by loss ratio
	Results []*weir.Result           // all of them, in the order of measuring
}

// Kind is what a result is about: rates, what is forwarded of the maximum load and
// latencies have columns of the main table, whatever else there is is listed by its
// method.
func Kind(r *weir.Result) method.Kind { return method.KindOf(r.Method) }

// Sought is a result's heading: "throughput", "loss 0.5 %", "FRMOL", "latency",
// "MLRsearch, loss 0.5 %".
func Sought(r weir.Result) string {
	switch Kind(&r) {
	case method.Rate:
		return goalLabel(r.LossRatio)
	case method.Goals:
		return method.TitleOf(r.Method) + ", loss " + Percent(r.LossRatio) + " %"
	}
	if result.OfTransfer(&r) {
		return TransferTitle(r.Method, r.Transfer)
	}
	return cmp.Or(method.TitleOf(r.Method), r.Method)
}

func goalLabel(loss float64) string {
	if loss == 0 {
		return "throughput"
	}
	return "loss " + Percent(loss) + " %"
}

// GridOf sorts the results of a campaign into rows.
func GridOf(c weir.Campaign) Grid {
	g := Grid{Common: result.Common(result.FactorsIn(c.Results)), Imported: c.Manifest.Imported != nil}
	if e := c.Manifest.Experiment; e != nil {
		g.Plan = e.Factors
	}
	at := make(map[string]int)
	for i := range c.Results {
		r := &c.Results[i]
		key := result.Levels(r.Factors, g.Common)
		n, there := at[key]
		if !there {
			n = len(g.Rows)
			at[key] = n
			size := result.Level(r.Factors["frame_size"])
			octets, _ := strconv.Atoi(size)
			label, group := Labelled(r.Factors, g.Common), strings.Join(Changes(r.Factors, g.Common), " + ")
			if size == result.Streams {
				group = label
			}
			g.Rows = append(g.Rows, row{Label: label, Group: group, Octets: octets, Traffic: size, Mean: r.MeanSize, Rates: make(map[float64]*weir.Result), Swept: make(map[float64]*weir.Result)})
		}
		g.Rows[n].add(r)
		if Kind(r) == method.Rate && !slices.Contains(g.Goals, r.LossRatio) {
			g.Goals = append(g.Goals, r.LossRatio)
		}
		if result.Swept(r) && !slices.Contains(g.Knees, r.LossRatio) {
			g.Knees = append(g.Knees, r.LossRatio)
		}
	}
	slices.Sort(g.Goals)
	slices.Sort(g.Knees)
	g.Rows = g.planned() // runs are measured in random order
	return g
}

// GridOfRuns returns the grid of a pooled campaign, with the runs of each row.
func GridOfRuns(c weir.Campaign, runs [][]*weir.Result) Grid {
	g := GridOf(c)
	g.Runs, g.Of = make(map[*weir.Result]int), make(map[*weir.Result][]*weir.Result)
	for i := range c.Results {
		g.Runs[&c.Results[i]], g.Of[&c.Results[i]] = len(runs[i]), runs[i]
	}
	return g
}

// runs returns how many runs a row stands for; "" where it is none of several.
func (g Grid) runs(w row) string {
	most := 0
	for _, r := range w.Results {
		most = max(most, g.Runs[r])
	}
	return strconv.Itoa(most)
}

func (w *row) add(r *weir.Result) {
	w.Results = append(w.Results, r)
	if w.Mean == 0 {
		w.Mean = float64(w.Octets)
	}
	switch Kind(r) {
	case method.Rate:
		if w.Rates[r.LossRatio] == nil {
			w.Rates[r.LossRatio] = r
		}
	case method.Most:
		if w.Most == nil {
			w.Most = r
		}
	case method.Delay:
		if w.Latency == nil {
			w.Latency = r
		}
	case method.Knee:
		if result.InWindows(r) && w.Swept[r.LossRatio] == nil {
			w.Swept[r.LossRatio] = r
		}
	}
}

// main is the result that a row is about: the rate at the lowest loss, or what
// else there is.
func (w row) main(goals []float64) *weir.Result {
	for _, goal := range goals {
		if r := w.Rates[goal]; r != nil {
			return r
		}
	}
	return w.Results[0]
}

// frames names what was sent: "64 octets", or the mix.
func (w row) frames() string {
	if w.Octets > 0 {
		return w.Traffic + " octets"
	}
	return w.Traffic
}

// title is frames, with the other levels where there are any.
func (w row) title() string {
	if w.Group == "" {
		return w.frames()
	}
	return w.Label
}

// groups are the groups of a grid's rows, in the order of measuring.
func (g Grid) groups() (out []string) {
	for _, w := range g.Rows {
		out = With(out, w.Group)
	}
	return out
}

// sizes reports whether there are several frame sizes or mixes.
func (g Grid) sizes() bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return w.Traffic != g.Rows[0].Traffic })
}

// tabled reports whether the row has anything for the main table.
func (w row) tabled() bool { return len(w.Rates) > 0 || w.Most != nil || w.Latency != nil }

// shown reports whether a table has the result: it shows the first of its kind.
func (w row) shown(r *weir.Result) bool {
	return result.Swept(r) && r == w.Swept[r.LossRatio] || r == w.Most || r == w.Latency || Kind(r) == method.Rate && r == w.Rates[r.LossRatio]
}

// tagged reports whether a latency is that of tagged frames (RFC 2544 section
// 26.2); r may be nil.
func tagged(r *weir.Result) bool {
	if r == nil || Kind(r) != method.Delay {
		return false
	}
	frames, known := r.Figure(claim.TaggedFrames)
	return known && frames > 0
}

// further are the results of the row that the main table has no room for, and
// the latencies of tagged frames, as it has none for their range. Transfers have
// a table of their own, and are here with what else they found; so do sweeps,
// which are here where their curves are wanted.
func (w row) further(curves bool) (out []*weir.Result) {
	for _, r := range w.Results {
		if result.OfTransfer(r) && (r.Unmeasured != "" || len(r.Figures) == 0) {
			continue
		}
		if !w.shown(r) || tagged(r) || curves && result.Swept(r) {
			out = append(out, r)
		}
	}
	return out
}

// contrary reports whether a search without loss found more than one that allows
// some, by more than their widths.
func (w row) contrary() bool {
	strict := w.Rates[0]
	if strict == nil || result.Unknown(strict) {
		return false
	}
	for loss, r := range w.Rates {
		if loss > 0 && !result.Unknown(r) && !result.AtLeast(r) && strict.Value > r.Value*(1+strict.Width+r.Width) {
			return true
		}
	}
	return false
}

// costly reports whether more is forwarded without loss than at the maximum load:
// an overload costs the DUT that much, or the two saw another machine.
func (w row) costly() bool {
	strict := w.Rates[0]
	return strict != nil && w.Most != nil && !result.Unknown(strict) && !result.Unknown(w.Most) && !result.AtLeast(w.Most) && strict.Value > w.Most.Value*(1+strict.Width)
}

// MarkDoubtful returns texts with the sign of doubtful values.
func MarkDoubtful(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = InDoubt + " " + text
	}
	return out
}

// Contradictions say which rows contradict themselves, and how.
func (g Grid) Contradictions() (out []string) {
	for _, c := range []struct {
		is   func(row) bool
		text string
	}{
		{row.contrary, "more was found without loss than with some, which cannot be: what disturbed one search did not disturb the other"},
		{row.costly, "the throughput is above FRMOL: an overload costs that much, or what disturbed one trial did not disturb the other"},
	} {
		var rows []string
		for _, w := range g.Rows {
			if c.is(w) {
				rows = append(rows, w.Label)
			}
		}
		if len(rows) > 0 {
			out = append(out, strings.Join(rows, ", ")+": "+c.text)
		}
	}
	return out
}

// doubtful reports whether a result of the row carries a warning, or the row
// contradicts itself.
func (w row) doubtful() bool {
	return w.contrary() || w.costly() || slices.ContainsFunc(w.Results, func(r *weir.Result) bool { return len(r.Warnings) > 0 })
}

// Simulated reports whether anything in c came from a model.
func Simulated(c weir.Campaign) bool {
	return c.Manifest.Simulated || slices.ContainsFunc(c.Results, func(r weir.Result) bool { return r.Simulated }) ||
		slices.ContainsFunc(c.Trials, func(r weir.TrialResult) bool { return r.Simulated })
}

// measured are the trials of a row: by the numbers that its results carry, or,
// where they carry none, by the name of the traffic.
func (w row) measured(c weir.Campaign) []weir.TrialResult {
	numbered := slices.ContainsFunc(w.Results, func(r *weir.Result) bool { return r.First > 0 })
	var out []weir.TrialResult
	for _, t := range c.Trials {
		in := !numbered && t.Trial.Traffic.Name == w.Traffic
		for _, r := range w.Results {
			in = in || r.First > 0 && r.First <= t.Trial.Number && t.Trial.Number <= r.Last
		}
		if in {
			out = append(out, t)
		}
	}
	return out
}
