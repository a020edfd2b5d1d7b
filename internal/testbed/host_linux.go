package testbed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// nsHost is a network namespace of this machine as a weir.Host.
type nsHost struct {
	name string
	ns   *netif.Namespace
	cpus []int // where its commands run; none: where weir may
}

func (h nsHost) Name() string { return h.name }

// Run runs a command in the namespace. It dies with weir. When ctx ends, what
// it has started is killed with it; when it ends by itself, what it has left in
// the background runs on until the lab ends.
func (h nsHost) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = append(os.Environ(), mark(os.Getpid()))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = outputDelay
	err := h.ns.Do(func() error { return startOn(cmd, h.cpus) })
	if err == nil {
		err = cmd.Wait() // others may need the namespace's thread meanwhile
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
		return out.String(), fmt.Errorf("%s: %s: %w", h.name, strings.Join(argv, " "), err)
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
	err = h.ns.Do(func() error {
		b, err := os.ReadFile(path)
		data = string(b)
		return err
	})
	return data, err
}

func (h nsHost) WriteFile(_ context.Context, path, data string) error {
	return h.ns.Do(func() error { return os.WriteFile(path, []byte(data), 0o644) })
}
