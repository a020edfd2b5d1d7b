package agent

import (
	"context"
	"time"
)

// Observer is an agent that observes for a time, and reports what it saw.
type Observer[V any] struct{ *Agent }

// Begin observes for a time from now on. What was seen before is forgotten.
func (o Observer[V]) Begin(ctx context.Context, length time.Duration) error {
	return o.Ask(ctx, "begin", length, nil)
}

// Report ends the observation, waits for answers that are still under way, at
// most for their limit, and tells what was seen.
func (o Observer[V]) Report(ctx context.Context) (v V, err error) {
	err = o.Ask(ctx, "report", nil, &v)
	return v, err
}

// observing are the commands of an observer. When it begins, forget is called, and
// work in a goroutine of its own, which returns when it is over. Then report tells
// what was seen.
func observing[V any](forget func(), work func(context.Context), report func() (V, error)) map[string]Command {
	end := func() {}
	return map[string]Command{
		"begin": Do(func(ctx context.Context, length time.Duration) (any, error) {
			end()
			forget()
			ctx, cancel := context.WithTimeout(ctx, length)
			done := make(chan struct{})
			go func() {
				defer close(done)
				work(ctx)
			}()
			end = func() {
				cancel()
				<-done
			}
			return nil, nil
		}),
		"report": Do(func(context.Context, struct{}) (V, error) {
			end()
			return report()
		}),
	}
}

// over reports whether an observation begins nothing new any more: its time is over,
// or somebody wants to know what was seen.
func over(ctx context.Context, now time.Time) bool {
	until, _ := ctx.Deadline()
	return ctx.Err() != nil || !now.Before(until)
}
