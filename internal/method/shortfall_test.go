package method

import (
	"context"
	"math"
	"slices"
	"testing"

	"weir"
	"weir/internal/tester"
)

// hungry is a tester that sends a half of some loads, in frames/s per port. The
// DUT loses nothing of that.
func hungry(env Env, starved func(weir.Trial) bool) Env {
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if !trial.Maximum && trial.Count == 0 && starved(trial) {
			r.Offered /= 2
			r.Received = min(r.Received, r.Offered)
		}
		return r, err
	}
	return env
}

// What the tester does not send is never a loss of the DUT's, in no method: a
// load that it fails once to send is measured again, and one that it always
// fails to send is where the tester ends the search.
func TestShortfall(t *testing.T) {
	const capacity = 1e6
	for _, name := range []string{"throughput", "overload", "mfr", "loss-rate", "mlrsearch"} {
		t.Run(name, func(t *testing.T) {
			seen := map[float64]int{}
			env := hungry(simulated(t, tester.SimConfig{Capacity: capacity, Livelock: .01}), func(trial weir.Trial) bool {
				seen[trial.Intended]++
				return seen[trial.Intended] == 1
			})
			r := run(t, name, env, Params{Maximum: 4e6})
			within := .02
			if name == "loss-rate" {
				within = .21 // a step of a tenth of the maximum
			}
			if r.Value < capacity*(1-within) || r.Value > capacity*1.001 {
				t.Errorf("each load was not sent the first time: %v, want %v", r.Value, capacity)
			}
			for _, p := range r.Curve {
				if p.Intended <= capacity && p.LossRatio > 0 {
					t.Errorf("the tester's shortfall is called a loss: %+v", p)
				}
			}

			env = hungry(simulated(t, tester.SimConfig{Capacity: capacity}), func(trial weir.Trial) bool { return trial.Intended > capacity/2 })
			r = run(t, name, env, Params{Maximum: .9 * capacity})
			for _, p := range r.Curve {
				if p.LossRatio > 0 || (p.Intended > capacity/2) != (p.Unsent > .4) {
					t.Errorf("a point of a DUT that loses nothing: %+v", p)
				}
			}
			if name != "mfr" && (r.Value > capacity/2*1.001 || r.Value < capacity/2*.89 || !slices.Contains(codes(r), weir.SearchLimit)) {
				t.Errorf("what the tester cannot send: %v with %v", r.Value, r.Warnings)
			}
			if r.LossRatio > 0 || math.IsNaN(r.Value) {
				t.Errorf("a loss ratio of %v, value %v", r.LossRatio, r.Value)
			}
		})
	}
}
