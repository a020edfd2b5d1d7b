package agent

import (
	"context"
	"sync"
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

// observing are the commands of an observer: forget and work are done when it
// begins, and report tells what was seen when work has ended.
func observing[V any](forget func(), work func(*shift), report func() (V, error)) map[string]Command {
	var current *shift
	return map[string]Command{
		"begin": Do(func(_ context.Context, length time.Duration) (any, error) {
			current.end()
			forget()
			current = newShift(length, work)
			return nil, nil
		}),
		"report": Do(func(context.Context, struct{}) (V, error) {
			current.end()
			return report()
		}),
	}
}

// shift is an observation under way, in a goroutine of its own.
type shift struct {
	until time.Time
	once  sync.Once
	quit  chan struct{} // closed when somebody wants to know now
	done  chan struct{}
}

// newShift runs work for a time. Work returns when over says so.
func newShift(length time.Duration, work func(*shift)) *shift {
	s := &shift{until: time.Now().Add(length), quit: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		work(s)
	}()
	return s
}

// over reports whether nothing new is to be begun.
func (s *shift) over(now time.Time) bool {
	select {
	case <-s.quit:
		return true
	default:
		return !now.Before(s.until)
	}
}

// pause waits until a time, or until somebody wants to know.
func (s *shift) pause(until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.quit:
	}
}

// end waits for the end of the work, which it brings about. It is fine when
// there is none.
func (s *shift) end() {
	if s != nil {
		s.once.Do(func() { close(s.quit) })
		<-s.done
	}
}
