package method

import (
	"testing"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
)

// A search for a rate that no load meets does not go below 1 % of what the DUT forwards:
// it has no number, says why, and has spent a few trials.
func TestFarBelow(t *testing.T) {
	lossy := sim.Config{Capacity: 1e6, Buffer: 1, Latency: 20 * time.Microsecond, Interruptions: 100, Interruption: [2]time.Duration{4 * time.Millisecond, 6 * time.Millisecond}}
	for _, name := range []string{throughputName, "mlrsearch"} {
		m, _ := ByName(name)
		list, err := m.Run(t.Context(), simulated(t, lossy), Params{Trial: 100 * time.Millisecond, MLR: MLR{Goals: []Goal{{Final: 100 * time.Millisecond, Sum: 300 * time.Millisecond, Width: .01}}}})
		if err != nil {
			t.Fatal(err)
		}
		r := list[0]
		if r.Value != 0 || r.Lower != 0 || r.Verdict != claim.NotEnded || r.Trials > 25 || len(r.Warnings) == 0 || r.Warnings[len(r.Warnings)-1].Code != weir.SearchLimit {
			t.Errorf("%s: %v after %d trials, %q, %v", name, r.Value, r.Trials, r.Verdict, r.Warnings)
		}
	}
}
