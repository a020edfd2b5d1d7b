package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// link is a network device as `ip -json` shows it.
type link struct {
	Name   string   `json:"ifname"`
	Type   string   `json:"link_type"`
	Flags  []string `json:"flags"`
	MTU    int      `json:"mtu"`
	Master string   `json:"master"`
	Parent string   `json:"parentdev"` // the device of a bus that it is part of
	Info   struct {
		Kind string `json:"info_kind"` // "": hardware
	} `json:"linkinfo"`
	XDP json.RawMessage `json:"xdp"` // a program at the driver; empty: none
}

func (l link) isUp() bool { return slices.Contains(l.Flags, "UP") }

// findDevices lists the devices of the machine and takes those that are asked
// for. Where none are, these are the Ethernet ports of its hardware, or in a
// namespace without hardware its veth ports; never one that a default route
// leaves through, which leads elsewhere.
func (s *site) findDevices(ctx context.Context) error {
	text, err := s.run(ctx, "ip", "-d", "-j", "link", "show")
	if err != nil {
		return err
	}
	if err := fromJSON(text, &s.all); err != nil {
		return fmt.Errorf("ip link: %w", err)
	}
	for _, family := range []string{"-4", "-6"} {
		var routes []struct {
			Dev      string `json:"dev"`
			Nexthops []struct {
				Dev string `json:"dev"`
			} `json:"nexthops"`
		}
		if text, err = s.run(ctx, "ip", family, "-j", "route", "show", "default"); err != nil {
			return err
		}
		if err := fromJSON(text, &routes); err != nil {
			return fmt.Errorf("ip route: %w", err)
		}
		for _, r := range routes {
			devices := []string{r.Dev}
			for _, hop := range r.Nexthops {
				devices = append(devices, hop.Dev)
			}
			for _, d := range devices {
				if d != "" && !slices.Contains(s.guarded, d) {
					s.guarded = append(s.guarded, d)
				}
			}
		}
	}
	// What carries a guarded device carries its frames too.
	for _, l := range s.all {
		if slices.Contains(s.guarded, l.Master) && !slices.Contains(s.guarded, l.Name) {
			s.guarded = append(s.guarded, l.Name)
		}
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
