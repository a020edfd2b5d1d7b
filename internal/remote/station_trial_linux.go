package remote

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/netif"
	"weir/internal/tester"
)

const (
	patience  = 200 * time.Millisecond // how long who asks whether all is sent waits for that
	aliveEach = time.Second            // how often ports that receive say that they are there
)

// prepare gets ready to send a trial in one direction.
func (s *station) prepare(ctx context.Context, trial weir.Trial) (a tester.Announcement, err error) {
	if err := s.cancel(); err != nil { // of a trial that nobody waits for any more
		return a, err
	}
	s.out, a, err = s.xdp.Prepare(ctx, trial)
	return a, err
}

// order settles when its frames leave.
func (s *station) order(_ context.Context, o ordering) (a tester.Announcement, err error) {
	if s.out == nil {
		return a, errors.New("no trial was prepared")
	}
	if s.carriers, err = s.changes(); err != nil {
		return a, err
	}
	s.ordered = o.Mark
	return s.out.Order(o.At, o.Mark, o.Back)
}

// send begins to send them, and returns.
func (s *station) send(ctx context.Context) error {
	if s.out == nil || s.sending != nil {
		return errors.New("no trial was ordered, or one is being sent")
	}
	ctx, s.stop = context.WithCancel(ctx)
	out, done := s.out, make(chan error, 1)
	s.sending = done
	go func() { done <- out.Send(ctx) }()
	return nil
}

// sent waits a moment for the end of sending.
func (s *station) sent(context.Context, struct{}) (p progress, err error) {
	if s.sending == nil {
		return p, errors.New("nothing is sent")
	}
	select {
	case err := <-s.sending:
		s.sending = nil
		s.stop()
		return progress{Over: true, Frames: s.out.Frames()}, err
	case <-time.After(patience):
		return p, s.look()
	}
}

// bypass begins a trial of this machine alone, without the DUT, and returns.
func (s *station) bypass(ctx context.Context, trial weir.Trial) error {
	if err := s.cancel(); err != nil {
		return err
	}
	ctx, s.stop = context.WithCancel(ctx)
	done := make(chan error, 1)
	s.sending = done
	go func() {
		var err error
		s.alone, err = s.xdp.Measure(ctx, trial)
		done <- err
	}()
	return nil
}

// bypassed waits a moment for its end.
func (s *station) bypassed(context.Context, struct{}) (b bypassed, err error) {
	if s.sending == nil {
		return b, errors.New("nothing is sent")
	}
	select {
	case err := <-s.sending:
		s.sending = nil
		s.stop()
		return bypassed{true, s.alone}, err
	case <-time.After(patience):
		return b, nil
	}
}

// cancel ends sending, and waits for that.
func (s *station) cancel() error {
	s.stop()
	if s.sending != nil {
		<-s.sending // what it says of a trial that was given up is of no use
		s.sending = nil
	}
	s.out = nil
	return nil
}

// departed says what was sent.
func (s *station) departed(ctx context.Context, a arriving) (d tester.Departure, err error) {
	if s.out == nil || s.sending != nil {
		return d, errors.New("no trial was sent")
	}
	d, err = s.out.Departed(ctx, a.Frames, a.Back)
	if err == nil {
		err = s.look()
	}
	return d, err
}

// expect gets ready to receive a trial.
func (s *station) expect(_ context.Context, e expecting) (any, error) {
	return nil, s.xdp.Expect(e.Trial, e.Announced)
}

// listen receives it from now on.
func (s *station) listen(_ context.Context, e expecting) (_ any, err error) {
	if s.expected = e; s.ordered != e.Announced.Mark {
		s.out = nil // of an earlier trial
	}
	if s.carriers, err = s.changes(); err != nil {
		return nil, err
	}
	if err := s.look(); err != nil {
		return nil, err
	}
	return nil, s.xdp.Listen(e.Trial, e.Announced, e.Ahead)
}

// Arrived is what a side has received.
type Arrived struct {
	Arrival  tester.Arrival `json:"arrival"`
	Warnings []weir.Warning `json:"warnings,omitempty"`
}

// await waits for so many frames, at most for the trial's residual time.
func (s *station) await(ctx context.Context, frames uint64) (a Arrived, err error) {
	e := s.expected
	if a.Arrival, err = s.xdp.Await(ctx, e.Trial, frames, e.Announced); err != nil {
		return a, err
	}
	a.Warnings = s.xdp.Slow(e.Trial)
	return a, s.look()
}

// look is an error when a port has lost its carrier in the trial. Ports say that they are
// there meanwhile, so that no switch forgets those that only receive.
func (s *station) look() error {
	now, err := s.changes()
	for i, port := range s.bed.TestPorts() {
		if err != nil && i == len(now) || i < len(now) && i < len(s.carriers) && now[i] != s.carriers[i] {
			return fmt.Errorf("port %s lost its carrier in the middle of a trial: is its cable loose, or was the box restarted?", port.Tester)
		}
		if time.Since(s.said) > aliveEach && s.out == nil {
			s.alive.Say(i)
		}
	}
	if time.Since(s.said) > aliveEach {
		s.said = time.Now()
	}
	return err
}

// changes are how often each port's link has gone or come.
func (s *station) changes() (out []int, err error) {
	err = s.bed.Tester.Do(func() error {
		for _, port := range s.bed.TestPorts() {
			n, err := netif.CarrierChanges(port.Tester)
			if err != nil {
				return err
			}
			out = append(out, n)
		}
		return nil
	})
	return out, err
}
