package testbed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/netif"
)

// nsHost is a network namespace of this machine as a weir.Host.
type nsHost struct {
	name  string
	ns    *netif.Namespace // nil: that of the calling thread
	cpus  []int            // where its commands run; none: where weir may
	stays bool             // it is no part of a lab, and outlives weir
	asked time.Duration    // how long the first process of a family has for ending; 0: familyLimit
}

// Machine is this machine as its users have it, in a network namespace of theirs;
// nil: that of the calling thread. A command that was begun ends by itself also when
// weir is killed, so that what is remembered of it is so. No file is made.
func Machine(name string, ns *netif.Namespace) weir.Host {
	return nsHost{name: name, ns: ns, stays: true}
}

// SystemFolders are where tools lie that not every user's PATH leads to.
var SystemFolders = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

func (h nsHost) Name() string { return h.name }

func (h nsHost) do(f func() error) error {
	if h.ns == nil {
		return f()
	}
	return h.ns.Do(f)
}

// command prepares a command with all that it needs to be started.
func (h nsHost) command(ctx context.Context, argv []string) (cmd *exec.Cmd, name string) {
	cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
	for _, folder := range SystemFolders {
		if path, err := exec.LookPath(filepath.Join(folder, argv[0])); err == nil && errors.Is(cmd.Err, exec.ErrNotFound) {
			cmd.Path, cmd.Err = path, nil
		}
	}
	cmd.WaitDelay = outputDelay
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	if h.stays {
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		return cmd, strings.Join(argv, " ")
	}
	cmd.Env = append(os.Environ(), mark(os.Getpid()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return cmd, h.name + ": " + strings.Join(argv, " ")
}

// Run runs a command in the namespace. It dies with weir. When ctx ends, what
// it has started is killed with it; when it ends by itself, what it has left in
// the background runs on until the lab ends.
func (h nsHost) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd, name := h.command(ctx, argv)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := h.do(func() error { return startOn(cmd, h.cpus) })
	if err == nil {
		err = cmd.Wait() // others may need the namespace's thread meanwhile
	} else {
		err = &weir.UnstartedError{Err: err}
	}
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil // it went well, and left something in the background
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
		if said := strings.TrimSpace(errs.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return out.String(), fmt.Errorf("%s: %w", name, err)
	}
	return out.String(), nil
}

// outputDelay is how long a command's output is waited for once it has ended:
// what it has left in the background may keep it open for ever.
const outputDelay = time.Second

// killGroup kills a command with what it has started.
func killGroup(leader int) error {
	if err := unix.Kill(-leader, unix.SIGKILL); !errors.Is(err, unix.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}

func (h nsHost) ReadFile(_ context.Context, path string) (data string, err error) {
	// /proc/net is that of the process's first thread, which is elsewhere.
	if name, ok := strings.CutPrefix(path, "/proc/net/"); ok {
		path = "/proc/thread-self/net/" + name
	}
	err = h.do(func() error {
		b, err := os.ReadFile(path)
		data = string(b)
		return err
	})
	return data, err
}

func (h nsHost) WriteFile(_ context.Context, path, data string) error {
	return h.do(func() error {
		flags := os.O_WRONLY | os.O_TRUNC | os.O_CREATE
		if h.stays {
			flags = os.O_WRONLY // of the kernel, or the setting is not there
		}
		f, err := os.OpenFile(path, flags, 0o644)
		if err != nil {
			return err
		}
		_, err = f.WriteString(data)
		return errors.Join(err, f.Close())
	})
}
