package method

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
)

// dying is an environment of which the DUT forwards nothing any more after a
// number of trials.
func dying(env Env, after int, trials *[]weir.Trial) Env {
	measure := env.Measure
	env.Measure = func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, t)
		if *trials = append(*trials, t); len(*trials) > after {
			r.Received, r.Latency, r.Timeline = 0, weir.Histogram{}, &weir.Timeline{Resolution: time.Millisecond}
			r.Ledger = weir.Balance(r.Offered, 0, []weir.Drop{{Place: "dut forwarding is off", Count: r.Offered}})
		}
		return r, err
	}
	return env
}

// A DUT that stops forwarding in the middle is no DUT of a throughput of 0: the
// first trial of which nothing comes back is followed by a trickle, and that is
// the end.
func TestDUTThatStopsForwarding(t *testing.T) {
	const after = 2
	for _, m := range All() {
		if m.Name == "self-test" || m.Application {
			continue // is without the DUT, or its programs say that nothing arrives
		}
		var trials []weir.Trial
		env := simulated(t, sim.Config{Capacity: 1e5, Buffer: 100})
		env.Past = []weir.Result{found("throughput", 9e4)}
		env.Events = sim.Events()
		env.Condition.Put(weir.RouteSet{Family: weir.IPv4, Count: 10, Via: "bgp"})
		_, err := m.Run(t.Context(), dying(env, after, &trials), m.Params(Params{Trials: 4}))
		var nothing *NothingForwardedError
		if !errors.As(err, &nothing) || len(trials) != after+2 || len(nothing.Loads) != 2 || nothing.Loads[1] != trickleRate {
			t.Errorf("%s: %d trials, error %v", m.Name, len(trials), err)
			continue
		}
		if last := trials[after+1]; last.Purpose == m.Name || last.Intended != trickleRate || last.Event != nil || last.Count > 0 {
			t.Errorf("%s: the last trial is %+v", m.Name, last)
		}
	}
}

// A trickle that comes back says that the loads before were too high. It is no
// trial of the method's, and is not repeated before anything else came back.
func TestTrickle(t *testing.T) {
	for _, name := range []string{"frmol", "throughput", "mlrsearch", "loss-rate", "back-to-back", "mfr", "overload"} {
		env := dead(simulated(t, sim.Config{Capacity: 1e6}), 2e3)
		env.Probe = false
		counts := map[string]int{}
		measure := env.Measure
		silent, before := 0, false
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			counts[trial.Purpose]++
			if trial.Purpose == name {
				if r.Received == 0 && !before {
					silent++
				}
				before = r.Received == 0
			}
			return r, err
		}
		r := run(t, name, env, Params{Trials: 3})
		if silent == 0 || counts[trickle] != silent {
			t.Errorf("%s: %d runs of trials without a frame, %d trickles", name, silent, counts[trickle])
		}
		if want := counts[trickle] + counts[name] + counts[holding] + counts[examination]; r.Trials != want {
			t.Errorf("%s: %d trials, want %d", name, r.Trials, want)
		}
		for _, p := range r.Curve {
			if p.Intended == trickleRate {
				t.Errorf("%s: the trickle is a point of the curve", name)
			}
		}
	}
	env := dead(simulated(t, sim.Config{Capacity: 1e6}), 2e3)
	env.Past = []weir.Result{found("throughput", 1e6)}
	if _, err := latency.Run(t.Context(), env, Params{}); err == nil || !strings.Contains(err.Error(), "no frame came back at 500000 frames/s, 50 % of the throughput, though the DUT forwards 1000") {
		t.Errorf("latency: %v", err)
	}
}

// A throughput that is 0 as its search was cut short is not known.
func TestThroughputThatIsNotKnown(t *testing.T) {
	cut := found("throughput", 0)
	cut.Verdict = claim.NotEnded
	env := simulated(t, sim.Config{Capacity: 1e6})
	env.Past = []weir.Result{cut}
	_, err := latency.Run(t.Context(), env, Params{})
	if err == nil || strings.Contains(err.Error(), "no load was forwarded") || !strings.Contains(err.Error(), "its search was cut short before it found a load without loss") {
		t.Errorf("error %v", err)
	}
}

// A minimum above what can be sent is told with what sets the limit.
func TestMinimumOutOfRange(t *testing.T) {
	for _, m := range []Method{throughput, mlrSearch} {
		for by, c := range map[string]struct {
			medium, plan float64
			want         string
		}{
			"the tester": {0, 0, "the tester sends at most 20000000 frames/s from each port, which is below the plan's minimum of 30000000"},
			"the medium": {1e6, 0, "the medium carries at most 1000000"},
			"the plan":   {0, 2e6, "the plan allows at most 2000000"},
		} {
			env := simulated(t, sim.Config{Capacity: 1e6})
			env.MediaRate = c.medium
			if _, err := m.Run(t.Context(), env, Params{Minimum: 3e7, Maximum: c.plan}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v", m.Name, by, err)
			}
		}
	}
}
