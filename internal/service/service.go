package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"weir"
)

// Place is where a service runs.
type Place struct {
	Host weir.Host // has to be a weir.Starter
	CPUs []int     // none: where weir may run
	// Folder is below which a service keeps its files, at the host; "": with the
	// temporary files. They go when it is stopped.
	Folder string
}

// Program is what a service runs.
type Program struct {
	Name   string            // of the program: "bird"
	Of     string            // what it is, for people: "the routing daemon BIRD"
	Source string            // the package of Debian and Ubuntu that has it
	Files  map[string]string // what its folder holds before it starts, by file name: its configuration
	// Instead is a folder of the system in the place of which this program sees its own,
	// and no other program does: "/etc/ppp". "": none. It takes Linux.
	Instead string
	// Argv are its arguments. It has to stay in the foreground.
	Argv func(folder string) []string
	Env  func(folder string) []string // nil: none
	// Family says that it has children of its own, which end with it however it
	// ends.
	Family bool
}

// Service is a program that runs beside what else happens.
type Service struct {
	Program
	At     Place
	Path   string // of the program
	Folder string // of its own, at the host
	*Process
}

// Everywhere, before a command of the shell, has it find programs that lie where
// not every user's PATH leads: on Linux, on the BSDs, and on macOS with Homebrew.
const Everywhere = `PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/pkg/bin:/opt/homebrew/bin"; `

// Find is the path of a program at a host. The error is a
// *weir.UnsupportedError when it is not installed: of is what it is, for people,
// and source the package of Debian and Ubuntu that has it.
func Find(ctx context.Context, h weir.Host, name, of, source string) (string, error) {
	path, err := h.Run(ctx, "", "sh", "-c", Everywhere+`command -v "$0"`, name)
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &weir.UnsupportedError{Feature: of + " (" + name + ")", Remedy: "install the package " + source}
	}
	return strings.TrimSpace(path), nil
}

// Start starts a service. The error is a *weir.UnsupportedError when it is not
// installed.
func Start(ctx context.Context, at Place, p Program) (*Service, error) {
	s, err := configured(ctx, at, p)
	if err != nil {
		return nil, err
	}
	if err := s.Run(ctx); err != nil {
		return nil, errors.Join(err, s.clear(ctx))
	}
	return s, nil
}

// configured is a service that has its files, and does not run yet.
func configured(ctx context.Context, at Place, p Program) (*Service, error) {
	path, err := Find(ctx, at.Host, p.Name, p.Of, p.Source)
	if err != nil {
		return nil, err
	}
	s := &Service{Program: p, At: at, Path: path}
	if s.Folder, err = at.MakeFolder(ctx, p.Name); err != nil {
		return nil, err
	}
	for name, text := range p.Files {
		if err := Put(ctx, at.Host, s.Folder+"/"+name, text); err != nil {
			return nil, errors.Join(fmt.Errorf("configure %s: %w", p.Name, err), s.clear(ctx))
		}
	}
	return s, nil
}

// Put makes a file at a host.
func Put(ctx context.Context, h weir.Host, path, text string) error {
	_, err := h.Run(ctx, text, "sh", "-c", `cat >"$0"`, path)
	return err
}

// MakeFolder makes a folder for a program at a place.
func (at Place) MakeFolder(ctx context.Context, name string) (string, error) {
	const script = `if [ "$1" ]; then mkdir -p "$1" && exec mktemp -d "$1/$0-XXXXXX"; fi; exec mktemp -d -t "weir-$0-XXXXXX"`
	path, err := at.Host.Run(ctx, "", "sh", "-c", script, name, at.Folder)
	if err != nil {
		return "", fmt.Errorf("make a folder for %s: %w", name, err)
	}
	return strings.TrimSpace(path), nil
}

// Run starts the process again, after it has ended.
func (s *Service) Run(ctx context.Context) (err error) {
	argv := append([]string{s.Path}, s.Argv(s.Folder)...)
	if s.Instead != "" {
		argv = append([]string{"unshare", "--mount", "sh", "-c", `mount --bind . "$0" && exec "$@"`, s.Instead}, argv...)
	}
	p := weir.Program{Argv: argv, Dir: s.Folder, CPUs: s.At.CPUs, Family: s.Family}
	if s.Env != nil {
		p.Env = s.Env(s.Folder)
	}
	if s.Process, err = StartProcess(ctx, s.At.Host, s.Of, p); err != nil {
		return err
	}
	s.Stdin.Close()
	go io.Copy(io.Discard, s.Stdout)
	return nil
}

// Await waits until ready returns nil. The error is the last one of ready when the
// time is over, or says that the service has ended.
func (s *Service) Await(ctx context.Context, limit time.Duration, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return s.End()
		case <-ctx.Done():
			if errors.Is(err, ctx.Err()) {
				return fmt.Errorf("%s is not ready: %w", s.Of, ctx.Err())
			}
			return s.withEnd(fmt.Errorf("%s is not ready after %v: %w", s.Of, limit, err))
		case <-time.After(pollEvery):
		}
	}
}

// withEnd returns the error of a service that did not become ready with what it said. The
// service is stopped, since only then that is known.
func (s *Service) withEnd(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	s.Process.Stop(ctx) // that it had to be killed is no news
	<-s.ended
	if s.fault == nil {
		return err
	}
	return fmt.Errorf("%w; it was ended then: %w", err, s.fault)
}

// lastWords is how long a service that did not become ready may take to end.
const lastWords = 2 * time.Second

// pollEvery is how often it is looked whether something is ready.
const pollEvery = 20 * time.Millisecond

// stopLimit is how long a service may take to end when it is asked: a routing
// daemon takes its routes back first.
const stopLimit = 20 * time.Second

// Stop ends the service and removes its files. It is no error that it has ended.
func (s *Service) Stop(ctx context.Context) error {
	return errors.Join(s.end(ctx), s.clear(context.WithoutCancel(ctx)))
}

// end ends the process.
func (s *Service) end(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	err := s.Process.Stop(ctx)
	if errors.Is(err, os.ErrProcessDone) { // which a busy machine has noticed late
		return nil
	}
	return err
}

// Kill ends the process at once.
func (s *Service) Kill(ctx context.Context) error {
	_, err := s.At.Host.Run(ctx, "", "kill", "-KILL", fmt.Sprint(s.PID()))
	if err != nil && s.Alive() == nil {
		return fmt.Errorf("kill %s: %w", s.Of, err)
	}
	select {
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) clear(ctx context.Context) error {
	if _, err := s.At.Host.Run(ctx, "", "rm", "-rf", s.Folder); err != nil {
		return fmt.Errorf("remove the files of %s: %w", s.Name, err)
	}
	return nil
}
