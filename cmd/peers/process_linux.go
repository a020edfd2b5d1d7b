package main

import (
	"bytes"
	"context"
	"fmt"

	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// process is a program at work in a network namespace.
type process struct {
	said  *transcript
	ended chan error
	gone  chan struct{}
	kill  func()
}

// start starts a program on the given CPUs, with the precedence that weir's own
// sending thread has. It is the first process of a PID namespace and dies with
// this program: whatever it has started dies with it, however that happens.
func start(ns *netif.Namespace, cpus []int, argv ...string) (*process, error) {
	p := &process{said: &transcript{}, ended: make(chan error, 1), gone: make(chan struct{})}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = p.said, p.said
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWPID}
	input, err := cmd.StdinPipe() // testpmd ends when its input does
	if err != nil {
		return nil, err
	}
	if err := ns.Do(func() error { return startOn(cmd, cpus) }); err != nil {
		return nil, err
	}
	p.kill = func() { cmd.Process.Kill() }
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
	return fmt.Errorf("%s: %s: %s", name, how, p.said.last(3))
}

func (p *process) flow() flow { return flow{ended: p.ended, stop: p.stop} }

// stop kills the process: a polite end takes seconds for some, and what they
// would tidy up dies with their namespace or is set right afterwards.
func (p *process) stop() {
	p.kill()
	<-p.gone
}

// await waits until the process has said something.
func (p *process) await(ctx context.Context, text string, limit time.Duration) error {
	for end := time.Now().Add(limit); !p.said.has(text); {
		if time.Now().After(end) {
			return fmt.Errorf("it did not say %q within %v: %s", text, limit, p.said.last(3))
		}
		if err := p.flow().wait(ctx, glance); err != nil {
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

// transcript keeps what a process says, up to a limit.
type transcript struct {
	lock sync.Mutex
	text []byte
}

const transcriptLimit = 64 << 10

func (t *transcript) Write(b []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - transcriptLimit; over > 0 {
		t.text = t.text[over:]
	}
	return len(b), nil
}

func (t *transcript) has(text string) bool {
	t.lock.Lock()
	defer t.lock.Unlock()
	return bytes.Contains(t.text, []byte(text))
}

// last is the last lines that say something, in one.
func (t *transcript) last(n int) string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return lastLines(string(t.text), n)
}
