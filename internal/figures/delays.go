package figures

import (
	"fmt"
	"strings"

	"weir"
)

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
