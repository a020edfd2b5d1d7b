package agent

import (
	"context"
	"encoding/json"
	"sync"
	"time"
)

// Observer is an agent that observes for a time.
type Observer struct{ *Agent }

// Begin observes for a time from now on. What was seen before is forgotten.
func (o Observer) Begin(ctx context.Context, length time.Duration) error {
	return o.ask(ctx, "begin", length, nil)
}

// observing are the commands of an observer: forget and work are done when it
// begins, and report tells what was seen when work has ended.
func observing(forget func(), work func(*shift), report func() (any, error)) map[string]Command {
	var current *shift
	return map[string]Command{
		"begin": with(func(_ context.Context, length time.Duration) (any, error) {
			current.end()
			forget()
			current = newShift(length, work)
			return nil, nil
		}),
		"report": func(context.Context, json.RawMessage) (any, error) {
			current.end()
			return report()
		},
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
