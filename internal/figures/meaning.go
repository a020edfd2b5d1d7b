package figures

import (
	"math"
	"strings"

	"weir"
	"weir/internal/claim"
)

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

// interval is "1,200 to 1,310 frames": the unit stands once where both ends
// have the same, and a 0 has none.
func interval(low, high float64, unit string) string {
	from, to := Quantity(low, unit), Quantity(high, unit)
	number, of, _ := strings.Cut(from, " ")
	if _, same, _ := strings.Cut(to, " "); low == 0 || of == same {
		from = number
	}
	return from + " to " + to
}
