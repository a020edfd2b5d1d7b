package campaign

import (
	"context"
	"time"

	"weir"
)

// EventKind is the kind of an Event.
type EventKind int

// The events of a campaign.
const (
	SelfTestBegins  EventKind = iota // the tester alone, for Event.Level
	MethodBegins                     // Event.Method at Event.Level
	TrialDone                        // Event.Trial was measured and recorded
	ResultDone                       // Event.Result was found and recorded
	MethodFailed                     // Event.Err kept Event.Method at Event.Level, or all of the level, from a result
	MethodLeftOut                    // Event.Err says why Event.Method does not apply at Event.Level
	BlocksDisturbed                  // Event.Err says why the last blocks of runs do not count
	LeftByHand                       // the campaign is at its end, and the DUT is left set to Event.Left
)

// Event is something that happened in a campaign.
type Event struct {
	Kind     EventKind
	Level    string            // name of the frame size or mix
	Under    string            // name of the level of the plan; "" where there is one only
	Method   string            //
	Run      weir.Run          // of an experiment
	Runs     int               // of an experiment, as far as is known
	Trial    *weir.TrialResult // of TrialDone
	Result   *weir.Result      // of ResultDone
	Err      error             // of MethodFailed, MethodLeftOut and BlocksDisturbed
	Left     string            // the level that a person has set the DUT to; of LeftByHand
	Replayed bool              // whether it was recorded before the campaign was interrupted; of ResultDone
	Spent    time.Duration     // of the budget: the worst case of what was done, and what the step under way took
	Budget   time.Duration     // worst case of all of the plan
}

// Progress is given what happens, while nothing is measured; nil is nobody.
type Progress func(Event)

// notified reports each trial, and begins none after the user has interrupted.
func (r *run) notified(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	if err := ctx.Err(); err != nil {
		return weir.TrialResult{}, err
	}
	res, err := measure(ctx, t)
	if err == nil {
		r.campaign.Trials = append(r.campaign.Trials, res)
		r.inStep += r.plan.TrialCost(t.Length())
		r.report(Event{Kind: TrialDone, Trial: &res})
	}
	return res, err
}

// report completes an event with how far the campaign is.
func (r *run) report(e Event) {
	if r.progress == nil {
		return
	}
	e.Level, e.Method = r.size, r.method
	if len(r.plan.Levels) > 1 {
		e.Under = r.level.Name
	}
	if e.Kind == ResultDone && len(r.build) > 1 {
		e.Under = r.current.Arm
	}
	if r.plan.Experiment != nil {
		e.Run, e.Runs = r.current, r.replicates()*r.plan.PerReplicate()
	}
	e.Spent, e.Budget = r.spent+min(r.inStep, r.ofStep), r.worst
	r.progress(e)
}
