package method

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/claim"
)

// profile asks where the DUT's CPUs spend their time at a share of the
// rate that was found last. They are sampled during a trial of its own, because sampling slows
// them down.
//
// The value is the DUT's CPU time for each frame in that trial, the sampling
// included; of several trials the one with the median value is the result.
// Its other figures are the functions with the most samples in themselves, each as a
// share of those in which a CPU was not idle, whatever it did. The stacks of
// calls are with the trial.
var profile = Method{
	Name:     "profile",
	Summary:  "where the DUT's CPUs spend their time at a share of the throughput: the busiest functions, and a flame graph",
	Kind:     Sampled,
	Takes:    []string{"trial", "load"},
	Defaults: profileDefaults,
	Quick:    Params{Trial: time.Second, Trials: 1},
	Needs:    ratesForwarded,
	Lossy:    true,
	Measure:  single(runProfile),
}

// ratesForwarded are the methods that find what the DUT forwards.
var ratesForwarded = []string{throughputName, "mlrsearch", "frmol", "mfr"}

var profileDefaults = Params{Trial: 5 * time.Second, Trials: 1, Load: .9}

// busiest is how many functions are named.
const busiest = 10

func runProfile(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	rate, err := lastRate(env.Past)
	if err != nil {
		return s.result("s"), err
	}
	load := s.params.Load * rate / s.ports()
	err = s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) {
		return s.measure(ctx, weir.Trial{Intended: load, Profile: true})
	})
	sampled := slices.DeleteFunc(slices.Clone(s.trials), func(t weir.TrialResult) bool { return t.Profile == nil || t.Profile.Samples == 0 })
	r := s.result("s")
	if len(sampled) == 0 {
		if err == nil {
			err = &NotApplicableError{s.env.Method.Name, "this testbed does not sample what the DUT's CPUs do; take the lab in network namespaces (testbed: netns)"}
		}
		return r, err
	}
	t := median(sampled, weir.TrialResult.CPUPerFrame)
	r.Value = t.CPUPerFrame()
	r.Lower, r.Upper = bounds(sampled, weir.TrialResult.CPUPerFrame)
	r.LossRatio = t.DUTLoss()
	r.Figures = append(r.Figures, weir.Figure{Name: claim.Load, Value: t.Trial.Intended * s.ports(), Unit: "frames/s"})
	r.Figures = append(r.Figures, profiled(*t.Profile)...)
	s.represent(&r, t)
	addWarnings(&r, s.trials...)
	s.claim(&r)
	return r, err
}

// lastRate is the last of the rates that the DUT forwards, in frames/s over all
// ports.
func lastRate(past []weir.Result) (float64, error) {
	for i := len(past) - 1; i >= 0; i-- {
		if r := past[i]; r.Value > 0 && slices.Contains(ratesForwarded, r.Method) {
			return r.Value, nil
		}
	}
	return 0, errors.New("profile is measured at a share of the rate that the DUT forwards, which is not known: put throughput before it in the plan")
}

// idleFrame is the frame of samples in which a CPU had nothing to do. Not all
// kernels sample that, so how idle it was is no figure: the result's CPU share is.
const idleFrame = "(idle)"

// profiled are the figures of a profile: how many samples there are, and the
// busiest functions.
func profiled(p weir.Profile) []weir.Figure {
	self := make(map[string]uint64)
	var all, idle uint64
	for _, stack := range p.Stacks {
		all += stack.Samples
		if len(stack.Frames) == 0 {
			continue
		}
		if last := stack.Frames[len(stack.Frames)-1]; last == idleFrame {
			idle += stack.Samples
		} else {
			self[last] += stack.Samples
		}
	}
	out := []weir.Figure{{Name: "samples", Value: float64(p.Samples)}}
	if p.Lost > 0 {
		out = append(out, weir.Figure{Name: "samples lost", Value: float64(p.Lost)})
	}
	if all == 0 || all == idle {
		return out
	}
	names := make([]string, 0, len(self))
	for name := range self {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(self[b], self[a]), strings.Compare(a, b)) })
	for _, name := range names[:min(len(names), busiest)] {
		out = append(out, weir.Figure{Name: "self " + name, Value: float64(self[name]) / float64(all-idle)})
	}
	return out
}
