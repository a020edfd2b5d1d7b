package dut

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"weir"
	"weir/internal/settings"
)

// Programs are those of tunings that stay and forward. Who made them is told when
// one ends that was not asked to.
type Programs struct {
	mu      sync.Mutex
	running []*weir.Process
	gone    []error
}

// Alive is why programs have ended that were to stay; nil where none has, or there
// can be none.
func (p *Programs) Alive() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.gone...)
}

// watch notes the end of a program, until it is asked to stop; ended is closed then.
func (p *Programs) watch(one *weir.Process, line string) (ended <-chan struct{}) {
	p.mu.Lock()
	p.running = append(p.running, one)
	p.mu.Unlock()
	over := make(chan struct{})
	go func() {
		err := one.Wait()
		defer close(over)
		p.mu.Lock()
		defer p.mu.Unlock()
		if !slices.Contains(p.running, one) {
			return
		}
		if err == nil {
			err = errors.New("it ended by itself, without an error")
		}
		p.gone = append(p.gone, fmt.Errorf("the program %q was to stay and forward: %w", line, err))
	}()
	return over
}

// stop ends a program, and forgets what became of it.
func (p *Programs) stop(ctx context.Context, one *weir.Process) error {
	p.mu.Lock()
	p.running = slices.DeleteFunc(p.running, func(o *weir.Process) bool { return o == one })
	p.gone = nil // of a DUT that is as it was again
	p.mu.Unlock()
	return one.Stop(ctx)
}

// startup is how long a program has to show that it stays: one that misses its
// arguments is gone by then.
const startup = 300 * time.Millisecond

func checkProgram(ctx context.Context, at target, t weir.Tuning) error {
	if _, err := at.Host.Run(ctx, "", "sh", "-n", "-c", t.Value); err != nil {
		return fmt.Errorf("%q is no command line: %w", t.Value, err)
	}
	return nil
}

// setProgram starts a program of the user's at the DUT, with all that it starts
// itself. It is the DUT from then on, or a part of it.
func setProgram(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	host, ok := at.Host.(weir.Starter)
	if !ok || at.Programs == nil {
		return &weir.UnsupportedError{Feature: "programs that stay at this DUT", Remedy: "take a command that ends"}
	}
	one, err := host.Start(ctx, weir.Program{Argv: append(environment(at.DUT, t), "sh", "-c", t.Value), CPUs: at.CPUs, Family: true})
	if err != nil {
		return err
	}
	go io.Copy(io.Discard, one.Stdout) // it would wait for somebody to read that
	ended := at.Programs.watch(one, t.Value)
	undo.Add(func(ctx context.Context) error { return at.Programs.stop(ctx, one) })
	select {
	case <-time.After(startup):
		return nil
	case <-ended:
		return at.Programs.Alive()
	case <-ctx.Done():
		return ctx.Err()
	}
}
