package method

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/sim"
	"weir/stats"
)

// A DUT whose latency is even between 20 and 120 us has all figures of its
// delays in closed form. The difference of two such delays has a triangular
// distribution from -100 to 100 us, and a mean size of a third of that.
func TestDelaysFindTheTruth(t *testing.T) {
	const low, jitter = 20e-6, 100e-6
	tests := []struct {
		method string
		params Params
		want   float64 // s
		figure map[string]float64
	}{
		{"latency", Params{}, low + jitter/2, nil},
		{"latency", Params{Trials: 400, Trial: 100 * time.Millisecond, Phases: Phases{Tags: 1, Settled: 50 * time.Millisecond}}, low + jitter/2,
			map[string]float64{"median of all frames": low + jitter/2}},
		{"rfc8219-latency", Params{Trials: 20, Phases: Phases{Tags: 1000}}, low + jitter/2, map[string]float64{"worst-case latency": low + jitter}},
		{"pdv", Params{}, .999 * jitter, nil},
		{"ipdv", Params{}, jitter, map[string]float64{"least IPDV": -jitter, "greatest IPDV": jitter}},
		{"jitter", Params{}, jitter / 3, map[string]float64{"median jitter": jitter * (1 - math.Sqrt(.5)), "greatest jitter": jitter}},
	}
	for _, tt := range tests {
		env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 256, Latency: 20 * time.Microsecond, Jitter: 100 * time.Microsecond, Seed: 3})
		env.Past = []weir.Result{found("throughput", 1e6)}
		r := run(t, tt.method, env, tt.params)
		// A histogram is right to its error; what is drawn, to the share of
		// what was drawn.
		within := weir.HistogramError*(low+jitter) + .02*jitter
		if tt.params.Phases.Tags > 0 {
			within = .06 * jitter
		}
		if math.Abs(r.Value-tt.want) > within || r.Unit != "s" || r.Lower > r.Value || r.Upper < r.Value {
			t.Errorf("%s: %v s between %v and %v, want %v", tt.method, r.Value, r.Lower, r.Upper, tt.want)
		}
		for name, want := range tt.figure {
			if got, ok := r.Figure(name); !ok || math.Abs(got-want) > within {
				t.Errorf("%s: %s is %v s, want %v", tt.method, name, got, want)
			}
		}
	}
	env := simulated(t, sim.Config{Capacity: 1e6, Jitter: 100 * time.Microsecond})
	env.Past = []weir.Result{found("throughput", 1e6)}
	r := run(t, "ipdv", env, Params{})
	if m, _ := r.Figure("median IPDV"); math.Abs(m) > .02*jitter {
		t.Errorf("the median IPDV is %v s, want about 0", m)
	}
}

// What a tester cannot time is said, and the trials are kept.
func TestDelaysOfATesterWithoutClock(t *testing.T) {
	for _, name := range []string{"latency", "rfc8219-latency", "pdv", "ipdv", "jitter"} {
		env := simulated(t, sim.Config{Capacity: 1e6})
		env.Past = []weir.Result{found("throughput", 1e6)}
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			r.Latency, r.Tagged, r.Variation = weir.Histogram{}, nil, nil
			return r, err
		}
		m, _ := ByName(name)
		results, err := m.Run(t.Context(), env, Params{})
		if err == nil || !strings.Contains(err.Error(), "does not time frames") || len(results) != 1 || results[0].Trials == 0 {
			t.Errorf("%s: %v, %+v", name, err, results)
		}
	}
}

// A tester with two clocks has round trips. They are no latency: where one of the trials has
// nothing else, the result has no value, and says why.
func TestRoundTrips(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Latency: 20 * time.Microsecond})
	env.Past = []weir.Result{found("throughput", 1e6)}
	measure, timed, one := env.Measure, 0, false
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if trial.Timed {
			timed++
			r.RoundTrip.Add(50_000, 100)
		}
		if !one || timed%2 == 0 {
			r.Latency = weir.Histogram{}
		}
		return r, err
	}
	for _, one = range []bool{false, true} {
		r := run(t, "latency", env, Params{Trials: 3})
		if r.Unmeasured == "" || r.Value != 0 || r.Latency != nil || r.RoundTrip == nil || r.RoundTrip.P50 < 49e-6 || r.RoundTrip.P50 > 51e-6 || strings.Contains(r.Claim.Name, "latency") {
			t.Errorf("%t: %+v", one, r)
		}
	}
	if timed != 6 {
		t.Errorf("%d trials were there for what frames take", timed)
	}
	one = false
	for _, name := range []string{"sweep", "saturated"} {
		if r := run(t, name, env, Params{}); r.Latency != nil || r.RoundTrip == nil || r.Value == 0 {
			t.Errorf("%s: %v, latency %v, round trip %v", name, r.Value, r.Latency, r.RoundTrip)
		}
	}
}

func TestPercentile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {.01, 1}, {.2, 1}, {.21, 2}, {.5, 3}, {.99, 5}, {1, 5}} {
		if got := percentile(values, c.q); got != c.want {
			t.Errorf("percentile %v is %v, want %v", c.q, got, c.want)
		}
	}
	if stats.Median([]float64{4, 1, 3, 2}) != 2.5 || stats.Median(values) != 3 || stats.Median(nil) != 0 || percentile(nil, .5) != 0 {
		t.Error("medians")
	}
	if d := deviation([]float64{2, 4, 4, 4, 5, 5, 7, 9}); math.Abs(d-2.138089935) > 1e-8 || deviation([]float64{1}) != 0 {
		t.Errorf("standard deviation %v", d)
	}
}
