package campaign

import (
	"context"
	"fmt"
	"time"

	"weir"
)

// restarts reports whether a reset starts the DUT anew.
func restarts(how weir.Reset) bool { return how == weir.Reboot || how == weir.Power }

// restart starts the DUT anew for a run whose plan wants that. One that was just set up
// with its testbed is new.
func (r *run) restart(ctx context.Context) error {
	e := r.plan.Experiment
	if e == nil || !restarts(e.Reset) || r.current.Number == r.fresh || r.current.Number == r.rebuilt {
		return nil
	}
	began := time.Now()
	defer func() { r.began = r.began.Add(time.Since(began)) }() // no time of the method's
	r.fresh = r.current.Number
	if err := r.lab.Restart(ctx, e.Reset); err != nil {
		return &restartError{r.current.Number, err}
	}
	return nil
}

// restartError says that a DUT has not come back. It ends a run; the next one starts it
// anew.
type restartError struct {
	run int
	err error
}

func (e *restartError) Error() string {
	return fmt.Sprintf("start the DUT anew for run %d: %v", e.run, e.err)
}
func (e *restartError) Unwrap() error { return e.err }
