package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
)

// Explanations say what has to be known to read the table: which search did
// not end, what RFC 2544 section 26.1 asks to be named with a single number,
// at which load a FRMOL was measured, what a latency is, and whether the DUT
// answered meanwhile what it was asked.
func Explanations(c weir.Campaign, g Grid) []string {
	var out []string
	var most byHeading // kpps at most, with the rows
	var verdicts verdictList
	timed, probed, goals := false, false, false
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if w.shown(r) && r.Verdict != "" {
				verdicts.add(r.Verdict, Sought(*r), w.Label)
			}
			timed = timed || Kind(r) == method.Delay && r.Latency != nil
			goals = goals || Kind(r) == method.Goals
			probed = probed || slices.ContainsFunc(r.Curve, func(p weir.Point) bool { return p.Probe != nil })
		}
		if load := highestLoad(c, w.Most); load > 0 {
			most.add(Kpps(load), w.Label)
		}
	}
	out = append(out, verdicts.lines()...)
	out = append(out, MarkDoubtful(g.Contradictions())...)
	if text := SweptTerms(g); text != "" {
		out = append(out, "sweep: "+text)
	}
	if text := single(c, g); text != "" {
		out = append(out, text)
	}
	if len(most) > 0 {
		out = append(out, "FRMOL: the maximum offered load, kpps, was "+loads(most))
	}
	if goals {
		out = append(out, "MLRsearch: the conditional throughput is what was forwarded at the highest load that the goal holds at; "+
			"the range is that load and the lowest one that it does not hold at (RFC 9971)")
	}
	if timed {
		out = append(out, "latency: from before a frame is handed to the tester's port until its receiver sees it, which is nearest "+
			"to RFC 1242 section 3.8 for store and forward devices; percentiles are of all frames of the trial with the median value")
	}
	out = append(out, g.clockNotes()...)
	if probed {
		out = append(out, "signs of life: echoes that were lost and TCP connections that were not taken, of those tried, each with the greatest "+
			"time, and the longest gap of the heartbeat")
	}
	if slow := sentBy(c, g, packetSockets); len(slow) > 0 {
		out = append(out, fmt.Sprintf("packet sockets sent the frames of %s, far slower than live frames: a rate may be the tester's limit and not the DUT's", Enumerated(slow)))
	}
	return append(out, answers(c, g)...)
}

// loads is "20,000.0" where all rows have the same, else "3,912.0 (64),
// 2,480.0 (512)"; the most frequent of many rows is that of all others.
func loads(list byHeading) string {
	if len(list) == 1 && len(list[0].rows) > 1 {
		return list[0].heading
	}
	slices.SortStableFunc(list, func(a, b headed) int { return len(a.rows) - len(b.rows) })
	var parts []string
	for i, m := range list {
		rows := strings.Join(m.rows, ", ")
		if i == len(list)-1 && i > 0 && len(m.rows) > 3 {
			rows = "all others"
		}
		parts = append(parts, m.heading+" ("+rows+")")
	}
	return strings.Join(parts, ", ")
}

// single is the rate that the headline names, with all that RFC 2544 section
// 26.1 wants to see with a single number.
func single(c weir.Campaign, g Grid) string {
	w, r := first(g)
	if r == nil || w.Mean == 0 || r.LossRatio > 0 || len(g.Knees) > 0 {
		return ""
	}
	protocol := ""
	if trials := w.measured(c); len(trials) > 0 {
		t := trials[len(trials)-1].Trial.Traffic
		protocol = fmt.Sprintf(", %s over %s", strings.ToUpper(string(t.Protocol)), ipName(t.Family))
	}
	limit := "no medium has a limit here"
	if rate, known := r.Figure(claim.TheoreticalMaximum); known {
		limit = fmt.Sprintf("the medium carries %s kpps", Kpps(rate))
	}
	frames := w.frames()
	if w.Group != "" {
		frames += " (" + w.Group + ")"
	}
	return fmt.Sprintf("as a single number: %s%s kpps with frames of %s%s; %s", least(r), Kpps(r.Value), frames, protocol, limit)
}

func ipName(f weir.Family) string {
	if f == weir.IPv6 {
		return "IPv6"
	}
	return "IPv4"
}

// highestLoad is the maximum offered load of a FRMOL in frames/s; 0 when it is
// not known.
func highestLoad(c weir.Campaign, r *weir.Result) float64 {
	if r == nil {
		return 0
	}
	if load, known := r.Figure(claim.MaximumOffered); known {
		return load
	}
	load := 0.
	for _, t := range deciding(c, r) {
		if t.Trial.Maximum && (load == 0 || t.ForwardingRate() == r.Value) {
			load = t.OfferedRate()
		}
	}
	if load == 0 && r.Ledger.Received > 0 {
		return r.Value * float64(r.Ledger.Offered) / float64(r.Ledger.Received)
	}
	return load
}

// packetSockets is the back end of the tester that sends what live frames
// cannot carry.
const packetSockets = "afpacket"

// sentBy are the rows of which trials were sent by a back end.
func sentBy(c weir.Campaign, g Grid, backend string) []string {
	var labels []string
	for _, w := range g.Rows {
		if slices.ContainsFunc(w.measured(c), func(t weir.TrialResult) bool { return t.Backend == backend }) {
			labels = append(labels, w.Label)
		}
	}
	return labels
}

// answers say, for each row under management queries, what became of them.
func answers(c weir.Campaign, g Grid) []string {
	var out []string
	for _, w := range g.Rows {
		var all weir.Queries
		for _, t := range w.measured(c) {
			if q := t.Queries; q != nil {
				all.Sent += q.Sent
				all.Answered += q.Answered
				all.Fault = cmp.Or(all.Fault, q.Fault)
			}
		}
		if all == (weir.Queries{}) {
			continue
		}
		text := fmt.Sprintf("management queries, %s: %s sent, %s answered", w.Label, Count(all.Sent), Count(all.Answered))
		if all.Fault != "" {
			text += ": " + all.Fault
		}
		out = append(out, text)
	}
	return slices.Compact(out)
}

// A load is at what a result was measured as a share of a throughput.
type load struct {
	Rate  float64 // frames/s over all ports; 0: the result is at no such share
	Share float64
}

// loadOf is the load of a result that was measured at a share of a throughput.
func loadOf(c weir.Campaign, r *weir.Result) load {
	throughput, known := r.Figure(claim.Throughput)
	if !known || throughput <= 0 {
		return load{}
	}
	trials := deciding(c, r)
	if len(trials) == 0 {
		return load{}
	}
	t := trials[len(trials)-1].Trial
	if t.Count > 0 || t.Maximum || t.Then != nil {
		return load{} // a burst, or two loads that have figures of their own
	}
	rate := t.Intended * float64(t.Traffic.Ports())
	return load{rate, rate / throughput}
}

// String is "591.0 kpps, 50 % of the throughput".
func (l load) String() string {
	return Kpps(l.Rate) + " kpps, " + l.percent() + " % of the throughput"
}

// percent is the share in percent, to a tenth: loads are whole numbers of
// frames, so it is hardly ever exact.
func (l load) percent() string { return Percent(math.Round(l.Share*1e3) / 1e3) }

// interval is "1,200 to 1,310 frames": the unit is written once where both ends
// have the same, and a 0 has none.
func interval(low, high float64, unit string) string {
	from, to := Quantity(low, unit), Quantity(high, unit)
	number, of, _ := strings.Cut(from, " ")
	if _, same, _ := strings.Cut(to, " "); low == 0 || of == same {
		from = number
	}
	return from + " to " + to
}
