package settings

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weir"
)

// This is what settings of FreeBSD, OpenBSD and NetBSD are read with: sysctl(8) and
// ifconfig(8).

func readSysctl(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "sysctl", "-n", s.Name)
	return strings.TrimSpace(text), err
}

// onLines are the beginnings of the lines on which ifconfig lists what a port has
// turned on: its flags, and its options by the words of FreeBSD and of NetBSD.
var onLines = regexp.MustCompile(`(?m)^(?:\S+: flags|\s+options|\s+enabled)=[0-9a-fx]+<([^>]*)>`)

// ParseCapabilities are the names of all that ifconfig lists as turned on at a port.
func ParseCapabilities(text string) (on []string) {
	for _, line := range onLines.FindAllStringSubmatch(text, -1) {
		on = append(on, strings.Split(line[1], ",")...)
	}
	return on
}

// CapabilityWord is what ifconfig shows for a capability: its name in capitals, but for
// one of OpenBSD.
func CapabilityWord(name string) string {
	if name == "tcplro" {
		return "LRO"
	}
	return strings.ToUpper(name)
}

func readCapability(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ifconfig", s.Device)
	if err != nil {
		return "", err
	}
	if slices.Contains(ParseCapabilities(text), CapabilityWord(s.Name)) {
		return "on", nil
	}
	return "off", nil
}

func setCapability(s Setting, v string) Command {
	name := s.Name
	if v == "off" {
		name = "-" + name
	}
	return command("ifconfig", s.Device, name)
}

var linkMTU = regexp.MustCompile(`\bmtu (\d+)`)

// ParseLinkMTU is the MTU of a port, of which ifconfig says text.
func ParseLinkMTU(text string) (string, error) {
	found := linkMTU.FindStringSubmatch(text)
	if found == nil {
		return "", errors.New("ifconfig tells no MTU")
	}
	return found[1], nil
}

func readLinkMTU(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ifconfig", s.Device)
	if err != nil {
		return "", err
	}
	mtu, err := ParseLinkMTU(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", s.Device, err)
	}
	return mtu, nil
}
