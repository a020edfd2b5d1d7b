package method

import (
	"math"
	"testing"
	"time"

	"weir"
	"weir/internal/sim"
)

// The maximum forwarding rate is no lower than what another method has seen to be
// forwarded, before it or after it, and says which one that was.
func TestHighestForwarded(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 500e3, Buffer: 256, Latency: 20 * time.Microsecond})
	p := Params{Trial: 100 * time.Millisecond, Ladder: Ladder{Step: .5}}
	alone := run(t, "mfr", env, p)
	if math.Abs(alone.Value/500e3-1) > .02 {
		t.Fatalf("alone: %v", alone.Value)
	}
	env.Past = []weir.Result{
		{Method: frmolName, Unit: "frames/s", Value: 600e3, LossRatio: .25},
		{Method: throughputName, Unit: "frames/s", Value: 400e3},
		{Method: "mfr", Unit: "frames/s", Value: 900e3},
		{Method: "latency", Unit: "s", Value: 900e3},
	}
	r := run(t, "mfr", env, p)
	load, cited := r.Figure(weir.OfferedLoad)
	if r.Value != 600e3 || r.Lower != r.Value || !cited || math.Abs(load-800e3) > 1e-6 || math.Abs(r.LossRatio-.25) > 1e-9 || codes(r)[len(codes(r))-1] != weir.NoisyResult {
		t.Errorf("after FRMOL: %v of %v, loss %v, %v", r.Value, load, r.LossRatio, r.Warnings)
	}
	alone.Factors = weir.Factors{"frame_size": 64}
	after := weir.Result{Method: sweepName, Unit: "frames/s", Value: 450e3, Factors: alone.Factors, Curve: []weir.Point{{Offered: 2e6, Forwarded: 700e3}, {Offered: 1e6, Forwarded: 650e3}}}
	elsewhere := after
	elsewhere.Factors, elsewhere.Curve = weir.Factors{"frame_size": 128}, []weir.Point{{Offered: 2e6, Forwarded: 990e3}}
	all := Raise([]weir.Result{alone, after, elsewhere})
	if all[0].Value != 700e3 || all[1].Value != after.Value || alone.Value == 700e3 {
		t.Errorf("before a sweep: %v", all[0].Value)
	}
	if same := Raise([]weir.Result{alone}); same[0].Value != alone.Value || len(same[0].Warnings) != len(alone.Warnings) {
		t.Errorf("by itself: %v", same[0])
	}
}
