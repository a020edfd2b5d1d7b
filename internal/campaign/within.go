package campaign

import (
	"context"
	"time"

	"weir"
	"weir/internal/plan"
)

// within refuses a trial that would end after the step's time. What the steps
// of a simulated campaign would take counts as if it had passed, and nothing else: it
// finds the same on a machine that is busy.
func (r *run) within(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	spent := r.inStep
	if !r.lab.Manifest.Simulated {
		spent = max(spent, time.Since(r.began))
	}
	if r.limit > 0 && spent+r.plan.TrialCost(t.Length()) > r.limit {
		return weir.TrialResult{}, plan.ErrOutOfTime
	}
	return measure(ctx, t)
}

// unfinished is the result of a step that ran out of time, with a warning.
func unfinished(r weir.Result, limit time.Duration) weir.Result {
	sentence := weir.Say("the search was cut short after %d trials in its %v, between %.0f and %.0f frames/s; give it more time (within) in the plan", r.Trials, limit, r.Lower, r.Upper)
	if r.Unit != "frames/s" {
		sentence = weir.Say("only %d trials fitted into the %v of the plan", r.Trials, limit)
	}
	r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: weir.SearchLimit, Sentence: sentence})
	return r
}
