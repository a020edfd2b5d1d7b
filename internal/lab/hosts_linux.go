package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"weir"
	"weir/internal/agent"
	"weir/internal/settings"
	"weir/internal/shell"
	"weir/internal/ssh"
	"weir/internal/testbed"
)

// inUse is the file at a DUT that says that it is measured.
const inUse = "/var/run/weir.lock"

// Restore undoes what killed processes have changed at this machine and at hosts that
// SSH reaches, with what there is of Say as in testbed.Restoring.
func Restore(ctx context.Context, forget bool, say func(string)) (testbed.Restored, error) {
	var reached []*shell.Host
	return testbed.Restore(ctx, testbed.Restoring{Forget: forget, Say: say, Reach: func(ctx context.Context, name string) (weir.Host, func() error, error) {
		if !strings.HasPrefix(name, "ssh://") {
			return nil, nil, fmt.Errorf("%q is no host that this weir can reach", name)
		}
		for _, h := range reached { // it is locked already
			if ssh.Same(ctx, h.Name(), name) {
				return h, func() error { return nil }, nil
			}
		}
		var undo settings.Undo
		h, err := dial(ctx, name, &undo)
		if err != nil {
			return nil, nil, errors.Join(err, undo.Close())
		}
		reached = append(reached, h)
		return h, undo.Close, nil
	}})
}

// dial connects with a host, for this weir alone.
func dial(ctx context.Context, name string, undo *settings.Undo) (*shell.Host, error) {
	h, err := connect(ctx, name, undo)
	if err != nil {
		return nil, err
	}
	machine, _ := os.Hostname()
	return h, h.Lock(ctx, inUse, fmt.Sprintf("weir, process %d of %s", os.Getpid(), machine))
}

// connect connects with a host.
func connect(ctx context.Context, name string, undo *settings.Undo) (*shell.Host, error) {
	folder, leave, err := testbed.SocketFolder()
	if err != nil {
		return nil, err
	}
	undo.AddClose(leave)
	h, err := ssh.Dial(ctx, name, folder)
	if err != nil {
		return nil, err
	}
	undo.AddClose(h.Close)
	return h, nil
}

// whole is this program, which plays all roles.
func whole(path string) shell.Cargo {
	return shell.Cargo{File: path, OS: runtime.GOOS, Arch: runtime.GOARCH, Proof: []string{"version"}, Is: "weir " + weir.Version + " "}
}

// small is the program that looks at a DUT, and on other systems than Linux plays the roles
// of an end host (cmd/agent).
func small(path string) shell.Cargo {
	return shell.Cargo{File: filepath.Join(filepath.Dir(path), "weir-agent"), Proof: []string{"version"}, Is: "weir-agent " + weir.Version + " "}
}

// forEnds is the one that plays the roles of an end host.
func forEnds(path string) shell.Cargo {
	c, other := whole(path), small(path)
	c.Other = &other
	return c
}

// carried has a program at a host that plays roles and knows its version, until undo is
// done. It is this program, or one that lies beside its path.
func carried(ctx context.Context, host *shell.Host, undo *settings.Undo, program func(path string) shell.Cargo) (at agent.Place, err error) {
	path, err := os.Executable()
	if err != nil {
		return at, err
	}
	cargo := program(path)
	if cargo.From, err = agent.Self(); err != nil {
		return at, err
	}
	path, remove, err := host.Carry(ctx, cargo)
	if err != nil {
		return at, err
	}
	undo.AddClose(remove)
	return agent.Place{Host: host, Self: path}, nil
}
