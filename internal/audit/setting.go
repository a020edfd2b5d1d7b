package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"weir"
)

// Setting is something on a machine that has a value, which can be read and
// set.
type Setting struct {
	Kind   string `json:"kind"`             // in the table of kinds
	Device string `json:"device,omitempty"` // that it belongs to; "": the machine
	Name   string `json:"name,omitempty"`   // a path, an offload, an address, a service
}

// kind is how settings of one kind are read and set.
type kind struct {
	name string
	read func(context.Context, weir.Host, Setting) (string, error)
	// argv is the command that sets a value, and what it is told on standard
	// input; none: the setting is the file Name.
	argv func(Setting, string) (argv []string, stdin string)
}

// kinds is the table of them.
var kinds = []kind{
	{name: "file", read: readFile},
	{name: "feature", read: readFeature, argv: func(s Setting, v string) ([]string, string) {
		return []string{"ethtool", "-K", s.Device, s.Name, v}, ""
	}},
	{name: "pause", read: readPause, argv: func(s Setting, v string) ([]string, string) {
		return append([]string{"ethtool", "-A", s.Device}, strings.Fields(v)...), ""
	}},
	{name: "rings", read: readPresets("-g", ringNames), argv: func(s Setting, v string) ([]string, string) {
		return append([]string{"ethtool", "-G", s.Device}, strings.Fields(v)...), ""
	}},
	{name: "channels", read: readPresets("-l", channelNames), argv: func(s Setting, v string) ([]string, string) {
		return append([]string{"ethtool", "-L", s.Device}, strings.Fields(v)...), ""
	}},
	{name: "mtu", read: readMTU, argv: func(s Setting, v string) ([]string, string) {
		return []string{"ip", "link", "set", "dev", s.Device, "mtu", v}, ""
	}},
	{name: "neighbour", read: readNeighbour, argv: setNeighbour},
	{name: "service", read: readService, argv: func(s Setting, v string) ([]string, string) {
		if v == "active" {
			return []string{"systemctl", "start", s.Name}, ""
		}
		return []string{"systemctl", "stop", s.Name}, ""
	}},
	{name: "ruleset", read: readRuleset, argv: func(_ Setting, v string) ([]string, string) {
		if v == "" {
			return []string{"nft", "flush", "ruleset"}, ""
		}
		return []string{"nft", "-f", "-"}, "flush ruleset\n" + v
	}},
}

func (s Setting) kind() (kind, error) {
	for _, k := range kinds {
		if k.name == s.Kind {
			return k, nil
		}
	}
	return kind{}, fmt.Errorf("there is no kind of setting %q: this weir does not know how to restore it", s.Kind)
}

// Command is the command line that sets a value.
func (s Setting) Command(value string) string {
	k, err := s.kind()
	if err != nil {
		return ""
	}
	if k.argv == nil {
		return fileCommand(s.Name, value)
	}
	argv, stdin := k.argv(s, value)
	line := strings.Join(argv, " ")
	if stdin != "" {
		line += " <<'END'\n" + strings.TrimSuffix(stdin, "\n") + "\nEND"
	}
	return line
}

// fileCommand sets a value of the kernel with sysctl where its name is clear: a
// device's may have dots.
func fileCommand(path, value string) string {
	name, ok := strings.CutPrefix(path, "/proc/sys/")
	if ok && !strings.ContainsAny(name, ".' ") {
		return "sysctl -w " + strings.ReplaceAll(name, "/", ".") + "=" + value
	}
	if strings.ContainsAny(path, " '\"$`;&|<>()*?") {
		path = quoted(path)
	}
	return "echo " + value + " > " + path
}

// String names a setting for people.
func (s Setting) String() string {
	return strings.Join(strings.Fields(s.Device+" "+s.Kind+" "+s.Name), " ")
}

// get reads a setting as it is now.
func (s Setting) get(ctx context.Context, h weir.Host) (string, error) {
	k, err := s.kind()
	if err != nil {
		return "", err
	}
	return k.read(ctx, h, s)
}

// set sets a value.
func (s Setting) set(ctx context.Context, h weir.Host, value string) error {
	k, err := s.kind()
	if err != nil {
		return err
	}
	if k.argv == nil {
		return h.WriteFile(ctx, s.Name, value+"\n")
	}
	argv, stdin := k.argv(s, value)
	_, err = h.Run(ctx, stdin, argv...)
	return err
}

func readFile(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.ReadFile(ctx, s.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is not there any more: %w", s.Name, err)
	}
	return strings.TrimSpace(text), err
}
