package method

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/sim"
)

// near reports a figure that is further from the truth than allowed.
func near(t *testing.T, name string, got, want, allowed float64) {
	t.Helper()
	if !(math.Abs(got-want) <= allowed) {
		t.Errorf("%s is %v, want %v within %v", name, got, want, allowed)
	}
}

func figure(t *testing.T, r weir.Result, name string) float64 {
	t.Helper()
	v, ok := r.Figure(name)
	if !ok {
		t.Errorf("no figure %q in %+v", name, r.Figures)
	}
	return v
}

func TestLossRate(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(Env) Env
		params Params
		top    float64 // frames/s over all ports
		points int
		value  float64
		upper  float64
	}{
		// 10 steps of 2,000,000 are all too much: there follow some of 200,000.
		"tester":        {nil, Params{}, 20e6, 16, 1e6, 1.2e6},
		"medium":        {func(e Env) Env { e.MediaRate = 1_488_095; return e }, Params{}, 1_488_095, 6, 892_857, 1_041_666.5},
		"plan":          {nil, Params{Maximum: 2e6}, 2e6, 7, 1e6, 1.2e6},
		"finer":         {nil, Params{Maximum: 2e6, Ladder: Ladder{Step: .01}}, 2e6, 52, 1e6, 1.02e6},
		"bidirectional": {bidirectional, Params{Maximum: 1e6}, 2e6, 7, 1e6, 1.2e6},
		"no loss":       {nil, Params{Maximum: 5e5}, 5e5, 2, 5e5, 5e5},
	} {
		t.Run(name, func(t *testing.T) {
			env := simulated(t, sim.Config{Capacity: 1e6, Livelock: .01})
			if tt.change != nil {
				env = tt.change(env)
			}
			r := run(t, "loss-rate", env, tt.params)
			near(t, "value", r.Value, tt.value, 1e-3)
			near(t, "upper bound", r.Upper, tt.upper, 1e-3)
			near(t, "top", figure(t, r, "maximum offered load"), tt.top, 1)
			if len(r.Curve) != tt.points || r.Trials != tt.points || r.Lower != r.Value || r.Unit != "frames/s" {
				t.Errorf("%d points of %d trials", len(r.Curve), r.Trials)
			}
			for i, p := range r.Curve {
				load := tt.top * float64(10-i) / 10
				if i >= 10 {
					load = tt.top * float64(19-i) / 100
				}
				if tt.params.Ladder.Step > 0 {
					load = tt.top * (1 - float64(i)*tt.params.Ladder.Step)
				}
				near(t, "load", p.Offered, load, 2)
				effective := 1e6 * (1 - .01*max(0, load-1e6)/1e6)
				near(t, "loss ratio", p.LossRatio, max(0, 1-effective/load), 2/load)
				if p.Branch != down {
					t.Errorf("branch %q", p.Branch)
				}
			}
			if r.LossRatio != r.Curve[0].LossRatio || figure(t, r, "loss at the maximum offered load") != r.LossRatio {
				t.Errorf("loss ratio %v, at the maximum load %v", r.LossRatio, r.Curve[0].LossRatio)
			}
			if len(r.Warnings) > 0 {
				t.Errorf("warnings %v", r.Warnings)
			}
			if r.Claim.Name != "loss curve, short trials" {
				t.Errorf("claim %q, missed: %v", r.Claim.Name, r.Claim.Missed)
			}
		})
	}
	// One load without loss is none that all lower ones confirm.
	env := simulated(t, sim.Config{Capacity: 1e6})
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if math.Abs(trial.Intended-7e5) < 1 {
			r.Received--
		}
		return r, err
	}
	if r := run(t, "loss-rate", env, Params{Maximum: 1e6}); r.Value != 1e6 || len(r.Curve) != 2 {
		t.Errorf("two loads in a row lost nothing: value %v of %d points", r.Value, len(r.Curve))
	}
	if r := run(t, "loss-rate", env, Params{Maximum: 1.2e6, Ladder: Ladder{Step: .1}}); r.Value != 960_000 {
		t.Errorf("value %v", r.Value)
	}
	env = simulated(t, sim.Config{Capacity: 1e4})
	if r := run(t, "loss-rate", env, Params{}); r.Value != 0 || r.Upper != 2e4 || len(r.Curve) != 28 || !cmp.Equal(codes(r), []weir.WarningCode{weir.SearchLimit}) {
		t.Errorf("nothing was lossless: value %v below %v, %d points, %v", r.Value, r.Upper, len(r.Curve), r.Warnings)
	}
}

