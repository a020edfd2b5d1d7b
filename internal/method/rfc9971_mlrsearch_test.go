package method

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/claim"
	"weir/internal/sim"
)

// numbered counts the trials, from 1, as a campaign does.
func numbered(e Env) Env {
	measure, n := e.Measure, 0
	e.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		n++
		trial.Number = n
		return measure(ctx, trial)
	}
	return e
}

func TestMLRSearchFindsTheTruth(t *testing.T) {
	const full = 1.051 // s, of which ten trials decide a sum of 21 s
	dut := sim.Config{Capacity: 1e6, Buffer: 256, Latency: 20 * time.Microsecond, Livelock: .05}
	for name, change := range map[string]func(Env) Env{"one way": func(e Env) Env { return e }, "both ways": bidirectional} {
		env := numbered(change(simulated(t, dut)))
		results, err := mlrSearch.Run(t.Context(), env, Params{})
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: %d results, %v", name, len(results), err)
		}
		for i, loss := range []float64{0, .005} {
			r, truth := results[i], limitOf(dut, loss, 1)
			if r.Lower > truth+2 || r.Upper < truth-2 || r.Upper-r.Lower > .005*r.Upper*(1+1e-9) {
				t.Errorf("%s, loss %v: bounds %v and %v, and the truth is %v", name, loss, r.Lower, r.Upper, truth)
			}
			if r.Value > r.Lower || r.Value < r.Lower*(1-loss) || math.Abs(r.Value-float64(r.Ledger.Received)/full) > 2 {
				t.Errorf("%s, loss %v: value %v at %v, ledger %+v", name, loss, r.Value, r.Lower, r.Ledger)
			}
			want := weir.Result{
				Method: "mlrsearch", Claim: weir.Claim{Name: "MLRsearch goal 1s/21s/" + []string{"0", "0.5"}[i] + " %/50 %"}, Simulated: true,
				Factors: weir.Factors{"frame_size": 64}, Unit: "frames/s", LossRatio: loss, ExceedRatio: .5, Width: .005, TrialSeconds: 1, Sum: 21,
				MeanSize: 64, First: 1, Last: r.Trials, Trials: results[0].Trials, SearchTime: r.SearchTime,
			}
			got := weir.Result{
				Method: r.Method, Claim: weir.Claim{Name: r.Claim.Name}, Simulated: r.Simulated,
				Factors: r.Factors, Unit: r.Unit, LossRatio: r.LossRatio, ExceedRatio: r.ExceedRatio, Width: r.Width, TrialSeconds: r.TrialSeconds, Sum: r.Sum,
				MeanSize: r.MeanSize, First: r.First, Last: r.Last, Trials: r.Trials, SearchTime: r.SearchTime,
				Irregular: r.Irregular, Verdict: r.Verdict, Warnings: r.Warnings,
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s, loss %v (-want +got):\n%s", name, loss, d)
			}
			if math.Abs(r.SearchTime-full*float64(r.Trials)) > 2*full { // with an overload
				t.Errorf("%s, loss %v: %v s for %d trials", name, loss, r.SearchTime, r.Trials)
			}
			if r.Latency == nil || r.Latency.N != r.Ledger.Received || r.CPUShare < .49 {
				t.Errorf("%s, loss %v: latency %+v and a CPU share of %v are not of the trial at the bound", name, loss, r.Latency, r.CPUShare)
			}
		}
	}
}

// Where half of the time may exceed the loss, noise does not pull the result
// to the least capacity, as the sum of trials says.
func TestMLRSearchWithNoise(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6, Noise: .02, Seed: 5})
	results, err := mlrSearch.Run(t.Context(), env, Params{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if math.Abs(r.Value-1e6) > .02e6 || r.Irregular || !slices.Contains(codes(r), weir.NoisyResult) {
			t.Errorf("loss %v: value %v, warnings %v", r.LossRatio, r.Value, codes(r))
		}
	}
}

