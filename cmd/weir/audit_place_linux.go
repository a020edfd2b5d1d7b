package main

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

	"golang.org/x/sys/unix"

	"weir/internal/audit"
	"weir/internal/lab"
	"weir/internal/netif"
	"weir/internal/testbed"
)

// auditHost is this machine, or a network namespace of it, for an audit.
type auditHost struct {
	name string
	ns   *netif.Namespace // nil: the one that weir runs in
}

func (h auditHost) Name() string { return h.name }

func (h auditHost) close() {
	if h.ns != nil {
		h.ns.Close()
	}
}

func (h auditHost) do(f func() error) error {
	if h.ns == nil {
		return f()
	}
	return h.ns.Do(f)
}

func (h auditHost) Run(ctx context.Context, stdin string, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	for _, folder := range lab.SystemFolders {
		if !errors.Is(cmd.Err, exec.ErrNotFound) {
			break
		}
		if path, err := exec.LookPath(filepath.Join(folder, argv[0])); err == nil {
			cmd.Path, cmd.Err = path, nil
		}
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	// A change that was begun is finished also when weir is killed, so that its
	// memory says what is.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := h.do(cmd.Run)
	if err != nil {
		if said := strings.TrimSpace(errs.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return out.String(), fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return out.String(), nil
}

func (h auditHost) ReadFile(_ context.Context, path string) (text string, err error) {
	// /proc/net is that of the process's first thread, which may be elsewhere.
	if name, ok := strings.CutPrefix(path, "/proc/net/"); ok {
		path = "/proc/thread-self/net/" + name
	}
	err = h.do(func() error {
		data, err := os.ReadFile(path)
		text = string(data)
		return err
	})
	return text, err
}

// WriteFile makes no file: those of the kernel are there, or the setting is not.
func (h auditHost) WriteFile(_ context.Context, path, data string) error {
	return h.do(func() error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteString(data)
		return errors.Join(err, f.Close())
	})
}

// auditedPlace is where an audit looks, and where it remembers what it changed.
type auditedPlace struct {
	role audit.Role
	file string // of the memory
	flag string // that names the place on a command line; "": none is needed
}

func (p auditedPlace) undo() string { return "weir audit --undo" + p.flag }

// reserve keeps others from changing things at this place meanwhile.
func (p auditedPlace) reserve() (release func(), err error) {
	dir := filepath.Dir(p.file)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("a folder to remember changes in: %w", err)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("another weir audit changes things here (%s): %w", dir, err)
	}
	return func() {
		os.Remove(dir) // when nothing is remembered
		os.Remove(filepath.Dir(dir))
		f.Close()
	}, nil
}

// auditRunDir is where weir keeps what goes with the machine's start.
func auditRunDir() string {
	if dir := os.Getenv("WEIR_RUN_DIR"); dir != "" {
		return dir
	}
	return "/run/weir"
}

// auditPlace finds the place: a lab that is named, or one that weir was started
// in, or this machine. What is remembered of a lab goes with it.
func auditPlace(f auditFlags) (auditHost, auditedPlace, error) {
	role := audit.Role(f.role)
	if role == "" {
		role = audit.DUT
	}
	here, err := os.Stat("/proc/self/ns/net")
	if err != nil {
		return auditHost{}, auditedPlace{}, err
	}
	if f.lab != "" {
		path, err := namespaceOf(string(role), f.lab)
		if err != nil {
			return auditHost{}, auditedPlace{}, err
		}
		ns, err := netif.OpenNamespace(path)
		if err != nil {
			return auditHost{}, auditedPlace{}, err
		}
		return auditHost{name: string(role) + " of lab " + f.lab, ns: ns},
			auditedPlace{role: role, file: labMemory(f.lab, role), flag: fmt.Sprintf(" --lab %s --role %s", f.lab, role)}, nil
	}
	labs, err := testbed.Labs()
	if err != nil {
		return auditHost{}, auditedPlace{}, err
	}
	for _, e := range labs {
		for side, path := range map[audit.Role]string{audit.DUT: e.DUT, audit.Tester: e.Tester} {
			if there, err := os.Stat(path); err == nil && os.SameFile(here, there) {
				if f.role != "" {
					side = role
				}
				return auditHost{name: string(side) + " of lab " + e.ID}, auditedPlace{role: side, file: labMemory(e.ID, side), flag: fmt.Sprintf(" --lab %s --role %s", e.ID, side)}, nil
			}
		}
	}
	name, err := os.Hostname()
	if err != nil {
		return auditHost{}, auditedPlace{}, err
	}
	// Devices belong to a network namespace, and so does what is remembered.
	ns, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		return auditHost{}, auditedPlace{}, err
	}
	file := filepath.Join(auditRunDir(), "audited", strings.Trim(strings.NewReplacer(":", "-", "[", "", "]", "").Replace(ns), "-")+".json")
	return auditHost{name: name}, auditedPlace{role: role, file: file}, nil
}

func labMemory(lab string, role audit.Role) string {
	return filepath.Join(auditRunDir(), lab, "audited", string(role)+".json")
}
