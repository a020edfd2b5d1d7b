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
			return "", weir.Wrong("%q is no name of a sysctl", name).Advise("net.ipv4.ip_early_demux is one")
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
		return weir.Wrong("the sysctl %s can only be read at the DUT%s", name, at.orWhole()).Advise("leave the level out")
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
		return weir.Wrong("the sysctl %s can only be read at the DUT", conntrackName).Advise("leave the level out")
	}
	return nil
}

func setConntrack(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	if _, err := at.Host.ReadFile(ctx, conntrackPath); err != nil && at.ephemeral() {
		if err := at.load(ctx, conntrackModule, undo); err != nil {
			return err
		}
	}
	return writeSysctl(ctx, at, conntrackName, conntrackPath, t.Value, undo)
}

// load loads a module of the kernel, with those that it needs or asks for, and has undo
// remove them all: what a kernel of its own ends with needs no journal.
func (at target) load(ctx context.Context, module string, undo *settings.Undo) error {
	before, err := at.modules(ctx)
	if err != nil {
		return err
	}
	added := []string{module}
	undo.Add(func(ctx context.Context) error {
		_, err := at.Host.Run(ctx, "", append([]string{"modprobe", "-r"}, added...)...)
		return err
	})
	if _, err := at.Host.Run(ctx, "", "modprobe", module); err != nil {
		return err
	}
	now, err := at.modules(ctx)
	for _, m := range now {
		if !slices.Contains(before, m) && m != module {
			added = append(added, m)
		}
	}
	return err
}

// modules are those of the DUT's kernel, the last first.
func (at target) modules(ctx context.Context) (names []string, err error) {
	text, err := at.Host.ReadFile(ctx, "/proc/modules")
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(line, " ")
		names = append(names, name)
	}
	return names, err
}

// ephemeral reports whether the DUT has a kernel of its own that ends with this process,
// and so may be given modules.
func (at target) ephemeral() bool { return !at.Shared && at.Journal == nil }

// file is the setting that a file of the kernel is.
func file(path string) settings.Setting { return settings.Setting{Kind: settings.File, Name: path} }

// sharedSysctl reports whether a sysctl is of the whole machine: each network namespace has those
// of its protocols for itself.
func sharedSysctl(t weir.Tuning) bool {
	return !slices.ContainsFunc([]string{"net.ipv4.", "net.ipv6.", "net.mpls."}, func(of string) bool { return strings.HasPrefix(t.Name, sysctlTuning+" "+of) })
}
