package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
	"weir/internal/tail"
)

// process is a program at work in a network namespace, with what it has started.
// It is a source that is stopped between its turns.
type process struct {
	pid   int // and its process group
	said  tail.Tail
	ended chan error
	gone  chan struct{}
}

// launch starts a program on the given CPUs, with the precedence that weir's own
// sending thread has. It is the first process of a PID namespace and dies with
// this program: whatever it has started dies with it, however that happens.
func launch(ns *netif.Namespace, cpus []int, argv ...string) (*process, error) {
	p := &process{ended: make(chan error, 1), gone: make(chan struct{})}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = &p.said, &p.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWPID, Setpgid: true}
	input, err := cmd.StdinPipe() // testpmd ends when its input does
	if err != nil {
		return nil, err
	}
	if err := ns.Do(func() error { return startOn(cmd, cpus) }); err != nil {
		return nil, err
	}
	p.pid = cmd.Process.Pid
	go func() {
		defer close(p.gone)
		err := cmd.Wait()
		input.Close()
		p.ended <- p.explain(filepath.Base(argv[0]), err)
	}()
	return p, nil
}

// startOn lends the calling thread's CPUs and precedence to a new process,
// which inherits them from the thread that starts it.
func startOn(cmd *exec.Cmd, cpus []int) error {
	var own unix.CPUSet
	if err := unix.SchedGetaffinity(0, &own); err != nil {
		return err
	}
	defer unix.SchedSetaffinity(0, &own)
	if err := netif.Pin(0, cpus); err != nil {
		return fmt.Errorf("bind %s to CPUs %v: %w", cmd.Path, cpus, err)
	}
	defer unix.Setpriority(unix.PRIO_PROCESS, 0, 0)
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, -20); err != nil {
		return fmt.Errorf("give %s precedence: %w", cmd.Path, err)
	}
	return cmd.Start()
}

// explain makes an error of how a sender ended that should not have ended.
func (p *process) explain(name string, err error) error {
	how := "ended by itself"
	if err != nil {
		how = err.Error()
	}
	return fmt.Errorf("%s: %s: %s", name, how, p.last())
}

// last is the end of what it said, in one line.
func (p *process) last() string { return strings.Join(tail.Last(p.said.String(), 5), " / ") }

func (p *process) start() (<-chan error, error) {
	p.signal(unix.SIGCONT)
	return p.ended, nil
}

func (p *process) hold() { p.signal(unix.SIGSTOP) }

// signal reaches whatever the process has started, too. An error says only that
// all of that has ended, which ended says as well.
func (p *process) signal(s unix.Signal) {
	select {
	case <-p.gone: // another process may have its ID
	default:
		_ = unix.Kill(-p.pid, s)
	}
}

// close kills the process: a polite end takes seconds for some, and what they
// would tidy up dies with their namespace.
func (p *process) close() {
	p.signal(unix.SIGKILL)
	<-p.gone
}

// await waits until the process has said something.
func (p *process) await(ctx context.Context, text string, limit time.Duration) error {
	for end := time.Now().Add(limit); !strings.Contains(p.said.String(), text); {
		if time.Now().After(end) {
			return fmt.Errorf("it did not say %q within %v: %s", text, limit, p.last())
		}
		if err := wait(ctx, p.ended, glance); err != nil {
			return err
		}
	}
	return nil
}

// command runs a program in a namespace to its end and returns what it said.
func command(ns *netif.Namespace, argv ...string) (string, error) {
	var said bytes.Buffer
	err := ns.Do(func() error {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Stdout, cmd.Stderr = &said, &said
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		return cmd.Run()
	})
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(said.String()))
	}
	return said.String(), err
}
