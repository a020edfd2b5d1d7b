package workload

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"weir"
	"weir/internal/endhost"
)

const (
	// readyLimit is how long a part may take until it listens.
	readyLimit = 10 * time.Second
	// partStopLimit is how long a part may take to end when it is asked.
	partStopLimit = 2 * time.Second
	// blameLimit is how long the end of a server is waited for.
	blameLimit = 300 * time.Millisecond
	// partGrace is how much longer than it was told a part may take.
	partGrace = 20 * time.Second
)

// server is a part of weir's own program that serves at an end, on a port.
type server struct {
	port    int
	process *weir.Process
	what    string
	ended   chan struct{} // closed when it has ended
	fault   error         // why; read when it has
}

// serve starts a part that listens at the serving end of a job, and waits until
// it does.
func (j *job) serve(ctx context.Context, part string, port int) (*server, error) {
	at := j.serving()
	s := &server{port: port, what: "weir's part " + part + " at " + at.Host.Name(), ended: make(chan struct{})}
	var err error
	s.process, err = j.start(ctx, at, part, endhost.Listen{Address: j.address(at), Port: port})
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(s.ended)
		s.fault = s.process.Wait()
	}()
	lines := bufio.NewReader(s.process.Stdout)
	said := make(chan string, 1)
	go func() {
		line, _ := lines.ReadString('\n')
		said <- line
		io.Copy(io.Discard, lines)
	}()
	limit := time.NewTimer(readyLimit)
	defer limit.Stop()
	select {
	case line := <-said:
		var l endhost.Listening
		if json.Unmarshal([]byte(line), &l) == nil && l.Ready {
			return s, nil
		}
		select { // it has said on its standard error why not
		case <-s.ended:
			err = s.alive()
		case <-limit.C:
			err = fmt.Errorf("%s said %q", s.what, line)
		}
	case <-limit.C:
		err = fmt.Errorf("%s does not listen after %v", s.what, readyLimit)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, errors.Join(err, s.stop(ctx))
}

// start starts a part at an end.
func (j *job) start(ctx context.Context, at End, part string, settings any) (*weir.Process, error) {
	raw, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	starter, ok := at.Host.(weir.Starter)
	if !ok {
		return nil, fmt.Errorf("start weir's part %s: %s cannot run programs beside others", part, at.Host.Name())
	}
	p, err := starter.Start(ctx, weir.Program{Argv: []string{j.self, "end", part, endhost.FromInput}, CPUs: at.CPUs, Env: []string{endhost.Env}})
	if err != nil {
		return nil, err
	}
	if _, err := p.Stdin.Write(append(raw, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("start weir's part %s: %w", part, err), end(ctx, p))
	}
	return p, nil
}

// alive is nil while the server runs. Otherwise it says how it ended, with its
// last lines.
func (s *server) alive() error {
	select {
	case <-s.ended:
	default:
		return nil
	}
	if s.fault == nil {
		return fmt.Errorf("%s ended by itself", s.what)
	}
	return fmt.Errorf("%s ended: %s", s.what, spoken(s.fault))
}

// blamed is the end of the server when that is what a client's error comes from.
// The client may know of it first.
func (s *server) blamed(err error) error {
	select {
	case <-s.ended:
		return s.alive()
	case <-time.After(blameLimit):
		return err
	}
}

// stop ends the server.
func (s *server) stop(ctx context.Context) error {
	return end(ctx, s.process)
}

// end ends a part: it is asked to, and killed when it does not.
func end(ctx context.Context, p *weir.Process) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), partStopLimit)
	defer cancel()
	p.Stdin.Close()
	err := p.Stop(limited)
	p.Stdout.Close()
	return err
}

// spoken is what a part said of its fault, without the command that it is.
func spoken(err error) string {
	text := err.Error()
	if _, after, ok := strings.Cut(text, ": exit status "); ok {
		if _, said, ok := strings.Cut(after, ": "); ok {
			return strings.TrimPrefix(said, "weir: ")
		}
	}
	if _, after, ok := strings.Cut(text, ": signal: "); ok {
		return "signal: " + after
	}
	return text
}

// ask has the asking end of a job play a part to its end, and reads what it says
// into found. It is given up when a server that it needs has ended.
func (j *job) ask(ctx context.Context, limit time.Duration, part string, settings, found any, needs ...*server) error {
	for _, s := range needs {
		if err := s.alive(); err != nil {
			return err
		}
	}
	outer := ctx
	ctx, cancel := context.WithTimeoutCause(ctx, limit+partGrace, fmt.Errorf("weir's part %s did not end after %v", part, limit+partGrace))
	defer cancel()
	p, err := j.start(ctx, j.asking(), part, settings)
	if err != nil {
		return err
	}
	ctx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	for _, s := range needs {
		go func() {
			select {
			case <-s.ended:
				broken(s.alive())
			case <-ctx.Done():
			}
		}()
	}
	said, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		text, _ := io.ReadAll(p.Stdout)
		said <- string(text)
		ended <- p.Wait()
	}()
	select {
	case err = <-ended:
	case <-ctx.Done():
		end(ctx, p)
		if outer.Err() != nil {
			return fmt.Errorf("weir's part %s was stopped", part)
		}
		return context.Cause(ctx)
	}
	p.Stdin.Close()
	p.Stdout.Close()
	text := <-said
	if err != nil {
		return fmt.Errorf("weir's part %s at %s: %s", part, j.asking().Host.Name(), spoken(err))
	}
	if err := json.Unmarshal([]byte(text), found); err != nil {
		return fmt.Errorf("read what the part %s says: %w: %q", part, err, text)
	}
	return nil
}
