package agent

import (
	"sync"
	"time"
)

// beginning is the request to observe for a time from now on. Agents that
// observe forget with it what they saw before.
type beginning struct {
	For time.Duration `json:"for"`
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
