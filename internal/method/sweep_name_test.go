package method

import (
	"context"
	"testing"

	"weir"
	"weir/internal/sim"
)

func TestKnownRate(t *testing.T) {
	sweep := weir.Result{Method: sweepName, Value: 7e5, Figures: []weir.Figure{
		{Name: "knee at loss 0", Value: 7e5, Unit: "frames/s"}, {Name: "knee at loss 0.005", Value: 7.2e5, Unit: "frames/s"}}}
	bare := weir.Result{Method: sweepName, Value: 6e5}
	lenient := weir.Result{Method: sweepName, Value: 8e5, LossRatio: .005}
	found := weir.Result{Method: throughputName, Value: 5e5}
	frmol := weir.Result{Method: frmolName, Value: 9e5}
	for _, tt := range []struct {
		name string
		past []weir.Result
		loss float64
		want float64
	}{
		{"nothing", nil, 0, 0},
		{"the knee", []weir.Result{frmol, sweep}, 0, 7e5},
		{"that of the loss", []weir.Result{sweep}, .005, 7.2e5},
		{"that of a lesser loss", []weir.Result{sweep}, .1, 7e5},
		{"one without figures", []weir.Result{bare}, .005, 6e5},
		{"that of a greater loss is better than nothing", []weir.Result{lenient}, 0, 8e5},
		{"but not than a throughput", []weir.Result{lenient, found}, 0, 5e5},
		{"before a throughput", []weir.Result{sweep, found}, 0, 7e5},
		{"the last one", []weir.Result{sweep, bare}, 0, 6e5},
		{"one that found none is none", []weir.Result{sweep, {Method: sweepName}}, 0, 7e5},
		{"a throughput", []weir.Result{frmol, found}, 0, 5e5},
		{"of a stricter goal", []weir.Result{frmol, found}, .005, 5e5},
		{"the highest rate", []weir.Result{frmol}, 0, 9e5},
		{"not that of another method", []weir.Result{{Method: "latency", Value: 1}}, 0, 0},
	} {
		if got := knownRate(tt.past, tt.loss); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Searches begin at the knee of a sweep, which counts all ports, or just above, and take fewer
// trials for that where the DUT forwards less under overload.
func TestSearchesBeginAtTheKnee(t *testing.T) {
	dut := sim.Config{Capacity: 1e6, Livelock: .3}
	past := []weir.Result{{Method: sweepName, Value: 1.01e6}}
	for _, m := range []Method{throughput, mlrSearch} {
		count := func(past []weir.Result) (trials int, first float64) {
			env := bidirectional(simulated(t, dut))
			env.Past = past
			measure := env.Measure
			env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
				if trials++; trials == 1 {
					first = trial.Intended
				}
				return measure(ctx, trial)
			}
			results, err := m.Run(t.Context(), env, Params{})
			if err != nil || len(results) == 0 || results[0].Lower > 1e6+2 || results[0].Upper < 1e6-2 {
				t.Fatalf("%s: %+v, %v", m.Name, results, err)
			}
			return trials, first
		}
		without, _ := count(nil)
		with, first := count(past)
		if first < .995*5.05e5 || first > 1.02*5.05e5 || with >= without {
			t.Errorf("%s begins at %v and takes %d trials, and %d without the knee", m.Name, first, with, without)
		}
	}
}
