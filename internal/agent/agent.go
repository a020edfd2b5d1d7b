package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"weir"
)

// Place is where an agent runs.
type Place struct {
	Host weir.Host // has to be a weir.Starter
	CPUs []int     // none: where weir may run
}

// Agent is a role that is played in a process of its own. Its methods can be
// called from several goroutines; the requests are done one after the other.
type Agent struct {
	role    string
	process *weir.Process
	answers chan answer
	turn    chan struct{} // held by the one who asks
	last    int           // request
	stop    sync.Once
	stopped error
}

// start starts a role and waits until it is ready. It lives no longer than the
// host or weir itself.
func start(ctx context.Context, at Place, role string, settings any) (*Agent, error) {
	starter, ok := at.Host.(weir.Starter)
	if !ok {
		return nil, fmt.Errorf("play %s: %s cannot run programs beside others", role, at.Host.Name())
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("play %s: find weir's own program: %w", role, err)
	}
	p, err := starter.Start(ctx, weir.Program{Argv: []string{self, "agent", role}, CPUs: at.CPUs,
		Env: []string{"GOMAXPROCS=1"}}) // no role is busy: one thread disturbs least
	if err != nil {
		return nil, err
	}
	a := &Agent{role: role, process: p, answers: make(chan answer), turn: make(chan struct{}, 1)}
	go a.listen()
	if err := a.ask(ctx, open, settings, nil); err != nil {
		return nil, errors.Join(err, a.Stop(context.WithoutCancel(ctx)))
	}
	return a, nil
}

// listen takes the agent's answers until there are no more.
func (a *Agent) listen() {
	defer close(a.answers)
	defer io.Copy(io.Discard, a.process.Stdout)
	for lines := json.NewDecoder(a.process.Stdout); ; {
		var one answer
		if lines.Decode(&one) != nil {
			return
		}
		a.answers <- one
	}
}

// ask has the agent do something and waits for its answer, unless value is nil
// to be read into value. The error is the agent's own, that of ctx, or says how
// its process ended.
func (a *Agent) ask(ctx context.Context, do string, with, value any) error {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	a.last++
	q := request{ID: a.last, Do: do}
	if with != nil {
		raw, err := json.Marshal(with)
		if err != nil {
			return fmt.Errorf("ask %s to %s: %w", a.role, do, err)
		}
		q.With = raw
	}
	if err := json.NewEncoder(a.process.Stdin).Encode(q); err != nil {
		return a.ended()
	}
	for {
		select {
		case one, open := <-a.answers:
			switch {
			case !open:
				return a.ended()
			case one.ID != q.ID: // to somebody who did not wait for it
				continue
			case one.Error != "":
				return fmt.Errorf("%s: %s: %s", a.role, do, one.Error)
			case value == nil:
				return nil
			}
			return json.Unmarshal(one.Value, value)
		case <-ctx.Done():
			return fmt.Errorf("%s: %s: %w", a.role, do, ctx.Err())
		}
	}
}

// ended is why there is no answer.
func (a *Agent) ended() error {
	if err := a.process.Wait(); err != nil {
		return fmt.Errorf("the agent %q ended: %w", a.role, err)
	}
	return fmt.Errorf("the agent %q ended", a.role)
}

// stopLimit is how long an agent may take to end when it is asked.
const stopLimit = 5 * time.Second

// Stop ends the agent. It is no error that it had ended.
func (a *Agent) Stop(ctx context.Context) error {
	a.stop.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, stopLimit)
		defer cancel()
		a.process.Stdin.Close()
		go func() {
			for range a.answers { // somebody did not wait for them
			}
		}()
		a.stopped = a.process.Stop(ctx)
	})
	return a.stopped
}
