package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"weir"
	"weir/internal/plan"
)

// stopped notes a method that found nothing forwarded, and probes once more:
// where the DUT forwards nothing still, that is the end of this traffic, which
// is in the message with the steps that are left.
func (r *run) stopped(ctx context.Context, t weir.Traffic, found error, left []plan.Step) (end bool, err error) {
	after := fmt.Sprintf("probe after %s, begun %d times before", r.key, r.recording.now.again)
	name := r.method
	r.begin(t.Name, "probe", 0, 0)
	r.key = after
	err = r.forwards(ctx, t)
	r.method = name
	var still *silentError
	switch {
	case errors.As(err, &still):
		text := found.Error()
		if len(left) > 0 {
			text += "; not measured after that: " + stepNames(left)
		}
		r.fail(r.named(&silentError{text, still.details}))
		return true, nil
	case err != nil:
		r.fail(r.named(found))
		if len(left) > 0 {
			err = fmt.Errorf("%w; not measured after that: %s", err, stepNames(left))
		}
		if r.fatal(ctx, err) {
			return true, err
		}
		r.fail(err)
		return true, nil
	}
	r.fail(r.named(found))
	return false, nil
}

// notMeasured says which levels are left when a campaign ends early by itself.
func (r *run) notMeasured(ctx context.Context, left []plan.Level) error {
	if len(left) == 0 || ctx.Err() != nil {
		return nil
	}
	var names []string
	for _, l := range left {
		names = append(names, l.Name)
	}
	return fmt.Errorf("not measured after that: the level %s", strings.Join(names, ", the level "))
}

func stepNames(steps []plan.Step) string {
	var names []string
	for _, s := range steps {
		names = append(names, s.Method.Name)
	}
	return strings.Join(names, ", ")
}
