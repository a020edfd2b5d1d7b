package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"weir/internal/uplink"
)

// link is a network device as `ip -json` shows it.
type link struct {
	Name   string   `json:"ifname"`
	Type   string   `json:"link_type"`
	Flags  []string `json:"flags"`
	MTU    int      `json:"mtu"`
	Master string   `json:"master"`
	Parent string   `json:"parentdev"`  // the device of a bus that it is part of
	Lower  string   `json:"link"`       // below it, or the other end of a veth
	Index  int      `json:"link_index"` // that of what is below it, in another namespace
	Info   struct {
		Kind string `json:"info_kind"` // "": hardware
	} `json:"linkinfo"`
	XDP json.RawMessage `json:"xdp"` // a program at the driver; empty: none
}

func (l link) isUp() bool { return slices.Contains(l.Flags, "UP") }

// findDevices lists the devices of the machine and takes those that are asked
// for. Where none are, these are the Ethernet ports of its hardware, or in a
// namespace without hardware its veth ports; never one that leads to the networks
// that the machine lives on.
func (s *site) findDevices(ctx context.Context) error {
	text, err := s.run(ctx, "ip", "-d", "-j", "link", "show")
	if err != nil {
		return err
	}
	if err := fromJSON(text, &s.all); err != nil {
		return fmt.Errorf("ip link: %w", err)
	}
	if err := s.guard(ctx); err != nil {
		return err
	}
	if len(s.Devices) > 0 {
		return s.take(s.Devices)
	}
	for _, kind := range []string{"", "veth"} {
		for _, l := range s.all {
			if l.Type == "ether" && l.Info.Kind == kind && !slices.Contains(s.guarded, l.Name) {
				s.links = append(s.links, l)
			}
		}
		if len(s.links) > 0 {
			break
		}
	}
	return nil
}

// guard finds the devices that lead to the networks that the machine lives on.
func (s *site) guard(ctx context.Context) error {
	var routes []uplink.Route
	for family, everywhere := range map[string]string{"-4": "0.0.0.0/0", "-6": "::/0"} {
		var read []struct {
			To       string `json:"dst"`
			Type     string `json:"type"` // "": unicast
			Dev      string `json:"dev"`
			Nexthops []struct {
				Dev string `json:"dev"`
			} `json:"nexthops"`
		}
		text, err := s.run(ctx, "ip", family, "-j", "route", "show", "table", "all")
		if err != nil {
			return err
		}
		if err := fromJSON(text, &read); err != nil {
			return fmt.Errorf("ip route: %w", err)
		}
		for _, r := range read {
			if r.To == "default" {
				r.To = everywhere
			}
			to, err := netip.ParsePrefix(r.To)
			if address, err2 := netip.ParseAddr(r.To); err2 == nil {
				to, err = netip.PrefixFrom(address, address.BitLen()), nil
			}
			if err != nil || r.Type != "" && r.Type != "unicast" {
				continue
			}
			route := uplink.Route{To: to, Through: []string{r.Dev}}
			for _, hop := range r.Nexthops {
				route.Through = append(route.Through, hop.Dev)
			}
			routes = append(routes, route)
		}
	}
	var links []uplink.Link
	for _, l := range s.all {
		links = append(links, uplink.Link{ID: l.Name, Kind: l.Info.Kind, Master: l.Master, Lower: l.Lower, Hidden: l.Lower == "" && l.Index != 0})
	}
	s.guarded = slices.Sorted(maps.Keys(uplink.Ports(links, routes)))
	return nil
}

// take takes the named devices, each once.
func (s *site) take(names []string) error {
	for i, name := range names {
		at := slices.IndexFunc(s.all, func(l link) bool { return l.Name == name })
		if at < 0 {
			var there []string
			for _, l := range s.all {
				there = append(there, l.Name)
			}
			return fmt.Errorf("there is no device %q; there are %s", name, strings.Join(there, ", "))
		}
		if slices.Index(names, name) == i {
			s.links = append(s.links, s.all[at])
		}
	}
	return nil
}

func (s *site) names() []string {
	names := []string{}
	for _, l := range s.links {
		names = append(names, l.Name)
	}
	return names
}

// fromJSON reads what a program of iproute2 says, which is nothing where there
// is nothing to say.
func fromJSON(text string, into any) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}
