package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"weir"
)

// Place is where a daemon runs.
type Place struct {
	Host weir.Host // has to be a weir.Starter
	CPUs []int     // none: where weir may run
	// Folder is below which a daemon keeps its files, at the host; "": with the
	// temporary files. They go when the daemon is stopped.
	Folder string
}

// program is a daemon's program.
type program struct {
	name   string
	of     string // what it is, for people
	source string // the package of Debian and Ubuntu that has it
	config string // what its configuration file holds
	// argv are its arguments in a folder that holds the file "config".
	argv func(folder string) []string
	env  func(folder string) []string // nil: none
}

// service is a daemon that runs.
type service struct {
	program
	at      Place
	path    string // of the program
	folder  string // of its own, at the host
	process *weir.Process
	ended   chan struct{} // closed when the process has ended
	fault   error         // why it did; read when it has
}

// find is a program at a host. Daemons lie where not every user's PATH leads.
const find = `PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"; command -v "$0"`

// start starts a daemon. The error is a *weir.UnsupportedError when it is not
// installed.
func start(ctx context.Context, at Place, p program) (*service, error) {
	path, err := at.Host.Run(ctx, "", "sh", "-c", find, p.name)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &weir.UnsupportedError{Feature: p.of + " (" + p.name + ")", Remedy: "install the package " + p.source}
	}
	command := []string{"mktemp", "-d", "-t", "weir-" + p.name + "-XXXXXX"}
	if at.Folder != "" {
		if _, err := at.Host.Run(ctx, "", "mkdir", "-p", at.Folder); err != nil {
			return nil, fmt.Errorf("make a folder for %s: %w", p.name, err)
		}
		command = []string{"mktemp", "-d", "-p", at.Folder, p.name + "-XXXXXX"}
	}
	folder, err := at.Host.Run(ctx, "", command...)
	if err != nil {
		return nil, fmt.Errorf("make a folder for %s: %w", p.name, err)
	}
	s := &service{program: p, at: at, path: strings.TrimSpace(path), folder: strings.TrimSpace(folder)}
	if err := at.Host.WriteFile(ctx, s.folder+"/config", p.config); err != nil {
		return nil, errors.Join(fmt.Errorf("configure %s: %w", p.name, err), s.clear(ctx))
	}
	if err := s.run(ctx); err != nil {
		return nil, errors.Join(err, s.clear(ctx))
	}
	return s, nil
}

// run starts the process.
func (s *service) run(ctx context.Context) error {
	starter, ok := s.at.Host.(weir.Starter)
	if !ok {
		return fmt.Errorf("start %s: %s cannot run programs beside others", s.name, s.at.Host.Name())
	}
	p := weir.Program{Argv: append([]string{s.path}, s.argv(s.folder)...), Dir: s.folder, CPUs: s.at.CPUs}
	if s.env != nil {
		p.Env = s.env(s.folder)
	}
	process, err := starter.Start(ctx, p)
	if err != nil {
		return fmt.Errorf("start %s: %w", s.of, err)
	}
	process.Stdin.Close()
	go io.Copy(io.Discard, process.Stdout)
	s.process, s.ended = process, make(chan struct{})
	go func(ended chan struct{}) {
		defer close(ended)
		s.fault = process.Wait()
	}(s.ended)
	return nil
}

// PID is the number of the daemon's process.
func (s *service) PID() int { return s.process.PID }

// Alive is nil while the daemon runs. Otherwise it says how it ended, with its
// last lines.
func (s *service) Alive() error {
	select {
	case <-s.ended:
	default:
		return nil
	}
	if s.fault == nil {
		return fmt.Errorf("%s ended by itself", s.of)
	}
	return fmt.Errorf("%s ended: %w", s.of, s.fault)
}

// await returns when ready is nil. The error says what was not ready when the
// time was over, or that the daemon has ended.
func (s *service) await(ctx context.Context, limit time.Duration, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return s.Alive()
		case <-ctx.Done():
			if errors.Is(err, ctx.Err()) {
				return fmt.Errorf("%s is not ready: %w", s.of, ctx.Err())
			}
			return fmt.Errorf("%s is not ready after %v: %w", s.of, limit, err)
		case <-time.After(pollEvery):
		}
	}
}

// pollEvery is how often it is looked whether something is ready.
const pollEvery = 20 * time.Millisecond

// stopLimit is how long a daemon may take to end when it is asked: a routing
// daemon takes its routes back first.
const stopLimit = 20 * time.Second

// Stop ends the daemon and removes its files. It is no error that it has ended.
func (s *service) Stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	limited, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	return errors.Join(s.process.Stop(limited), s.clear(ctx))
}

// kill ends the process at once.
func (s *service) kill(ctx context.Context) error {
	_, err := s.at.Host.Run(ctx, "", "kill", "-KILL", fmt.Sprint(s.process.PID))
	if err != nil && s.Alive() == nil {
		return fmt.Errorf("kill %s: %w", s.of, err)
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *service) clear(ctx context.Context) error {
	if _, err := s.at.Host.Run(ctx, "", "rm", "-rf", s.folder); err != nil {
		return fmt.Errorf("remove the files of %s: %w", s.name, err)
	}
	return nil
}
