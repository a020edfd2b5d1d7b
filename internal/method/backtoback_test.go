package method

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
)

// The longest burst of the model is buffer / (1 - capacity / rate) frames.
func TestBackToBackFindsTheTruth(t *testing.T) {
	for name, tt := range map[string]struct {
		dut    sim.Config
		medium float64
		change func(Env) Env
		params Params
		rate   float64 // of the bursts, frames/s over all ports
		trials int     // at most, for each repetition
	}{
		"as fast as the tester can": {sim.Config{Capacity: 1e6, Buffer: 5000}, 0, nil, Params{}, 20e6, 25},
		"at line rate":              {sim.Config{Capacity: 1e6, Buffer: 5000}, 1_488_095, nil, Params{}, 1_488_095, 25},
		"in both directions":        {sim.Config{Capacity: 1e6, Buffer: 5000}, 1_488_095, bidirectional, Params{}, 2_976_190, 25},
		"nearly the line rate":      {sim.Config{Capacity: 1.48e6, Buffer: 2000}, 1_488_095, nil, Params{Trial: 10 * time.Second}, 1_488_095, 25},
		"a small buffer":            {sim.Config{Capacity: 1e4, Buffer: 64}, 14_880_952, nil, Params{Trials: 2}, 14_880_952, 30},
		"a large buffer":            {sim.Config{Capacity: 1e5, Buffer: 1e6}, 1_488_095, nil, Params{Trials: 2}, 1_488_095, 25},
		"finer":                     {sim.Config{Capacity: 1e6, Buffer: 1e5}, 0, nil, Params{Width: .0005}, 20e6, 30},
		"livelock":                  {sim.Config{Capacity: 1e6, Buffer: 5000, Livelock: .3}, 1_488_095, nil, Params{}, 1_488_095, 25},
	} {
		t.Run(name, func(t *testing.T) {
			env := simulated(t, tt.dut)
			env.MediaRate = tt.medium
			if tt.change != nil {
				env = tt.change(env)
			}
			p := backToBack.Params(tt.params)
			r := run(t, "back-to-back", env, tt.params)
			capacity := tt.dut.Capacity * (1 - tt.dut.Livelock*(tt.rate/tt.dut.Capacity-1))
			truth := float64(tt.dut.Buffer) / (1 - capacity/tt.rate)
			if r.Value > truth+1e-9 || r.Value < truth*(1-p.Width)-env.ports()*2 || r.Lower != r.Value || r.Upper != r.Value {
				t.Errorf("value %v between %v and %v, want %v", r.Value, r.Lower, r.Upper, truth)
			}
			near(t, "rate of the bursts", figure(t, r, burstRate), tt.rate, tt.rate*1e-3)
			near(t, "longest burst tried", figure(t, r, "longest burst tried"), tt.rate*p.Trial.Seconds(), 2)
			if figure(t, r, claim.Repetitions) != float64(p.Trials) || figure(t, r, claim.BurstDeviation) != 0 || r.Unit != "frames" || r.LossRatio != 0 {
				t.Errorf("figures %+v", r.Figures)
			}
			if r.Trials > tt.trials*p.Trials {
				t.Errorf("%d trials for %d repetitions", r.Trials, p.Trials)
			}
			if float64(r.Ledger.Offered) != r.Value || r.Ledger.Received != r.Ledger.Offered || len(r.Warnings) > 0 {
				t.Errorf("ledger %+v, warnings %v", r.Ledger, r.Warnings)
			}
		})
	}
}

func (e Env) ports() float64 { return float64(e.Traffic.Ports()) }

