package vm

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// resetEvent is how QEMU says that the machine has begun to start anew.
const resetEvent = "RESET"

// mostStarts is how often a machine may start anew until it says that it is alive: its
// firmware does so once or twice by itself, a kernel that panics each time.
const mostStarts = 5

// told notes what QEMU says of itself. A machine that starts anew has none of its shells
// any more, and what it said before says nothing of it now.
func (m *Machine) told(event string) {
	switch event {
	case stopEvent:
		m.stopped()
		return
	case resetEvent:
	default:
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starts++
	m.beat = time.Time{}
	if m.beats != nil {
		m.beats.Close()
		m.beats = nil
	}
	m.tell()
	switch {
	case m.config.Silent:
	case m.starts-m.lived > mostStarts:
		if m.why == nil {
			m.why = m.said(fmt.Errorf("it has started anew %d times without getting up, and was ended", mostStarts))
		}
		m.qemu.kill()
	default:
		go m.comesBack(m.starts)
	}
}

// stopEvent is what QEMU says when it stops a machine that it cannot run on. Nobody else
// asks for that.
const stopEvent = "STOP"

// errStopped says that KVM has met an instruction that it cannot emulate, as one within
// another hypervisor does (the run state "internal-error" of QEMU's).
var errStopped = errors.New("QEMU has stopped it: KVM cannot run it here")

// stopped ends a machine that QEMU has stopped.
func (m *Machine) stopped() {
	m.mu.Lock()
	if m.why == nil {
		m.why = m.said(errStopped)
	}
	m.mu.Unlock()
	m.qemu.kill()
}

// comesBack has a machine that has begun its nth start have its shells again, unless it
// begins another one. Its ports have no link until they are plugged in.
func (m *Machine) comesBack(n int) {
	m.again.Lock()
	defer m.again.Unlock()
	ctx, cancel := context.WithTimeoutCause(context.Background(), m.config.Limit, m.late())
	defer cancel()
	if m.Starts() != n {
		return
	}
	err := m.Plug(ctx, false)
	for _, s := range m.slots {
		s.anew()
	}
	if err == nil {
		err = m.hear(ctx)
	}
	if err == nil {
		err = m.until(ctx, func() bool { return m.starts != n || m.isUp() })
	}
	if err == nil {
		return
	}
	m.mu.Lock()
	if m.why == nil {
		m.why = m.said(fmt.Errorf("it started anew, and was ended: %w", err))
	}
	m.mu.Unlock()
	m.qemu.kill()
}

// Plug gives the machine's ports their links, or takes them away. One that starts has none
// until it is plugged in: QEMU would keep the frames that come until the machine takes
// them, and they would arrive seconds late.
func (m *Machine) Plug(ctx context.Context, in bool) error {
	for i := range m.config.Ports {
		if err := m.qmp.link(ctx, i, in); err != nil {
			return err
		}
	}
	return nil
}

// Reset starts the machine anew, as its reset button does, and waits until its shells
// answer. Its ports have no link then.
func (m *Machine) Reset(ctx context.Context) error {
	m.mu.Lock()
	next := m.starts + 1
	m.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, m.config.Limit, m.late())
	defer cancel()
	var err error
	if !m.config.Silent { // which nobody would plug in again
		err = m.Plug(ctx, false)
	}
	if err == nil {
		err = m.qmp.do(ctx, "system_reset", nil)
	}
	if err == nil {
		err = m.until(ctx, func() bool { return m.starts >= next && (m.config.Silent || m.isUp()) })
	}
	if err != nil {
		return m.explain(err)
	}
	return nil
}

// isUp reports whether the machine has said that it is alive since it started last. It is
// asked with mu held.
func (m *Machine) isUp() bool { return !m.beat.IsZero() }

// tell wakes those who wait for something of the machine. It is called with mu held.
func (m *Machine) tell() {
	close(m.news)
	m.news = make(chan struct{})
}

// until waits for something of the machine, which is asked with mu held.
func (m *Machine) until(ctx context.Context, is func() bool) error {
	for {
		m.mu.Lock()
		now, news := is(), m.news
		m.mu.Unlock()
		if now {
			return nil
		}
		select {
		case <-news:
		case <-m.ended:
			return errEnded
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errEnded = errors.New("QEMU has ended")

// ErrOff is why a machine has ended of which the power was taken away.
var ErrOff = errors.New("its power is off")

// PowerOff ends the machine as pulling its plug does.
func (m *Machine) PowerOff() error { return m.end(ErrOff) }
