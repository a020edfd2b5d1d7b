package dut

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

// sysctlPath is the file of a sysctl, whose name has dots or slashes. Like in
// sysctl(8) the first of them says which, and the others are part of a name.
func sysctlPath(name string) (string, error) {
	path := name
	if at := strings.IndexAny(name, "./"); at >= 0 && name[at] == '.' {
		path = strings.Map(func(r rune) rune {
			switch r {
			case '.':
				return '/'
			case '/':
				return '.'
			}
			return r
		}, name)
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return "", fmt.Errorf("%q is no name of a sysctl: net.ipv4.ip_early_demux is one", name)
		}
	}
	return "/proc/sys/" + path, nil
}

// sysctlFile is the file of the sysctl that a tuning names.
func sysctlFile(t weir.Tuning) (name, path string, err error) {
	name = strings.TrimSpace(strings.TrimPrefix(t.Name, sysctlTuning))
	path, err = sysctlPath(name)
	return name, path, err
}

func checkSysctl(ctx context.Context, at target, t weir.Tuning) error {
	name, path, err := sysctlFile(t)
	if err != nil {
		return err
	}
	// What lies below net is the namespace's own, or cannot be seen or written
	// from it.
	if at.Shared && !strings.HasPrefix(path, "/proc/sys/net/") {
		return wholeMachine("sysctl " + name + " is one")
	}
	if _, err := at.Host.ReadFile(ctx, path); err != nil {
		return fmt.Errorf("the DUT has no sysctl %s that can be read%s: %w", name, at.orWhole(), err)
	}
	if _, err := at.Host.Run(ctx, "", "test", "-w", path); err != nil {
		return fmt.Errorf("the sysctl %s can only be read at the DUT%s: leave the level out", name, at.orWhole())
	}
	return nil
}

// orWhole says what else may be the matter in a namespace.
func (at target) orWhole() string {
	if at.Shared {
		return ", or it is one of the whole machine, which a network namespace does not have"
	}
	return ""
}

func setSysctl(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	name, path, err := sysctlFile(t)
	if err != nil {
		return err
	}
	return writeSysctl(ctx, at, name, path, t.Value, undo)
}

// writeSysctl sets a sysctl and looks whether it holds: the kernel corrects
// some values in silence.
func writeSysctl(ctx context.Context, at target, name, path, value string, undo *settings.Undo) error {
	now, err := undo.Set(ctx, at.Host, file(path), value)
	if err != nil {
		return err
	}
	if !slices.Equal(strings.Fields(now), strings.Fields(value)) {
		return fmt.Errorf("the kernel made %q of it: take a value for %s that it keeps", now, name)
	}
	return nil
}

// The size of the table of connections.
const (
	conntrackName = "net.netfilter.nf_conntrack_max"
	conntrackPath = "/proc/sys/net/netfilter/nf_conntrack_max"

	conntrackModule = "nf_conntrack"
)

func checkConntrack(ctx context.Context, at target, t weir.Tuning) error {
	if _, err := positive(t.Value); err != nil {
		return err
	}
	_, err := at.Host.ReadFile(ctx, conntrackPath)
	if err != nil && at.ephemeral() {
		if _, err = at.Host.Run(ctx, "", "modprobe", "--dry-run", conntrackModule); err == nil {
			return nil
		}
	}
	if err != nil {
		return &weir.UnsupportedError{Feature: "tracking of connections", Remedy: "load its module: modprobe " + conntrackModule, Err: err}
	}
	if _, err := at.Host.Run(ctx, "", "test", "-w", conntrackPath); err != nil {
		if at.Shared {
			return wholeMachine("the size of the table of connections (sysctl " + conntrackName + ") is one")
		}
		return fmt.Errorf("the sysctl %s can only be read at the DUT: leave the level out", conntrackName)
	}
	return nil
}

func setConntrack(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	if _, err := at.Host.ReadFile(ctx, conntrackPath); err != nil && at.ephemeral() {
		if err := undo.Do(ctx, at.Host, settings.Command{Argv: []string{"modprobe", conntrackModule}}, settings.Command{Argv: []string{"modprobe", "-r", conntrackModule}}); err != nil {
			return err
		}
	}
	return writeSysctl(ctx, at, conntrackName, conntrackPath, t.Value, undo)
}

// ephemeral reports whether the DUT has a kernel of its own that ends with this process,
// and so may be given modules.
func (at target) ephemeral() bool { return !at.Shared && at.Journal == nil }

// file is the setting that a file of the kernel is.
func file(path string) settings.Setting { return settings.Setting{Kind: settings.File, Name: path} }