// Repetitions of a DUT that is not always the same differ.
func TestBackToBackRepetitions(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 5000, Noise: .02, Seed: 4})
	env.MediaRate = 1_488_095
	r := run(t, "back-to-back", env, Params{Trials: 20})
	truth := 5000 / (1 - 1e6/1_488_095)
	if !(r.Lower < r.Value && r.Value < r.Upper) || figure(t, r, claim.ShortestBurst) != r.Lower || figure(t, r, claim.LongestBurst) != r.Upper {
		t.Errorf("value %v between %v and %v", r.Value, r.Lower, r.Upper)
	}
	near(t, "mean", r.Value, truth, .05*truth)
	// 2 % of the capacity are 4 % of what the rate has beyond it.
	if d := figure(t, r, claim.BurstDeviation); d < .005*truth || d > .06*truth {
		t.Errorf("standard deviation %v of %v", d, r.Value)
	}
}

func TestBackToBackAtTheEdges(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 2e6, Buffer: 10})
	env.MediaRate = 1_488_095
	r := run(t, "back-to-back", env, Params{Trials: 2})
	if d := cmp.Diff([]weir.WarningCode{weir.SearchLimit}, codes(r)); d != "" || r.Value != 2*1_488_095 || r.Trials != 2 {
		t.Errorf("a DUT that forwards at line rate: value %v of %d trials, warnings %v", r.Value, r.Trials, r.Warnings)
	}
	if missed := strings.Join(r.Claim.Missed, "\n"); !strings.Contains(missed, "no burst lost a frame") {
		t.Errorf("claim %q misses only:\n%s", r.Claim.Name, missed)
	}
	env = simulated(t, sim.Config{Capacity: 1e6, Buffer: 100})
	env.MediaRate = 148_809_524
	if r := run(t, "back-to-back", env, Params{Trials: 1}); !cmp.Equal(codes(r), []weir.WarningCode{weir.TesterLimited}) {
		t.Errorf("a medium beyond the tester: warnings %v", r.Warnings)
	}
	// Without a buffer not even one frame waits; nor does it have to.
	r = run(t, "back-to-back", simulated(t, sim.Config{Capacity: 1e6}), Params{Trials: 1})
	if r.Value != 0 || r.Claim.Name == "RFC 2544 back-to-back" || !cmp.Equal(codes(r), []weir.WarningCode{weir.SearchLimit}) {
		t.Errorf("without a buffer: value %v, claim %q, warnings %v", r.Value, r.Claim.Name, r.Warnings)
	}
}

func TestBackToBackErrors(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 100})
	var nothing *NothingForwardedError
	if r, err := backToBack.Run(t.Context(), dead(env, 0), Params{}); !errors.As(err, &nothing) || r[0].Trials != 2 {
		t.Errorf("a DUT that forwards nothing: %v", err)
	}
	broken := errors.New("link down")
	e := env
	e.Measure = failing(broken)
	if _, err := backToBack.Run(t.Context(), e, Params{}); !errors.Is(err, broken) {
		t.Errorf("a trial that fails: %v", err)
	}
	e = env
	e.Ceiling = 0
	if _, err := backToBack.Run(t.Context(), e, Params{}); !errors.Is(err, errNoTop) {
		t.Errorf("without a limit: %v", err)
	}
	if r := run(t, "back-to-back", e, Params{Maximum: 2e6, Trials: 1}); r.Value < 198 || r.Value > 200 {
		t.Errorf("at the plan's maximum: %v", r.Value)
	}
	if _, err := backToBack.Run(t.Context(), env, Params{Width: 3}); err == nil || !strings.Contains(err.Error(), "width 3") {
		t.Errorf("a width of 3: %v", err)
	}
	// What was found is kept: here the first of three repetitions.
	once := run(t, "back-to-back", env, Params{Trials: 1})
	ctx, cancel := context.WithCancel(t.Context())
	measure, n := env.Measure, 0
	e = env
	e.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if n++; n == once.Trials+3 {
			cancel()
		}
		return measure(ctx, trial)
	}
	r, err := backToBack.Run(ctx, e, Params{Trials: 3})
	if !errors.Is(err, context.Canceled) || r[0].Value != once.Value || figure(t, r[0], claim.Repetitions) != 1 || r[0].Trials != once.Trials+2 {
		t.Errorf("cancelled: %v and %+v", err, r[0])
	}
}

