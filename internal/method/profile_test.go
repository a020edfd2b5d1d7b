package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/sim"
)

// sampling is env with a tester that samples the DUT's CPUs where it is asked to.
func sampling(env Env, p weir.Profile) Env {
	measure := env.Measure
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if trial.Profile {
			r.Profile = &p
		}
		return r, err
	}
	return env
}

func TestProfile(t *testing.T) {
	p := weir.Profile{Hertz: 997, Samples: 100, Stacks: []weir.Stack{
		{Frames: []string{"[napi]", "napi_poll", "ip_forward"}, Samples: 30},
		{Frames: []string{"(idle)"}, Samples: 20},
		{Frames: []string{"[weir]", "ip_forward"}, Samples: 10},
		{Frames: []string{"[napi]", "napi_poll"}, Samples: 8},
	}}
	for i := range 16 {
		p.Stacks = append(p.Stacks, weir.Stack{Frames: []string{"[napi]", fmt.Sprintf("f%02d", i)}, Samples: 2})
	}
	env := sampling(simulated(t, sim.Config{Capacity: 1e6}), p)
	env.Past = []weir.Result{found("throughput", 8e5)}
	r := run(t, "profile", env, Params{Trial: time.Second})
	// The simulated DUT has one CPU busy for as long as it forwards.
	if math.Abs(r.Value-1e-6) > 1e-9 || r.Unit != "s" || r.CPUPerFrame != r.Value || r.Claim.Name != "profile" || r.LossRatio != 0 {
		t.Errorf("%v %s, %v, claim %q", r.Value, r.Unit, r.CPUPerFrame, r.Claim.Name)
	}
	if r.Basis == nil || r.Trials != 1 {
		t.Errorf("basis %v, %d trials", r.Basis, r.Trials)
	}
	want := []weir.Figure{
		{Name: "load", Value: 720_000, Unit: "frames/s"}, {Name: "samples", Value: 100},
		{Name: "self ip_forward", Value: .5}, {Name: "self napi_poll", Value: .1},
	}
	for i := range 8 {
		want = append(want, weir.Figure{Name: fmt.Sprintf("self f%02d", i), Value: .025})
	}
	want = append(want, weir.Figure{Name: "throughput", Value: 800_000, Unit: "frames/s"})
	if d := cmp.Diff(want, r.Figures); d != "" {
		t.Errorf("figures (-want +got):\n%s", d)
	}
}

// Of several trials the one in the middle counts; what was lost is said.
func TestProfileOfSeveralTrials(t *testing.T) {
	env := sampling(simulated(t, sim.Config{Capacity: 1e6}), weir.Profile{Samples: 3, Lost: 7, Stacks: []weir.Stack{{Frames: []string{"(idle)"}, Samples: 3}}})
	measure, n := env.Measure, 0
	env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		n++
		r.DUTCPU = time.Duration([]int{30, 10, 20}[n-1]) * time.Millisecond
		return r, err
	}
	env.Past = []weir.Result{found("throughput", 1e6)}
	r := run(t, "profile", env, Params{Trial: time.Second, Trials: 3, Load: .5})
	if r.Value != .02/5e5 || r.Lower != .01/5e5 || r.Upper != .03/5e5 {
		t.Errorf("%v between %v and %v", r.Value, r.Lower, r.Upper)
	}
	if lost, ok := r.Figure("samples lost"); !ok || lost != 7 {
		t.Errorf("figures %+v", r.Figures)
	}
}

func TestProfileIsNotApplicable(t *testing.T) {
	env := simulated(t, sim.Config{Capacity: 1e6})
	if _, err := profile.Run(t.Context(), env, Params{}); err == nil {
		t.Error("it was performed without a throughput")
	}
	env.Past = []weir.Result{found("throughput", 1e6)}
	var out *NotApplicableError
	if _, err := profile.Run(t.Context(), env, Params{}); !errors.As(err, &out) {
		t.Errorf("where nothing samples: %v", err)
	}
	for name, p := range map[string]weir.Profile{"no samples": {Hertz: 997}} {
		if _, err := profile.Run(t.Context(), sampling(env, p), Params{}); !errors.As(err, &out) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
