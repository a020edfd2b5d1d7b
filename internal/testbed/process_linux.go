package testbed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/netif"
	"weir/internal/processes"
	"weir/internal/tail"
)

// Start starts a program in the namespace, on CPUs of its own or those of the
// host's commands. It is killed with the namespace's thread, so with the lab or
// weir, whichever ends first.
func (h nsHost) Start(_ context.Context, p weir.Program) (*weir.Process, error) {
	if len(p.Argv) == 0 {
		return nil, errors.New("there is no program to start")
	}
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env = p.Dir, append(append(os.Environ(), mark(os.Getpid())), p.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if p.Family {
		cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWPID // its children die with it
	}
	cmd.WaitDelay = time.Second // for a child of its own that keeps its standard error open
	said := &tail.Tail{}
	cmd.Stderr = said
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A pipe of the command's own would be closed when it ends, with what
	// nobody has read yet.
	out, far, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = far
	cpus := p.CPUs
	if len(cpus) == 0 {
		cpus = h.cpus
	}
	err = h.ns.Do(func() error { return startOn(cmd, cpus) })
	far.Close()
	if err != nil {
		out.Close()
		return nil, fmt.Errorf("%s: start %s: %w", h.name, strings.Join(p.Argv, " "), err)
	}
	ended := make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		if err := cmd.Wait(); err != nil {
			failed = withLast(fmt.Errorf("%s: %s: %w", h.name, strings.Join(p.Argv, " "), err), said)
		}
	}()
	return &weir.Process{
		PID: cmd.Process.Pid, Stdin: in, Stdout: out,
		Wait: func() error { <-ended; return failed },
		Stop: func(ctx context.Context) error {
			if p.Family && !listens(cmd.Process.Pid) {
				err := cmd.Process.Kill()
				if <-ended; errors.Is(err, os.ErrProcessDone) {
					err = nil
				}
				return err
			}
			if err := cmd.Process.Signal(unix.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return err
			}
			quietly := (<-chan time.Time)(nil)
			if p.Family {
				quietly = time.After(cmp.Or(h.asked, familyLimit))
			}
			select {
			case <-ended:
				return nil
			case <-quietly:
				err := cmd.Process.Kill()
				<-ended
				return err
			case <-ctx.Done():
			}
			err := cmd.Process.Kill()
			<-ended
			if errors.Is(err, os.ErrProcessDone) { // it ended in this moment
				return nil
			}
			return errors.Join(withLast(fmt.Errorf("%s: %s did not end when asked, and was killed", h.name, p.Argv[0]), said), err)
		},
	}, nil
}

// familyLimit is how long the first process of a family has for ending when it
// is asked.
const familyLimit = time.Second

// listens reports whether a process has a handler for being asked to end, or takes
// that from a file descriptor (signalfd(2)). The kernel spares every process 1, as
// the first of a family is, what it neither catches nor blocks.
func listens(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return true // it has ended, or is asked in vain
	}
	for line := range strings.Lines(string(status)) {
		name, mask, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		if name != "SigCgt" && name != "SigBlk" {
			continue
		}
		if set, err := strconv.ParseUint(mask, 16, 64); err != nil || set&(1<<(unix.SIGTERM-1)) != 0 {
			return true
		}
	}
	return false
}

// startOn starts a command on a set of CPUs, which it has from the thread that
// starts it.
func startOn(cmd *exec.Cmd, cpus []int) error {
	if len(cpus) == 0 {
		return processes.Start(cmd)
	}
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	if err := netif.Pin(0, cpus); err != nil {
		return fmt.Errorf("bind to CPUs %v: %w", cpus, err)
	}
	return errors.Join(processes.Start(cmd), unix.SchedSetaffinity(0, &before))
}

// withLast returns an error with the end of what a program said, where it said anything.
func withLast(err error, said *tail.Tail) error {
	const lines = 5
	if last := tail.Last(said.String(), lines); len(last) > 0 {
		return &weir.SaidError{Err: err, Said: last}
	}
	return err
}
