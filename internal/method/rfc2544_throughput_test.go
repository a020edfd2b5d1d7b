package method

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/sim"
)

// limitOf is the load up to which a simulated DUT keeps a loss ratio:
// (r - C) x (1 + livelock) x T - buffer = loss x r x T, solved for r.
func limitOf(c sim.Config, loss, seconds float64) float64 {
	return (c.Capacity*(1+c.Livelock) + float64(c.Buffer)/seconds) / (1 + c.Livelock - loss)
}

func TestThroughputOfRandomDUTs(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 13))
	var easy, easyTrials int // without livelock
	for i := range 200 {
		dut := sim.Config{
			Capacity: 1e4 * math.Exp(rng.Float64()*math.Log(1e3)),
			Buffer:   []int{0, 256, 5000}[i%3],
			Livelock: []float64{0, .3, 1, .01}[i%4],
		}
		p := Params{Width: []float64{.01, .005, .02}[i%3], Trial: []time.Duration{time.Second, 200 * time.Millisecond}[i%2]}
		if i%5 == 0 {
			p.Loss = .005
		}
		env := simulated(t, dut)
		if i%2 == 0 {
			env = bidirectional(env)
		}
		if i%7 != 0 {
			env.Past = append(env.Past, run(t, "frmol", env, Params{Trial: p.Trial}))
		}
		r := run(t, "throughput", env, p)
		if dut.Livelock == 0 {
			easy++
			easyTrials += r.Trials
		}
		truth := limitOf(dut, p.Loss, p.Trial.Seconds())
		if size, held := r.Figure(HeldFrames); held { // more than passes in a trial
			if math.Abs(r.Value/dut.Capacity-1) > .03+p.Loss || math.Abs(size/float64(dut.Buffer)-1) > .1 {
				t.Errorf("%v with %v frames held: %+v, %+v", r.Value, size, dut, p)
			}
			continue
		}
		rounding := 3 / p.Trial.Seconds() // loads are whole frames
		if r.Lower > truth+rounding || r.Upper < truth-rounding {
			t.Fatalf("%+v, %+v: truth %v is not in [%v, %v]", dut, p, truth, r.Lower, r.Upper)
		}
		if math.Abs(r.Value-truth) > p.Width*truth+rounding {
			t.Fatalf("%+v, %+v: value %v is not within the width of %v", dut, p, r.Value, truth)
		}
	}
	if easyTrials > 6*easy {
		t.Errorf("%d searches without livelock took %d trials, want 6 each at most", easy, easyTrials)
	}
}

func TestThroughputWithNoise(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Noise: .02, Seed: 5})
	r := run(t, "throughput", env, Params{Trials: 5, Exceed: .5})
	if math.Abs(r.Value-1e6) > .05e6 {
		t.Errorf("value %v is far from the truth", r.Value)
	}
	if d := cmp.Diff([]weir.WarningCode{weir.NoisyResult}, codes(r)); d != "" {
		t.Errorf("warnings:\n%s", d)
	}
	if want := "throughput, short trials, exceed ratio 50 %"; r.Claim.Name != want {
		t.Errorf("claim %q, want %q", r.Claim.Name, want)
	}
}

func TestThroughputAtTheEdges(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	env.MediaRate = 148_810
	r := run(t, "throughput", env, Params{})
	if r.Value != 148_810 || r.Lower != r.Upper || r.Trials != 1 || !strings.Contains(r.Warnings[0].Text, limitMedium) {
		t.Errorf("at the medium's limit: %+v", r)
	}
	if d := cmp.Diff([]weir.WarningCode{weir.SearchLimit}, codes(r)); d != "" {
		t.Errorf("warnings at the medium's limit:\n%s", d)
	}
	r = run(t, "throughput", env, Params{Maximum: 50_000})
	if r.Value != 50_000 || !strings.Contains(r.Warnings[0].Text, limitPlan) {
		t.Errorf("at the plan's limit: %+v", r)
	}
	r = run(t, "throughput", simulated(t, sim.Config{Capacity: 1e4}), Params{Minimum: 20_000})
	if r.Value != 0 || r.Lower != 0 || r.Upper != 20_000 || r.Claim.Name != "no load met the goal" || r.Ledger.Offered != 20_000 {
		t.Errorf("below the minimum: %+v", r)
	}
	if d := cmp.Diff([]weir.WarningCode{weir.SearchLimit}, codes(r)); d != "" {
		t.Errorf("warnings below the minimum:\n%s", d)
	}
}

func TestThroughputStartsFromThePast(t *testing.T) {
	for name, tt := range map[string]struct {
		past []weir.Result
		loss float64
		want float64
	}{
		"nothing known":       {nil, 0, sim.Ceiling / 2.},
		"forwarding rate":     {[]weir.Result{found("frmol", 9e5)}, 0, 4.5e5},
		"of the same goal":    {[]weir.Result{found("throughput", 8e5), found("frmol", 9e5)}, 0, 4e5},
		"of a stricter goal":  {[]weir.Result{found("frmol", 9e5), found("throughput", 8e5)}, .005, 4e5},
		"nothing was found":   {[]weir.Result{found("throughput", 0)}, 0, sim.Ceiling / 2.},
		"other methods' figs": {[]weir.Result{found("latency", 20e-6)}, 0, sim.Ceiling / 2.},
	} {
		env := bidirectional(simulated(t, sim.Config{Capacity: 1e6}))
		env.Ceiling /= 2
		env.Past = tt.past
		first := 0.
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if first == 0 {
				first = trial.Intended
			}
			return measure(ctx, trial)
		}
		run(t, "throughput", env, Params{Loss: tt.loss})
		if first != tt.want {
			t.Errorf("%s: first load %v, want %v", name, first, tt.want)
		}
	}
}

// A DUT that does not take one whole burst has no throughput of bursts.
func TestThroughputOfBursts(t *testing.T) {
	for _, name := range []string{"throughput", "mlrsearch"} {
		for burst, want := range map[int]float64{100: 1e6, 1024: 0} {
			env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 256})
			env.Traffic.Burst = burst
			r := run(t, name, env, Params{Maximum: 2e6})
			if math.Abs(r.Value-want) > .01*want || (want == 0) != (r.Upper == 1024) {
				t.Errorf("%s of bursts of %d: %v below %v, want %v", name, burst, r.Value, r.Upper, want)
			}
		}
	}
}
