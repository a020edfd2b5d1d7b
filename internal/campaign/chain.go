package campaign

import (
	"context"

	"weir"
)

// link is something that happens around each trial: it measures by calling measure,
// or does not.
type link func(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error)

// around is a tester with the link around it.
func (l link) around(measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) { return l(ctx, t, measure) }
}

// chain is the tester with all that happens around a trial, the innermost first.
func (r *run) chain(measure weir.Measurer) weir.Measurer {
	for _, l := range []link{
		numbered(r.recording.last), // whatever is reported of a trial has its number
		observed(r.lab.Observe),    // nothing but the sending is between the two samples
		r.gate.gated,               // what was observed is judged
		recorded(r.rec),            // with its warnings, and before anything waits
		r.set,                      // setting the DUT is neither observed nor judged
		r.notified,                 // of trials that are on disk
		settled,                    // the user is notified before the DUT settles
		r.within,                   // the DUT is not set for a trial that has no time left
		r.replayed,                 // a trial on record takes no time and no DUT
		r.entered,                  // by this it is found in the record
	} {
		measure = l.around(measure)
	}
	return measure
}
