package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"weir"
	"weir/internal/service"
)

// Place is where an agent runs.
type Place struct {
	Host weir.Host // has to be a weir.Starter
	CPUs []int     // none: where commands of the host do
	Env  []string  // NAME=VALUE, beside weir's own
	Self string    // weir's own program there; "": this one
	// Quiet is how long it may say nothing while it does what it is asked to, which it
	// says twice a second; 0: as long as it likes.
	Quiet time.Duration
}

// Agent is a role that is played in a process of its own. Its methods can be
// called from several goroutines; the requests are done one after the other.
type Agent struct {
	*service.Process
	what    string // its role, and where it plays that
	answers chan answer
	turn    chan struct{} // held by the one who asks
	last    int           // request
	limit   time.Duration // how long it may say nothing while it does something
	silent  atomic.Bool   // it has said nothing for longer
	much    atomic.Bool   // an answer of it had no end
	stop    sync.Once
	stopped error
}

// Start starts a role and waits until it is open. What the role tells then is read
// into value, unless that is nil. The agent lives no longer than the host or weir
// itself.
func Start(ctx context.Context, at Place, role string, settings, value any) (*Agent, error) {
	what := role + " at " + at.Host.Name()
	self, err := at.Self, error(nil)
	if self == "" {
		self, err = Self()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", what, err)
	}
	p, err := service.StartProcess(ctx, at.Host, what, weir.Program{Argv: []string{self, Verb, role}, CPUs: at.CPUs, Env: at.Env})
	if err != nil {
		return nil, err
	}
	a := &Agent{Process: p, what: what, answers: make(chan answer), turn: make(chan struct{}, 1), limit: cmp.Or(at.Quiet, math.MaxInt64)}
	go a.listen()
	if err := a.Ask(ctx, open, settings, value); err != nil {
		return nil, errors.Join(err, a.Stop(ctx))
	}
	return a, nil
}

// Verb is the command of weir's that plays a role: the first argument, before the
// name of the role.
const Verb = "agent"

// Play has a task done, and reads what comes of it into value, unless that is
// nil.
func Play(ctx context.Context, at Place, role string, settings, value any) error {
	a, err := Start(ctx, at, role, settings, value)
	if err != nil {
		return err
	}
	return a.Stop(ctx)
}

// startRole starts a role of this package. None of them is busy: one thread disturbs
// least.
func startRole(ctx context.Context, at Place, role string, settings any) (*Agent, error) {
	at.Env = append([]string{"GOMAXPROCS=1"}, at.Env...)
	return Start(ctx, at, role, settings, nil)
}

// listen takes the agent's answers until there are no more.
func (a *Agent) listen() {
	defer close(a.answers)
	defer io.Copy(io.Discard, a.Stdout)
	bounded := &io.LimitedReader{R: a.Stdout}
	for lines := json.NewDecoder(bounded); ; {
		var one answer
		bounded.N = mostAnswer
		if lines.Decode(&one) != nil {
			if bounded.N <= 0 {
				a.much.Store(true)
				a.Stdout.Close()
			}
			return
		}
		a.answers <- one
	}
}

// mostAnswer bounds an answer, octets: the largest is a trial's timeline of a million steps.
const mostAnswer = 64 << 20

// Ask has the agent do something and waits for its answer, which is read into
// value, unless that is nil. The error is the agent's own, the cause of ctx, or
// says how its process ended.
func (a *Agent) Ask(ctx context.Context, do string, with, value any) error {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if a.silent.Load() {
		return a.Alive()
	}
	what := a.what
	if do != open {
		what += ": " + do
	}
	a.last++
	q := request{ID: a.last, Do: do}
	if with != nil {
		raw, err := json.Marshal(with)
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		q.With = raw
	}
	if err := json.NewEncoder(a.Stdin).Encode(q); err != nil {
		return a.End()
	}
	quiet := newSilence(a.limit)
	defer quiet.tick.Stop()
	for {
		select {
		case one, more := <-a.answers:
			switch {
			case !more && a.much.Load():
				return fmt.Errorf("%s answers with more than %d MiB, which is its mistake", what, mostAnswer>>20)
			case !more:
				return a.End()
			case one.Going:
				quiet.parts = 0
				continue
			case one.ID != q.ID: // to somebody who did not wait for it
				continue
			case one.Error != "":
				return fmt.Errorf("%s: %s", what, one.Error)
			case value == nil:
				return nil
			}
			return json.Unmarshal(one.Value, value)
		case <-quiet.tick.C:
			if quiet.ends() {
				a.silent.Store(true)
				return a.Alive()
			}
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, context.Cause(ctx))
		}
	}
}

// silence is how long nothing was heard, in parts of a limit. A part for which this process had
// no CPU is none: what had been said meanwhile could not be heard, and on the same machine not
// be said.
type silence struct {
	tick  *time.Ticker
	each  time.Duration
	last  time.Time // when the last tick was seen
	parts int
}

// silentParts is into how many parts a limit is divided.
const silentParts = 10

func newSilence(limit time.Duration) *silence {
	each := max(limit/silentParts, 1)
	return &silence{tick: time.NewTicker(each), each: each, last: time.Now()}
}

// ends takes a tick, and reports whether the limit has passed with it.
func (s *silence) ends() bool {
	now := time.Now()
	if now.Sub(s.last) < 2*s.each {
		s.parts++
	}
	s.last = now
	return s.parts >= silentParts
}

// Alive is nil while the agent's process runs and answers. Otherwise it says how it ended,
// or that it is silent.
func (a *Agent) Alive() error {
	if err := a.Process.Alive(); err != nil || !a.silent.Load() {
		return err
	}
	return fmt.Errorf("%s has said nothing for %v: was it stopped, or is its machine or the way there gone?", a.what, a.limit)
}

// How long an agent may take to end when it is asked, and one that says nothing any more.
const (
	stopLimit   = 20 * time.Second
	silentLimit = 100 * time.Millisecond
)

// Stop ends the agent. It is no error that it had ended.
func (a *Agent) Stop(ctx context.Context) error {
	a.stop.Do(func() {
		limit := stopLimit
		if a.silent.Load() {
			limit = silentLimit
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		defer cancel()
		a.Stdin.Close()
		go func() {
			for range a.answers { // somebody did not wait for them
			}
		}()
		a.stopped = a.Process.Stop(ctx)
		if errors.Is(a.stopped, os.ErrProcessDone) { // which a busy machine has noticed late
			a.stopped = nil
		}
	})
	return a.stopped
}
