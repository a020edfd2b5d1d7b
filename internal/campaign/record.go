package campaign

import (
	"context"
	"fmt"

	"weir"
)

// recordError says that the store did not take something. It ends a campaign:
// measuring on would measure for nothing.
type recordError struct {
	what string
	err  error
}

func (e *recordError) Error() string { return fmt.Sprintf("record %s: %v", e.what, e.err) }
func (e *recordError) Unwrap() error { return e.err }

// recorded stores each trial the moment it ends, before the DUT settles. One
// that was interrupted is no trial.
func recorded(rec weir.Recorder) link {
	return func(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
		r, err := measure(ctx, t)
		if err != nil {
			return r, err
		}
		r.Attempts = attempt(ctx) // so that the store knows which one counted
		if err := rec.RecordTrial(context.WithoutCancel(ctx), r); err != nil {
			return r, &recordError{fmt.Sprintf("trial %d", r.Trial.Number), err}
		}
		return r, nil
	}
}