// With the throughput known the buffer itself is found.
func TestBufferOfRFC9004(t *testing.T) {
	for name, tt := range map[string]struct {
		medium, ceiling float64
		change          func(Env) Env
		rate            float64
	}{
		"at line rate":              {1_488_095, sim.Ceiling, nil, 1_488_095},
		"in both directions":        {1_488_095, sim.Ceiling, bidirectional, 2_976_190},
		"as fast as the tester can": {0, sim.Ceiling, nil, 20e6},
		"a medium beyond that":      {148_809_524, sim.Ceiling, nil, 20e6},
	} {
		t.Run(name, func(t *testing.T) {
			env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 5000})
			env.MediaRate, env.Ceiling = tt.medium, tt.ceiling
			if tt.change != nil {
				env = tt.change(env)
			}
			env.Past = []weir.Result{found("throughput", 1e6)}
			residual := time.Duration(0)
			measure := env.Measure
			env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
				residual = trial.Waits.Residual
				return measure(ctx, trial)
			}
			r := run(t, "rfc9004-back-to-back", env, Params{})
			burst := 5000 / (1 - 1e6/tt.rate)
			near(t, "burst", r.Value, burst, .01*burst)
			near(t, "implied buffer time", figure(t, r, "implied buffer time"), burst/tt.rate, .01*burst/tt.rate)
			near(t, "corrected buffer time", figure(t, r, claim.CorrectedBuffer), 5000/tt.rate, .01*5000/tt.rate)
			near(t, "corrected buffer", figure(t, r, "corrected buffer"), 5000, 50)
			near(t, "rate", figure(t, r, burstRate), tt.rate, 1e-3*tt.rate)
			if figure(t, r, claim.Throughput) != 1e6 || residual != depletion {
				t.Errorf("throughput %v, wait %v", figure(t, r, claim.Throughput), residual)
			}
		})
	}
	figures := buffers(26_000, 14_880_952, 14_000_000)
	near(t, "implied buffer time", figures[0].Value, 26_000/14_880_952., 1e-12)
	near(t, "corrected buffer time", figures[1].Value, 26_000/14_880_952.*(1-14/14.880952), 1e-9)
}

// A DUT that forwards less under bursts than its throughput has a larger buffer than
// RFC 9004's formula makes of it, and that is said.
func TestBufferUnderLivelock(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 5000, Livelock: .5})
	env.MediaRate = 1_488_095
	env.Past = []weir.Result{found("throughput", 1e6)}
	r := run(t, "rfc9004-back-to-back", env, Params{})
	near(t, "buffer by that rate", figure(t, r, "buffer by that rate"), 5000, 250)
	if by := figure(t, r, "corrected buffer"); by > 4500 {
		t.Errorf("the formula has %v frames: there is nothing to warn of", by)
	}
	if !cmp.Equal(codes(r), []weir.WarningCode{weir.FormulaDoesNotHold}) {
		t.Errorf("warnings %v", r.Warnings)
	}
}

func TestBufferErrors(t *testing.T) {
	past := func(rate float64) Env {
		env := simulated(t, sim.Config{Capacity: 1e6, Buffer: 100})
		env.Past = []weir.Result{found("throughput", rate)}
		return env
	}
	lineRate := past(148_810)
	lineRate.MediaRate = 148_810
	almost := past(148_000) // a search need not find all of it
	almost.MediaRate = 148_810
	for want, env := range map[string]Env{
		"put throughput with loss 0 before it":          simulated(t, sim.Config{Capacity: 1e6}),
		"the throughput is all that the medium carries": lineRate,
		"the longest that was tried, lost nothing":      almost,
	} {
		if _, err := buffer.Run(t.Context(), env, Params{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	var nothing *NothingForwardedError
	if _, err := buffer.Run(t.Context(), dead(past(1e6), 0), Params{}); !errors.As(err, &nothing) {
		t.Errorf("a DUT that forwards nothing: %v", err)
	}
}