func TestMLRSearchAtTheEdges(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	env.MediaRate = 1.004e6 // the stricter goal fails there, the other one does not
	results, err := mlrSearch.Run(t.Context(), env, Params{})
	if err != nil {
		t.Fatal(err)
	}
	if r := results[0]; r.Irregular || r.Upper > 1.004e6 || r.Lower > 1e6 || r.Value != r.Lower {
		t.Errorf("the goal that was met below the maximum: %+v", r)
	}
	r := results[1]
	if !r.Irregular || r.Lower != 1.004e6 || r.Upper != r.Lower || math.Abs(r.Value-1e6) > 1 || r.Claim.Name != "MLRsearch goal 1s/21s/0.5 %/50 %, irregular" {
		t.Errorf("the goal that was met at the maximum: %+v", r)
	}
	if d := cmp.Diff([]weir.WarningCode{weir.SearchLimit}, codes(r)); d != "" || !strings.Contains(r.Warnings[0].Text, limitMedium) {
		t.Errorf("warnings %v:\n%s", r.Warnings, d)
	}

	results, err = mlrSearch.Run(t.Context(), simulated(t, sim.Config{Capacity: 1e4}), Params{Minimum: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !r.Irregular || r.Value != 0 || r.Lower != 0 || r.Upper != 20_000 || r.Ledger.Offered != 21_020 {
			t.Errorf("below the minimum: %+v", r)
		}
		if d := cmp.Diff([]weir.WarningCode{weir.SearchLimit}, codes(r)); d != "" {
			t.Errorf("warnings below the minimum:\n%s", d)
		}
	}
}

func TestMLRSearchQuickAndByTheBook(t *testing.T) {
	quick := mlrSearch.Quickly(mlrSearch.Params(Params{}))
	book := mlrSearch.ByTheBook(Params{})
	for name, tt := range map[string]struct {
		params Params
		claims []string
		within float64
		trials map[time.Duration]bool
	}{
		"quick":    {quick, []string{"MLRsearch goal 0.2s/0.6s/0 %/50 %", "MLRsearch goal 0.2s/0.6s/0.5 %/50 %"}, .02, map[time.Duration]bool{200 * time.Millisecond: true}},
		"the book": {book, []string{"MLRsearch goal 60s/60s/0 %/0 %", "MLRsearch goal 60s/120s/0 %/50 %"}, .005, map[time.Duration]bool{time.Second: true, time.Minute: true}},
	} {
		env := simulated(t, sim.Config{Capacity: 1e6})
		durations := make(map[time.Duration]bool)
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			if trial.Purpose == mlrName {
				durations[trial.Duration] = true
			}
			return measure(ctx, trial)
		}
		results, err := mlrSearch.Run(t.Context(), env, tt.params)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			if r.Claim.Name != tt.claims[i] || math.Abs(r.Value-1e6) > tt.within*1e6 {
				t.Errorf("%s: %v frames/s are called %q, want %q", name, r.Value, r.Claim.Name, tt.claims[i])
			}
		}
		if d := cmp.Diff(tt.trials, durations); d != "" {
			t.Errorf("%s: durations of trials (-want +got):\n%s", name, d)
		}
	}
}

// The search begins a little above what was found before.
func TestMLRSearchStartsFromThePast(t *testing.T) {
	env := bidirectional(simulated(t, sim.Config{Capacity: 1e6}))
	measure, first := env.Measure, 0.
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if first == 0 {
			first = trial.Intended
		}
		return measure(ctx, trial)
	}
	if _, err := mlrSearch.Run(t.Context(), env, Params{}); err != nil || first != sim.Ceiling {
		t.Errorf("with nothing known the first load is %v, %v", first, err)
	}
	first, env.Past = 0, []weir.Result{found("frmol", 9e5)}
	if _, err := mlrSearch.Run(t.Context(), env, Params{}); err != nil || first < 4.5e5 || first > 4.59e5 {
		t.Errorf("with a forwarding rate of 450,000 frames/s per port the first load is %v, %v", first, err)
	}
}

func TestMLRSearchErrors(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	var nothing *NothingForwardedError
	if _, err := mlrSearch.Run(t.Context(), dead(env, 0), Params{}); !errors.As(err, &nothing) {
		t.Errorf("a DUT that forwards nothing: %v", err)
	}
	if _, err := mlrSearch.Run(t.Context(), env, Params{MLR: MLR{Goals: []Goal{{Final: time.Second}}}}); err == nil || !strings.Contains(err.Error(), "goal 1: goal duration sum 0s") {
		t.Errorf("a goal without a duration sum: %v", err)
	}
	env.Ceiling = 0
	if _, err := mlrSearch.Run(t.Context(), env, Params{}); !errors.Is(err, errNoTop) {
		t.Errorf("without a maximum: %v", err)
	}
}

func TestMLRSearchCancelled(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	ctx, cancel := context.WithCancel(t.Context())
	measure, n := env.Measure, 0
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		if n++; n == 20 {
			cancel()
		}
		return measure(ctx, trial)
	}
	results, err := mlrSearch.Run(ctx, env, Params{})
	if err != context.Canceled || len(results) != 2 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	for _, r := range results {
		if r.Verdict != claim.NotEnded || r.Claim.Name != claim.NotEnded || r.Irregular || r.Trials != 19 {
			t.Errorf("after %d trials: verdict %q, claim %q", r.Trials, r.Verdict, r.Claim.Name)
		}
	}
}
