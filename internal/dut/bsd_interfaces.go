package dut

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

// bsdPort is an interface as ifconfig(8) tells it.
type bsdPort struct {
	Interface
	discovery []string // its options of neighbour discovery
	media     string   // what it has chosen, where it says so: "10Gbase-SR <full-duplex>"
	mtu       string   // "MTU 1500"
}

// Interfaces asks ifconfig(8).
func (p bsd) Interfaces(ctx context.Context, h weir.Host) ([]Interface, error) {
	ports, err := p.ports(ctx, h)
	var out []Interface
	for _, one := range ports {
		out = append(out, one.Interface)
	}
	return out, err
}

func (p bsd) ports(ctx context.Context, h weir.Host) ([]bsdPort, error) {
	text, err := h.Run(ctx, "", "ifconfig", "-a")
	if err != nil {
		return nil, fmt.Errorf("ask for the interfaces: %w", err)
	}
	ports := parseIfconfig(text)
	if len(p.bridges) > 0 {
		more, err := h.Run(ctx, "", p.bridges...)
		var lost *weir.LostError
		if errors.As(err, &lost) || ctx.Err() != nil {
			return nil, err
		}
		text += more // a kernel without bridges is an error, and says nothing
	}
	join(ports, text)
	return ports, nil
}

// What an interface sends through is in the lines below it: the ports of a bridge, and of
// what bundles them, as each of the systems has it; what a VLAN and an address of CARP are on.
var (
	memberLine = regexp.MustCompile(`^\s+(?:(?:member|laggport|agrport): |trunkport )([^\s,]+)|^\s+(\S+) flags=|^\s+bond interfaces:((?: \S+)+)`)
	lowerLine  = regexp.MustCompile(`^\s+(?:vlan|encap|carp): .*\b(?:parent(?: interface)?:?|carpdev) (\S+)`)
)

// join fills in what is below interfaces, and what they are members of.
func join(ports []bsdPort, text string) {
	named := func(name string) int {
		return slices.IndexFunc(ports, func(o bsdPort) bool { return o.Name == name })
	}
	at := -1
	for line := range strings.Lines(text) {
		if !strings.ContainsAny(line[:1], " \t") {
			name, _, _ := strings.Cut(line, ":")
			at = named(name)
			continue
		}
		if at < 0 {
			continue
		}
		if found := memberLine.FindStringSubmatch(line); found != nil {
			for _, name := range strings.Fields(found[1] + found[2] + found[3]) { // macOS has all of a bond in one line
				ports[at].Below = append(ports[at].Below, name)
				if i := named(name); i >= 0 {
					ports[i].Member = ports[at].Name
				}
			}
		} else if found := lowerLine.FindStringSubmatch(line); found != nil {
			ports[at].Below = append(ports[at].Below, found[1])
		}
	}
}

// parseIfconfig reads what ifconfig -a says. An interface begins at the margin.
func parseIfconfig(text string) []bsdPort {
	var out []bsdPort
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if !strings.ContainsAny(line[:1], " \t") {
			one := bsdPort{}
			one.Name = strings.TrimSuffix(words[0], ":")
			one.Up = slices.Contains(bracketed(words[1]), "UP")
			if mtu, err := settings.ParseLinkMTU(line); err == nil {
				one.mtu = "MTU " + mtu
			}
			out = append(out, one)
			continue
		}
		if len(out) == 0 {
			continue
		}
		last := &out[len(out)-1]
		switch words[0] {
		case "ether", "lladdr", "address:": // of FreeBSD, OpenBSD, NetBSD
			last.MAC = words[1]
		case "inet", "inet6":
			if a, ok := parseInet(words[1:]); ok {
				last.Addresses = append(last.Addresses, a)
			}
		case "media:":
			last.media = strings.TrimPrefix(strings.TrimSpace(line), "media: ")
			if _, chosen, ok := strings.Cut(last.media, "("); ok {
				last.media = strings.TrimSuffix(chosen, ")")
			}
		case "nd6":
			last.discovery = bracketed(words[1])
		}
	}
	return out
}

// bracketed are the names in "flags=8843<UP,BROADCAST>".
func bracketed(word string) []string {
	_, list, _ := strings.Cut(word, "<")
	return strings.Split(strings.TrimSuffix(list, ">"), ",")
}

// parseInet reads an address with its length, which follows a slash, or the word
// prefixlen or netmask.
func parseInet(words []string) (netip.Prefix, bool) {
	text, length, slash := strings.Cut(words[0], "/")
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, false
	}
	for i := 1; !slash && i+1 < len(words); i++ {
		switch words[i] {
		case "prefixlen":
			length = words[i+1]
		case "netmask":
			mask, err := strconv.ParseUint(strings.TrimPrefix(words[i+1], "0x"), 16, 32)
			if err != nil {
				return netip.Prefix{}, false
			}
			length = strconv.Itoa(bits.OnesCount64(mask))
		}
	}
	n, err := strconv.Atoi(length)
	if err != nil {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(a.WithZone(""), n), true
}

// Toward asks the kernel. A link-local address says itself where it is.
func (bsd) Toward(ctx context.Context, h weir.Host, to netip.Addr) (string, error) {
	to = to.Unmap()
	if to.Zone() != "" {
		return to.Zone(), nil
	}
	text, err := h.Run(ctx, "", "route", "-n", "get", "-"+inet(to), to.String())
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "interface: "); ok {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s: route get %v says %q, without an interface", h.Name(), to, strings.TrimSpace(text))
}
