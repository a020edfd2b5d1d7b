package method

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"weir"
	"weir/internal/sim"
)

// hungry is a tester that sends a half of some loads, in frames/s per port. The
// DUT loses nothing of that.
func hungry(env Env, starved func(weir.Trial) bool) Env {
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if !trial.Maximum && trial.Count == 0 && len(trial.Windows) == 0 && starved(trial) {
			r.Offered /= 2
			r.Received = min(r.Received, r.Offered)
		}
		for i, w := range trial.Windows {
			if out := &r.Windows[i]; starved(weir.Trial{Intended: w.Intended}) {
				out.Sent /= 2
				out.Received = min(out.Received, out.Sent)
			}
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
			env := hungry(simulated(t, sim.Config{Capacity: capacity, Livelock: .01}), func(trial weir.Trial) bool {
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

			env = hungry(simulated(t, sim.Config{Capacity: capacity}), func(trial weir.Trial) bool { return trial.Intended > capacity/2 })
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

// Nor is it a loss over hours, or in a stream.
func TestShortfallOfStreams(t *testing.T) {
	env := hungry(simulated(t, sim.Config{Capacity: 1e6, Latency: 20 * time.Microsecond}), func(weir.Trial) bool { return true })
	env.Past = []weir.Result{found("throughput", 1e6)}
	r := run(t, "soak", env, Params{Trial: 10 * time.Second})
	if unsent := figure(t, r, "frames not sent"); r.Value != 0 || r.LossRatio != 0 || unsent != 4.5e6 {
		t.Errorf("soak: a loss of %v, %v frames not sent", r.Value, unsent)
	}
	if r := run(t, "latency", env, Params{}); r.LossRatio != 0 || len(r.Warnings) != 0 || r.Claim.Name != "latency, short stream" {
		t.Errorf("latency: a loss of %v, claim %q, %v", r.LossRatio, r.Claim.Name, r.Warnings)
	}
}

// A burst that a stall has spread out came through because the DUT had time.
func TestStretchedBursts(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 100})
	truth := run(t, "back-to-back", env, Params{Trials: 1})
	measure, stalls := env.Measure, 0
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		r.Host.Over = 20 * time.Millisecond // the CPU time is that of more than the burst
		if n := trial.Count; n > 200 && n < 1000 && stalls%2 == 0 {
			stalls++
			r.Sending += time.Millisecond
			r.Received = r.Offered
			r.Ledger.Received, r.Ledger.Drops = r.Offered, nil
		} else if n > 200 && n < 1000 {
			stalls++
		}
		return r, err
	}
	r := run(t, "back-to-back", env, Params{Trials: 1})
	if r.Value != truth.Value || stalls == 0 {
		t.Errorf("%v frames where every second burst was held up (%d of them), %v without that", r.Value, stalls, truth.Value)
	}
	if r.CPUShare != 0 {
		t.Errorf("the CPU time of an instant: %v", r.CPUShare)
	}
}
