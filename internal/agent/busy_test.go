package agent

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weir"
)

// SetQuiet sets how long an agent may say nothing from now on.
func (a *Agent) SetQuiet(limit time.Duration) { a.limit = limit }

// inside is a host whose programs are roles of this process.
type inside struct {
	weir.Host
	roles map[string]Role
}

func (inside) Name() string { return "here" }

func (h inside) Start(_ context.Context, p weir.Program) (*weir.Process, error) {
	in, ask := io.Pipe()
	answer, out := io.Pipe()
	ended := make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		defer out.Close()
		failed = Run(context.Background(), h.roles, p.Argv[2], in, out)
	}()
	wait := func() error { <-ended; return failed }
	return &weir.Process{Stdin: ask, Stdout: answer, Wait: wait, Stop: func(ctx context.Context) error {
		select {
		case <-ended:
			return failed
		case <-ctx.Done():
			out.Close() // as when it is killed
			return errors.New("it did not end")
		}
	}}, nil
}

// A time for which this process had no CPU is no silence of an agent.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSilence(silentParts * time.Second)
		defer s.tick.Stop()
		for part := range silentParts {
			if part == 3 {
				time.Sleep(time.Hour)
				if s.ends() {
					t.Error("an hour without CPU was taken for silence")
				}
			}
			time.Sleep(time.Second)
			if got, want := s.ends(), part == silentParts-1; got != want {
				t.Errorf("after %d parts: %t", part+1, got)
			}
		}
	})
}

// An agent that is busy is waited for, and one that says nothing is not, nor for its end.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := Opening(func(context.Context, struct{}) (Opened, error) {
			return Opened{Commands: map[string]Command{
				"sleep": Do(func(_ context.Context, d time.Duration) (any, error) { time.Sleep(d); return nil, nil }),
			}}, nil
		})
		const quiet = 2 * time.Second
		host := inside{roles: map[string]Role{"slow": slow}}
		a, err := Start(t.Context(), Place{Host: host, Quiet: quiet}, "slow", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Ask(t.Context(), "sleep", time.Hour, nil); err != nil || a.Alive() != nil {
			t.Errorf("one that is busy: %v, %v", err, a.Alive())
		}
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		// Before it says that it is going on:
		a, err = Start(t.Context(), Place{Host: host, Quiet: goingEach / 2}, "slow", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := time.Now()
		err = a.Ask(t.Context(), "sleep", time.Minute, nil)
		if took := time.Since(asked); err == nil || !strings.Contains(err.Error(), "slow at here has said nothing for 250ms") || took != goingEach/2 || a.Alive() == nil {
			t.Errorf("one that says nothing, after %v: %v; %v", took, err, a.Alive())
		}
		ending := time.Now()
		if err := a.Stop(t.Context()); err == nil || time.Since(ending) != silentLimit {
			t.Errorf("it ended after %v: %v", time.Since(ending), err)
		}
		time.Sleep(time.Minute) // no goroutine sleeps on
	})
}
