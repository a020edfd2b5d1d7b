package vm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"weir/internal/shell"
)

// slot is one of the machine's shells: its input and output at one port, its errors at
// another. It is connected also when nobody uses it: a shell that waits costs nothing.
type slot struct {
	machine *Machine
	name    string

	mu         sync.Mutex
	both, errs net.Conn
	used       bool
}

// again is how long the machine has to see that a shell was hung up.
const again = 300 * time.Millisecond

// connect connects a slot, which nobody uses until then. It tries until ctx ends, or the
// machine does.
func (s *slot) connect(ctx context.Context) error {
	both, err := s.machine.dialer(s.name)(ctx)
	if err != nil {
		return err
	}
	errs, err := s.machine.dialer(s.name + ".err")(ctx)
	if err != nil {
		return errors.Join(err, both.Close())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.both, s.errs, s.used = both, errs, false
	return nil
}

func (s *slot) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range []net.Conn{s.both, s.errs} {
		if c != nil {
			c.Close()
		}
	}
}

// anew ends the shell of a machine that has started anew; whoever uses it sees that, and
// has it renewed.
func (s *slot) anew() {
	s.mu.Lock()
	unused := !s.used || s.both == nil
	s.used = true
	s.mu.Unlock()
	s.hangUp()
	if unused {
		go s.renew()
	}
}

// Dial is a shell of the machine that nobody uses, as soon as the machine is up: for
// shell.New.
func (m *Machine) Dial(ctx context.Context) (shell.Stream, error) {
	if err := m.until(ctx, m.isUp); err != nil {
		return shell.Stream{}, m.explain(err)
	}
	for {
		if why := m.Err(); why != nil {
			return shell.Stream{}, why
		}
		for _, s := range m.slots {
			s.mu.Lock()
			free := !s.used
			s.used = true
			s.mu.Unlock()
			if free {
				return s.stream(), nil
			}
		}
		select {
		case <-m.ended:
		case <-ctx.Done():
			return shell.Stream{}, fmt.Errorf("wait for a free shell of the machine %s: %w", m.config.Name, context.Cause(ctx))
		case <-time.After(again):
		}
	}
}

// stream is the shell for one that uses it. When that ends the shell does, and the slot
// has another.
func (s *slot) stream() shell.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	var once sync.Once
	both, errs := s.both, s.errs
	born := s.machine.Starts()
	return shell.Stream{
		In: both, Out: both, Err: errs,
		Ended: func() error {
			if s.machine.Starts() != born {
				return fmt.Errorf("the machine %s: %w", s.machine.config.Name, errAnew)
			}
			if why := s.machine.Why(); why != nil {
				return why
			}
			return fmt.Errorf("the machine %s: %w", s.machine.config.Name, errHungUp)
		},
		Close: func() (err error) {
			once.Do(func() {
				for _, c := range []net.Conn{both, errs} {
					if gone := c.Close(); !errors.Is(gone, net.ErrClosed) { // or it has started anew
						err = errors.Join(err, gone)
					}
				}
				go s.renew()
			})
			return err
		},
	}
}

var (
	errHungUp = errors.New("its shell has ended")
	errAnew   = errors.New("it has started anew")
)

// Starts is how often the machine has started anew.
func (m *Machine) Starts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.starts
}

// renew connects a slot anew, however long that takes: one that was given up would be lost
// to the machine for good.
func (s *slot) renew() {
	select {
	case <-s.machine.ended:
		return
	case <-time.After(again):
	}
	_ = s.connect(context.Background()) // only a machine that has ended has no slot any more
	select {
	case <-s.machine.ended: // also while it was connected: Close has hung up what there was before
		s.hangUp()
	default:
	}
}
