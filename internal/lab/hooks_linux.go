package lab

import (
	"context"
	"slices"
	"time"

	"weir"
	"weir/internal/telemetry"
)

// hook does something beside a trial: it begins right before the frames
// are sent, and finish, after they were, adds what it found to the result. A
// trial that it has nothing to do with has no finish.
type hook func(context.Context, weir.Trial) (finish func(*weir.TrialResult), err error)

// together is several hooks as one. They finish in the reverse of the
// order in which they begin. A trial without the DUT has none.
func together(hooks ...hook) hook {
	return func(ctx context.Context, t weir.Trial) (func(*weir.TrialResult), error) {
		if t.Bypass {
			return nil, nil
		}
		var finishes []func(*weir.TrialResult)
		finish := func(r *weir.TrialResult) {
			for _, f := range slices.Backward(finishes) {
				f(r)
			}
		}
		for _, begin := range hooks {
			f, err := begin(ctx, t)
			if err != nil {
				finish(&weir.TrialResult{Trial: t})
				return nil, err
			}
			if f != nil {
				finishes = append(finishes, f)
			}
		}
		return finish, nil
	}
}

// idle notes how much of its CPUs the DUT left to others, who might want them
// for its control plane. Where the tester works on one of them it is not known.
func idle(bed watchedBed) hook {
	cpus := bed.CPUs()
	shared := slices.ContainsFunc(cpus.DUT, func(c int) bool {
		return slices.Contains(cpus.Generator, c) || slices.Contains(cpus.Receiver, c)
	})
	return func(ctx context.Context, _ weir.Trial) (func(*weir.TrialResult), error) {
		if shared {
			return nil, nil
		}
		its, err := bed.Bound()
		if err != nil {
			return nil, err
		}
		before, err := telemetry.ReadCPUs(ctx, bed.TesterHost(), its)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		return func(r *weir.TrialResult) {
			took := time.Since(began)
			after, err := telemetry.ReadCPUs(context.WithoutCancel(ctx), bed.TesterHost(), its)
			if err != nil {
				return // not known
			}
			// Before the first frame and after the last one all of it was left.
			around := max(0, took-r.Sending) * time.Duration(len(its))
			r.DUTIdle = max(0, after.Idle-before.Idle-around)
		}, nil
	}
}
