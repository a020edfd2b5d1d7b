package testbed

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"weir/internal/netif"
)

// nsHost is a network namespace of this machine as a weir.Host.
type nsHost struct {
	name string
	ns   *netif.Namespace
	cpus []int // where its commands run; none: where weir may
}

func (h nsHost) Name() string { return h.name }

// Run runs a command in the namespace. It dies with weir.
func (h nsHost) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	var out, errs bytes.Buffer
	err := h.ns.Do(func() error {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := startOn(cmd, h.cpus); err != nil {
			return err
		}
		return cmd.Wait()
	})
	if err != nil {
		if said := strings.TrimSpace(errs.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return out.String(), fmt.Errorf("%s: %s: %w", h.name, strings.Join(argv, " "), err)
	}
	return out.String(), nil
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