func TestLossRateErrors(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	if _, err := lossRate.Run(t.Context(), env, Params{Ladder: Ladder{Step: 2}}); err == nil || !strings.Contains(err.Error(), "a step of 2") {
		t.Errorf("a step of 2: %v", err)
	}
	env.Ceiling = 0
	if _, err := lossRate.Run(t.Context(), env, Params{}); err == nil || !strings.Contains(err.Error(), "give a maximum") {
		t.Errorf("without a limit: %v", err)
	}
	var nothing *NothingForwardedError
	env = simulated(t, sim.Config{Capacity: 1e6})
	if r, err := lossRate.Run(t.Context(), dead(env, 0), Params{}); !errors.As(err, &nothing) || r[0].Trials != 2 {
		t.Errorf("a DUT that forwards nothing: %v", err)
	}
	// One that collapses at every load of the curve forwards nevertheless.
	if r := run(t, "loss-rate", dead(simulated(t, sim.Config{Capacity: 1e6}), 1e4), Params{}); r.Value != 0 || r.Trials != 29 {
		t.Errorf("a DUT that collapses: value %v of %d trials", r.Value, r.Trials)
	}
}

func TestSoak(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Latency: 20 * time.Microsecond})
	env.Past = []weir.Result{found("throughput", 1e6)}
	r := run(t, "soak", env, Params{})
	if r.Value != 0 || r.Verdict != "clean" || r.TrialSeconds != 60 || r.Latency == nil || r.Ledger.Offered != 54_000_000 || r.Unit != "" {
		t.Errorf("a clean soak: %+v", r)
	}
	if r.Claim.Name != "short soak" {
		t.Errorf("claim %q", r.Claim.Name)
	}

	// Frames are lost at 20 s and at 30.5 to 32.5 s of every trial.
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		r.Received -= 1300
		received := make([]uint32, 60)
		sent := make([]uint32, 60)
		for i := range sent {
			sent[i], received[i] = 900_000, 900_000
		}
		received[20] -= 300
		for i := 30; i < 33; i++ {
			received[i] -= 1000 / 3
		}
		received[32]--
		timeline := weir.NewTimeline(trial.Resolution, sent, received)
		r.Timeline = &timeline
		return r, err
	}
	r = run(t, "soak", env, Params{Trials: 2})
	want := map[string]float64{
		"load": 900_000, "frames lost": 2600, "spans of loss": 4, "longest span of loss": 3,
		"most frames lost in one": 1000, "first loss": 20, "last loss": 93, "resolution": 1,
	}
	for name, v := range want {
		if got := figure(t, r, name); got != v {
			t.Errorf("%s: %v, want %v", name, got, v)
		}
	}
	near(t, "loss ratio", r.Value, 1300/54e6, 1e-12)
	if r.Verdict != "4 events" || r.LossRatio != r.Value || r.Trials != 2 {
		t.Errorf("verdict %q, loss ratio %v, %d trials", r.Verdict, r.LossRatio, r.Trials)
	}
	// At twice the throughput there is one span, from when the buffer is full.
	env = simulated(t, sim.Config{Capacity: 1e6, Buffer: 1_000_000})
	env.Past = []weir.Result{found("throughput", 1e6)}
	r = run(t, "soak", bidirectional(env), Params{Load: 2, Trial: 10 * time.Second, Soak: Soak{Interval: 100 * time.Millisecond}})
	if r.Verdict != "1 event" || figure(t, r, "first loss") != 1 {
		t.Errorf("verdict %q, figures %+v", r.Verdict, r.Figures)
	}
	near(t, "longest span of loss", figure(t, r, "longest span of loss"), 9, 1e-6) // the last frame comes back
	near(t, "loss ratio", r.Value, 9e6/20e6, 1e-9)
}

func TestSoakErrors(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	if _, err := soak.Run(t.Context(), env, Params{}); err == nil || !strings.Contains(err.Error(), "put throughput with loss 0 before") {
		t.Errorf("without a throughput: %v", err)
	}
	env.Past = []weir.Result{found("throughput", 1e6)}
	var nothing *NothingForwardedError
	if _, err := soak.Run(t.Context(), dead(env, 0), Params{}); !errors.As(err, &nothing) {
		t.Errorf("a DUT that forwards nothing: %v", err)
	}
	if _, err := soak.Run(t.Context(), timeless(env), Params{}); !errors.Is(err, errNoTimeline) {
		t.Errorf("a tester without timelines: %v", err)
	}
}

// timeless is a tester that does not say when frames were lost.
func timeless(env Env) Env {
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		r.Timeline = nil
		return r, err
	}
	return env
}
