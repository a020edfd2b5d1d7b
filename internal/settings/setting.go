package settings

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

// The kinds of settings: their value is
const (
	File      = "file"      // what the file Name holds, one of the kernel's
	Feature   = "feature"   // "on" or "off", of the offload Name
	Pause     = "pause"     // "autoneg off rx on tx on", flow control
	Rings     = "rings"     // "rx 512 tx 512", entries
	Channels  = "channels"  // "rx 1 tx 1" or "combined 4", queues
	Spread    = "spread"    // "default", "equal 4", "weight 3 1" or "table 1 0", the queues in the table of hashes
	Hash      = "hash"      // "sdfn", fields of frames of the kind Name ("udp4") that are hashed
	MTU       = "mtu"       // octets
	Neighbour = "neighbour" // "MAC permanent" or "MAC ageing", of the address Name; "": there is no entry
	Thread    = "thread"    // "cpus 0-3 policy rr priority 1", of a port's kernel thread, Name: "77 napi/eth1-8193"
	Service   = "service"   // "active" or not, of systemd's Name
	Ruleset   = "ruleset"   // nftables' rules

	// Of a BSD, which has no files for them:
	Sysctl     = "sysctl"     // what the sysctl Name has
	Capability = "capability" // "on" or "off", of what ifconfig calls Name: "lro"
	LinkMTU    = "link_mtu"   // octets
)

// kind is how settings of one kind are read and set.
type kind struct {
	name string
	read func(context.Context, weir.Host, Setting) (string, error)
	// set is the command that sets a value.
	set func(Setting, string) Command
}

// kinds is the table of them.
var kinds = []kind{
	{File, readFile, nil}, // without a command
	{Feature, readFeature, func(s Setting, v string) Command { return command("ethtool", "-K", s.Device, s.Name, v) }},
	{Pause, readPause, func(s Setting, v string) Command {
		return command(append([]string{"ethtool", "-A", s.Device}, strings.Fields(v)...)...)
	}},
	{Rings, readCounts, setCounts},
	{Channels, readCounts, setCounts},
	{Spread, readSpread, setSpread},
	{Hash, readHash, func(s Setting, v string) Command {
		return command("ethtool", "-N", s.Device, "rx-flow-hash", s.Name, v)
	}},
	{MTU, readMTU, func(s Setting, v string) Command { return command("ip", "link", "set", "dev", s.Device, "mtu", v) }},
	{Neighbour, readNeighbour, setNeighbour},
	{Thread, readThread, setThread},
	{Service, readService, func(s Setting, v string) Command {
		if v == active {
			return command("systemctl", "start", s.Name)
		}
		return command("systemctl", "stop", s.Name)
	}},
	{Ruleset, readRuleset, func(_ Setting, v string) Command {
		if v == "" {
			return command("nft", "flush", "ruleset")
		}
		return Command{Argv: []string{"nft", "-f", "-"}, Stdin: "flush ruleset\n" + v}
	}},
	// NetBSD asks for -w; the other two take it and need it not.
	{Sysctl, readSysctl, func(s Setting, v string) Command { return command("sysctl", "-w", s.Name+"="+v) }},
	{Capability, readCapability, setCapability},
	{LinkMTU, readLinkMTU, func(s Setting, v string) Command { return command("ifconfig", s.Device, "mtu", v) }},
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
	if k.set == nil {
		return fileCommand(s.Name, value)
	}
	return k.set(s, value).String()
}

// fileCommand sets a value of the kernel with sysctl where its name is clear: a
// device's may have dots.
func fileCommand(path, value string) string {
	name, ok := strings.CutPrefix(path, "/proc/sys/")
	if ok && !strings.ContainsAny(name, ".' ") {
		return Line("sysctl", "-w", strings.ReplaceAll(name, "/", ".")+"="+value)
	}
	return Line("echo", value) + " > " + Word(path)
}

// String names a setting for people.
func (s Setting) String() string {
	return strings.Join(strings.Fields(s.Device+" "+s.Kind+" "+s.Name), " ")
}

// Get reads a setting as it is now.
func (s Setting) Get(ctx context.Context, h weir.Host) (string, error) {
	k, err := s.kind()
	if err != nil {
		return "", err
	}
	ctx, cancel := Limited(ctx, "")
	defer cancel()
	return k.read(ctx, h, s)
}

// set sets a value.
func (s Setting) set(ctx context.Context, h weir.Host, value string) error {
	k, err := s.kind()
	if err != nil {
		return err
	}
	if k.set == nil {
		return h.WriteFile(ctx, s.Name, value+"\n")
	}
	return k.set(s, value).run(ctx, h)
}

func readFile(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.ReadFile(ctx, s.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is not there any more: %w", s.Name, err)
	}
	return strings.TrimSpace(text), err
}
