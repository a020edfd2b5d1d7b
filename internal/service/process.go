package service

import (
	"context"
	"fmt"

	"weir"
)

// Process is a program whose end is noticed.
type Process struct {
	*weir.Process
	what  string        // for people
	ended chan struct{} // closed when it has ended
	fault error         // why it did; read when it has
}

// StartProcess starts a program at a host, which has to be a weir.Starter. Messages
// call it what it is for people.
func StartProcess(ctx context.Context, h weir.Host, what string, p weir.Program) (*Process, error) {
	starter, ok := h.(weir.Starter)
	if !ok {
		return nil, fmt.Errorf("start %s: %s cannot run programs beside others", what, h.Name())
	}
	own, err := starter.Start(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", what, err)
	}
	process := &Process{Process: own, what: what, ended: make(chan struct{})}
	go func() {
		defer close(process.ended)
		process.fault = own.Wait()
	}()
	return process, nil
}

// PID is its number.
func (p *Process) PID() int { return p.Process.PID }

// Alive is nil while the program runs. Otherwise it says how it ended, with its
// last lines.
func (p *Process) Alive() error {
	select {
	case <-p.ended:
		return p.End()
	default:
		return nil
	}
}

// End waits for the end of the program, and says how it ended.
func (p *Process) End() error {
	if <-p.ended; p.fault == nil {
		return fmt.Errorf("%s ended by itself", p.what)
	}
	return fmt.Errorf("%s ended: %w", p.what, p.fault)
}
