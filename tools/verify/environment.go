package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// environment is where commands of parts run: the root of the tree.
type environment struct {
	options
	out  io.Writer
	env  []string
	root []string        // begins a command that needs root; none: there is no way to it
	has  map[string]bool // what scripts/setup has set up
	lock *sync.Mutex     // of has: one thing is set up at a time
}

func newEnvironment(o options, out io.Writer) *environment {
	e := &environment{options: o, out: out, has: map[string]bool{}, lock: &sync.Mutex{}}
	path := os.Getenv("PATH")
	if root, err := exec.Command("scripts/go", "env", "GOROOT").Output(); err == nil { // tests that build take the same Go
		path = filepath.Join(strings.TrimSpace(string(root)), "bin") + ":" + path
	}
	path += ":/usr/local/sbin:/usr/sbin:/sbin"
	os.Setenv("PATH", path) // for exec.Command, too
	// As `make build` has it: whatever compiles for this system shares one cache, in which
	// sqlite alone takes a minute.
	e.env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -buildvcs=false -trimpath")
	const mustNotSkip = "WEIR_MUST_NOT_SKIP=1"
	if os.Geteuid() != 0 {
		ask := exec.Command("scripts/as-root", "true")
		ask.Stdin, ask.Stderr = os.Stdin, os.Stderr // where sudo asks for a password
		if ask.Run() != nil {
			fmt.Fprintln(out, "NEITHER ROOT NOR SUDO HERE: what needs them is skipped below.")
			return e
		}
		e.root = []string{"sudo", "-n", "env", mustNotSkip, "PATH=" + path}
		if cache, err := exec.Command("scripts/go", "env", "GOMODCACHE").Output(); err == nil { // sandboxes have no network to fetch modules by
			e.root = append(e.root, "GOMODCACHE="+strings.TrimSpace(string(cache)))
		}
	}
	e.env = append(e.env, mustNotSkip)
	return e
}

// setUp installs what is needed, once. Who asks while that is being done waits for it.
func (e *environment) setUp(ctx context.Context, needs string) error {
	if needs == "" {
		return nil
	}
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.has[needs] {
		return nil
	}
	text, err := e.command(ctx, "scripts/setup", needs)
	if err != nil {
		return fmt.Errorf("%s%w", text, err)
	}
	e.has[needs] = true
	return nil
}

// prepare returns a command that ends with all of its children when the context does.
func (e *environment) prepare(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = e.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// command runs a command and returns what it prints, on both streams.
func (e *environment) command(ctx context.Context, argv ...string) (string, error) {
	var text bytes.Buffer
	cmd := e.prepare(ctx, argv...)
	cmd.Stdout, cmd.Stderr = &text, &text
	err := cmd.Run()
	return text.String(), err
}

// check adds a command as a result, under its own words: it passes where it exits with 0.
func (e *environment) check(ctx context.Context, r *report, argv ...string) {
	began := time.Now()
	text, err := e.command(ctx, argv...)
	e.conclude(r, strings.Join(argv, " "), began, text, err)
}

// notDone is the exit code of a command that has not done all that it is for.
const notDone = 77

// conclude adds what has been done since a time as a result.
func (e *environment) conclude(r *report, name string, began time.Time, text string, err error) {
	one := result{name: name, took: time.Since(began)}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == notDone {
		one.outcome, one.output = skipped, strings.TrimSpace(text)
	} else if err != nil {
		one.outcome, one.output = failed, fmt.Sprintf("%s%v", text, err)
		fmt.Fprintf(e.out, "FAIL %s\n%s\n", name, one.output)
	}
	r.add(one)
}

// goTest runs `go test` with the given arguments in the folder of a module, and adds a result
// for each test.
func (e *environment) goTest(ctx context.Context, r *report, module string, args ...string) {
	argv := []string{"go", "-C", module, "test", "-json", "-vet=off", "-timeout=1h"} // for what hangs
	if e.short {
		argv = append(argv, "-short")
	}
	before := r.count(failed)
	cmd := e.prepare(ctx, append(argv, args...)...)
	cmd.Stderr = e.out
	stream, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		err = errors.Join(readTests(stream, e.out, r), cmd.Wait())
	}
	if err != nil && r.count(failed) == before {
		r.add(result{name: strings.Join(cmd.Args, " "), outcome: failed, output: err.Error()})
	}
}
