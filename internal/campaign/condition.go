package campaign

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/plan"
)

// conditionError says that the DUT cannot be set to a condition, or did not
// stay in it. It ends a level.
type conditionError struct {
	condition weir.Condition
	err       error
	lost      bool // while it was measured
	several   bool // whether it is one of DUTs side by side, which the error names
}

func (e *conditionError) Error() string {
	switch {
	case e.several && e.lost:
		return fmt.Sprintf("an arm is no longer as it was set up: %v", e.err)
	case e.several:
		return fmt.Sprintf("an arm cannot be set up: %v", e.err)
	case e.lost:
		return fmt.Sprintf("the condition %q has ended, and nothing more is measured under it: %v", e.condition, e.err)
	}
	return fmt.Sprintf("nothing is measured under the condition %q: %v", e.condition, e.err)
}
func (e *conditionError) Unwrap() error { return e.err }

// UndoError says that a condition could not be taken back: nobody knows how the
// DUT is set now. It comes along with the error of a context that was cancelled.
type UndoError struct {
	Condition weir.Condition
	Err       error
}

func (e *UndoError) Error() string {
	return fmt.Sprintf("undo the condition %q: %v", e.Condition, e.Err)
}
func (e *UndoError) Unwrap() error { return e.Err }

// labState is the testbed as it is, and how its DUT is set.
type labState struct {
	lab            Lab
	bed            plan.Testbed                    // that is set up
	rebuilt        int                             // number of the run that it was set up for last
	fresh          int                             // number of the run that its DUT was started anew for last
	applied        bool                            // whether the DUT is set to its condition
	hasManualSteps bool                            // whether a person sets any level of the campaign
	byHand         string                          // the level that a person has set it to; "": none
	asked          bool                            // whether that was in this process: otherwise somebody may have set it since
	touched        bool                            // by a command of the user's, which may have started the DUT anew
	undo           func(ctx context.Context) error // of the condition; nil: nothing
}

// labRules are what a lab has to be able to for a part of a plan.
var labRules = []struct {
	name  string
	check func(plan.Plan, Lab) weir.Problems // what it cannot do, and what to do
}{
	{"events can happen", func(p plan.Plan, l Lab) weir.Problems { return p.Impossible(l.Events) }},
	{"levels can be set", func(p plan.Plan, l Lab) (out weir.Problems) {
		for _, level := range p.Levels {
			out = append(out, weir.When(l.Apply == nil && !level.Condition.IsZero(), "the testbed %s cannot set the DUT to %q", p.Testbed.Kind, level.Condition).Advise("leave the level %q out, or take another testbed", level.Name)...)
		}
		return out[:min(1, len(out))]
	}},
	{"the testbed can be set up anew", func(p plan.Plan, l Lab) weir.Problems {
		anew := p.Experiment != nil && (p.Experiment.Reset == weir.Rebuild || slices.ContainsFunc(p.Levels, func(l plan.Level) bool { return l.Testbed != nil }))
		return weir.When(anew && l.Rebuild == nil, "the testbed %s cannot be set up anew between runs", p.Testbed.Kind).Advise("take runs: {reset: reapply}, and leave the factor testbed out")
	}},
	{"the DUT can be started anew", func(p plan.Plan, l Lab) weir.Problems {
		return weir.When(p.Experiment != nil && restarts(p.Experiment.Reset) && l.Restart == nil, "the DUT of the testbed %s cannot be started anew between runs", p.Testbed.Kind).Advise("take runs: {reset: %s}", weir.Reapply)
	}},
	{"the tester can be measured alone", func(p plan.Plan, l Lab) weir.Problems {
		alone := slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.Method.Name == plan.SelfTest })
		return weir.When(alone && !l.SelfTest, "the testbed %s cannot measure its tester without the DUT", p.Testbed.Kind).Advise("leave the method %s out", plan.SelfTest)
	}},
}

// refuse says what of a part of the plan cannot be done in this lab or, however it goes,
// will not earn the claims that it asks for.
func (r *run) refuse() error {
	for _, rule := range labRules {
		if found := rule.check(r.plan, r.lab); found != nil {
			return found
		}
	}
	if r.lab.Prompt == nil && r.plan.Questions() > 0 {
		return ErrNobody
	}
	return r.plan.Unearnable()
}

// set sets the DUT to the condition of the level before its first trial, unless
// that goes without the DUT. Trials that are recorded already need no DUT.
func (r *run) set(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	if err := r.rebuild(ctx); err != nil {
		return weir.TrialResult{}, err
	}
	if !r.applied && !t.Bypass {
		if err := r.restart(ctx); err != nil {
			return weir.TrialResult{}, err
		}
		if err := r.apply(ctx); err != nil {
			return weir.TrialResult{}, err
		}
	}
	res, err := measure(ctx, t)
	if err != nil && ctx.Err() == nil && r.undo != nil && r.lab.Holds != nil {
		if gone := r.lab.Holds(); gone != nil {
			return res, &conditionError{r.level.Condition, gone, true, len(r.build) > 1}
		}
	}
	return res, err
}

func (r *run) apply(ctx context.Context) error {
	r.applied = true
	began := time.Now()
	defer func() { r.began = r.began.Add(time.Since(began)) }() // no time of the method's
	if err := r.setByHand(ctx); err != nil {
		return err
	}
	all := r.conditions()
	if slices.ContainsFunc(all, func(c weir.Condition) bool { return !c.IsZero() }) {
		undo, err := r.lab.Apply(ctx, all...)
		if err != nil {
			return r.notSet(err)
		}
		r.undo = undo
		r.touched = r.touched || r.commanded()
	}
	if r.touched && r.lab.Answers != nil {
		if err := r.lab.Answers(ctx); err != nil {
			return r.notSet(fmt.Errorf("no frame gets through the box: %w", err))
		}
	}
	r.touched = false
	return nil
}

func (r *run) notSet(err error) error {
	return &conditionError{condition: r.level.Condition, err: err, several: len(r.build) > 1}
}

// commanded reports whether the level is set by commands of the user's.
func (r *run) commanded() bool {
	return slices.ContainsFunc(r.conditions(), func(c weir.Condition) bool {
		return slices.ContainsFunc(c.Tunings(), weir.Tuning.Commanded)
	})
}

// revertCondition undoes the condition of the level. An error ends the campaign: nobody
// knows then how the DUT is set.
func (r *run) revertCondition(ctx context.Context) error {
	undo := r.undo
	r.undo = nil
	if undo == nil {
		return nil
	}
	r.touched = r.touched || r.commanded()
	if err := undo(context.WithoutCancel(ctx)); err != nil {
		return &UndoError{Condition: r.level.Condition, Err: err}
	}
	return nil
}
