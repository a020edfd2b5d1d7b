package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"weir"
	"weir/internal/plan"
)

// mostFailures is how many runs in a row may find nothing before a campaign is
// given up: the DUT does not come back.
const mostFailures = 3

// runs makes the runs of an experiment, round by round.
func (r *run) runs(ctx context.Context) error {
	e := r.plan.Experiment
	for round := 1; ; round++ {
		if (round-1)*e.Round() >= r.replicates() {
			r.current, r.build = weir.Run{}, nil
			return nil
		}
		all := r.plan.Together(round)
		for i, cells := range all {
			if err := r.atRun(ctx, cells); err != nil {
				return err
			}
			if endsBlock(all, i) {
				if err := r.blockDone(ctx, cells[0].Run.Block); err != nil {
					return err
				}
			}
		}
		if err := r.sized(ctx, round*e.Round()); err != nil {
			return err
		}
	}
}

// replicates is how many there will be, as far as is known.
func (r *run) replicates() int {
	if n := r.campaign.Manifest.Experiment.Runs; n > 0 {
		return n
	}
	return r.plan.Experiment.Replicates()
}

// atRun makes one run, or all of a block whose arms are side by side: the levels
// are set, and all methods performed. The error is one that ends the campaign; what
// else went wrong is noted.
func (r *run) atRun(ctx context.Context, cells []plan.Cell) error {
	t, level := cells[0].Traffic, sharedLevel(cells)
	if r.unfit[plan.TrafficKey(t)] {
		return nil
	}
	if err := r.between(ctx, level); err != nil {
		return err
	}
	r.current, r.build = cells[0].Run, cells
	r.at(level)
	failures, found := len(r.failed), len(r.campaign.Results)
	err := r.atSize(ctx, t)
	var condition *conditionError
	var down *restartError
	if (errors.As(err, &condition) && !condition.several || errors.As(err, &down)) && ctx.Err() == nil {
		r.fail(err)
		err = nil
	}
	if err != nil {
		return err
	}
	if r.plan.Experiment.Reset != weir.NoReset {
		if err := r.revertCondition(ctx); err != nil {
			return err
		}
		r.applied = false
	}
	if len(r.failed) == failures || len(r.campaign.Results) > found {
		r.failures = 0
	} else if r.failures++; r.failures == mostFailures {
		return fmt.Errorf("%d runs in a row found nothing, and no more are made: mend what is said of them, then go on with weir run --resume", mostFailures)
	}
	return nil
}

// between takes the level of the run before back, unless it is to stay.
func (r *run) between(ctx context.Context, next plan.Level) error {
	same := next.Condition.Equal(r.level.Condition) && next.Testbed == r.level.Testbed
	if r.applied && same && r.plan.Experiment.Reset == weir.NoReset {
		return nil
	}
	err := r.revertCondition(ctx)
	r.applied = false
	return err
}

// rebuild sets the testbed up for a run: anew where the plan wants that, or
// because the run before had another one.
func (r *run) rebuild(ctx context.Context) error {
	wanted := r.plan.Testbed
	if r.level.Testbed != nil {
		wanted = *r.level.Testbed
	}
	if len(r.build) > 1 {
		wanted.Arms = len(r.build)
	}
	anew := r.plan.Experiment != nil && r.plan.Experiment.Reset == weir.Rebuild && r.current.Number != r.rebuilt
	if !anew && wanted.Like(r.bed) {
		return nil
	}
	lab, err := r.lab.Rebuild(ctx, wanted)
	if err != nil {
		return &rebuildError{r.current.Number, err}
	}
	r.rebuilt, r.bed = r.current.Number, wanted
	r.lab.CPUs, r.lab.LinkRate = lab.CPUs, lab.LinkRate
	r.gate.cpus, r.gate.link = lab.CPUs, lab.LinkRate
	return nil
}

// rebuildError says that a testbed could not be set up again. It ends a
// campaign: there is nothing left to measure.
type rebuildError struct {
	run int
	err error
}

func (e *rebuildError) Error() string {
	return fmt.Sprintf("set the testbed up for run %d: %v", e.run, e.err)
}
func (e *rebuildError) Unwrap() error { return e.err }

// entered says of each trial to which run and to which step it belongs.
func (r *run) entered(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	t.Run, t.Step, t.Again = r.current.Number, r.key, r.recording.now.again
	return measure(ctx, t)
}

// Refused says what levels of a plan, with its parts, a lab cannot set. It changes
// nothing.
func Refused(ctx context.Context, p plan.Plan, lab Lab) error {
	var errs []error
	for _, part := range p.Parts() {
		for i, l := range part.Levels {
			if lab.Cannot == nil || slices.ContainsFunc(part.Levels[:i], func(o plan.Level) bool { return o.Condition.Equal(l.Condition) }) {
				continue
			}
			if err := lab.Cannot(ctx, l.Condition); err != nil {
				errs = append(errs, fmt.Errorf("the level %q cannot be set here: %w", l.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}
