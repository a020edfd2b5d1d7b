package dut

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weir"
)

// Interface is one of a host's.
type Interface struct {
	Name, MAC string
	Up        bool
	Addresses []netip.Prefix
	// Below are the interfaces through which it sends, by name: the ports of a bridge, of
	// what bundles them or of a VRF, what a VLAN lies on, the other end of a virtual link.
	Below []string
	// Member is what takes the frames that come in at it, by name: a bridge, or what bundles
	// ports; "": its own IP stack.
	Member string
}

// Carrying are the interfaces through which one of these names sends, itself among them.
func Carrying(all []Interface, names ...string) []string {
	var out []string
	for next := names; len(next) > 0; next = next[1:] {
		if slices.Contains(out, next[0]) {
			continue
		}
		out = append(out, next[0])
		for _, i := range all {
			if i.Name == next[0] {
				next = append(next, i.Below...)
			}
		}
	}
	return out
}

// Find asks a host which system it runs, and returns the platform for it, with its
// name. One that weir does not know is an error that says what can be done.
func Find(ctx context.Context, h weir.Host) (name string, p Platform, err error) {
	said, err := h.Run(ctx, "", "uname", "-s")
	if err != nil {
		return "", nil, fmt.Errorf("ask which system %s has: %w", h.Name(), err)
	}
	name = strings.ToLower(strings.TrimSpace(said))
	if p, err = ByName(name); err != nil {
		return "", nil, fmt.Errorf("%s says that its system is %q (uname -s), which weir cannot tell to forward; it can: %s. Measure it as a box of which nothing is known: leave host out of dut; or add the system, one file in internal/dut (CONTRIBUTING.md)",
			h.Name(), strings.TrimSpace(said), strings.Join(Names(), ", "))
	}
	return name, p, nil
}

// PortsOf are the interfaces of these names among those of a host. An error says what is
// there.
func PortsOf(h weir.Host, all []Interface, names []string) ([]Interface, error) {
	var out []Interface
	for _, name := range names {
		i := slices.IndexFunc(all, func(o Interface) bool { return o.Name == name })
		if i < 0 {
			var there []string
			for _, o := range all {
				there = append(there, o.Name)
			}
			return nil, fmt.Errorf("%s has no interface %s; it has: %s", h.Name(), name, strings.Join(there, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

// Interfaces asks ip(8).
func (linux) Interfaces(ctx context.Context, h weir.Host) ([]Interface, error) {
	text, err := h.Run(ctx, "", "ip", "-j", "-d", "address", "show")
	if err != nil {
		return nil, fmt.Errorf("ask for the interfaces: %w", err)
	}
	var links []struct {
		Name   string   `json:"ifname"`
		Lower  string   `json:"link"` // where that is in the same network namespace
		Master string   `json:"master"`
		MAC    string   `json:"address"`
		Flags  []string `json:"flags"`
		Addrs  []struct {
			Local string `json:"local"`
			Bits  int    `json:"prefixlen"`
		} `json:"addr_info"`
		Info struct {
			Of string `json:"info_slave_kind"` // of its master: bridge, bond, vrf
		} `json:"linkinfo"`
	}
	if err := json.Unmarshal([]byte(text), &links); err != nil {
		return nil, fmt.Errorf("%s: ip -j address: %w", h.Name(), err)
	}
	var out []Interface
	for _, l := range links {
		i := Interface{Name: l.Name, MAC: l.MAC, Up: slices.Contains(l.Flags, "UP")}
		for _, a := range l.Addrs {
			if own, err := netip.ParseAddr(a.Local); err == nil {
				i.Addresses = append(i.Addresses, netip.PrefixFrom(own, a.Bits))
			}
		}
		if l.Lower != "" {
			i.Below = append(i.Below, l.Lower)
		}
		for _, o := range links {
			if o.Master == l.Name {
				i.Below = append(i.Below, o.Name)
			}
		}
		if l.Info.Of != "vrf" { // which has routes of its own, and takes no frames
			i.Member = l.Master
		}
		out = append(out, i)
	}
	return out, nil
}

// Toward asks the kernel.
func (linux) Toward(ctx context.Context, h weir.Host, to netip.Addr) (string, error) {
	text, err := h.Run(ctx, "", "ip", "-j", "route", "get", to.String())
	if err != nil {
		return "", err
	}
	var routes []struct {
		Device string `json:"dev"`
	}
	if err := json.Unmarshal([]byte(text), &routes); err != nil || len(routes) == 0 {
		return "", fmt.Errorf("%s: ip -j route get %v says %q", h.Name(), to, strings.TrimSpace(text))
	}
	return routes[0].Device, nil
}
