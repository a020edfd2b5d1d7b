package audit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

func readFeature(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ethtool", "-k", s.Device)
	if err != nil {
		return "", err
	}
	on, _, there := feature(text, s.Name)
	switch {
	case !there:
		return "", fmt.Errorf("%s has no %s", s.Device, s.Name)
	case on:
		return "on", nil
	}
	return "off", nil
}

func readPause(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ethtool", "-a", s.Device)
	return pauseOf(text), err
}

// pauseOf is flow control as ethtool -A takes it.
func pauseOf(text string) string {
	return fmt.Sprintf("autoneg %s rx %s tx %s", field(text, "Autonegotiate"), field(text, "RX"), field(text, "TX"))
}

func readPresets(flag string, names []string) func(context.Context, weir.Host, Setting) (string, error) {
	return func(ctx context.Context, h weir.Host, s Setting) (string, error) {
		text, err := h.Run(ctx, "", "ethtool", flag, s.Device)
		if err != nil {
			return "", err
		}
		maximum, current := presets(text)
		for _, name := range names {
			if maximum[name] == 0 {
				delete(current, name)
			}
		}
		return preset(names, current), nil
	}
}

func readMTU(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ip", "-j", "link", "show", "dev", s.Device)
	if err != nil {
		return "", err
	}
	var links []link
	if err := fromJSON(text, &links); err != nil {
		return "", fmt.Errorf("ip link: %w", err)
	}
	if len(links) != 1 {
		return "", fmt.Errorf("there is no device %q", s.Device)
	}
	return strconv.Itoa(links[0].MTU), nil
}

// neighbour is an entry as `ip -json neighbor` shows it.
type neighbour struct {
	Address string   `json:"dst"`
	MAC     string   `json:"lladdr"`
	State   []string `json:"state"`
}

// The ways in which a neighbour's entry is kept.
const (
	permanent = "permanent"
	ageing    = "ageing"
)

// value is an entry as a setting has it: its MAC, and whether it ages. The steps
// of ageing are all the same.
func (n neighbour) value() string {
	switch {
	case n.MAC == "":
		return ""
	case slices.Contains(n.State, "PERMANENT"):
		return n.MAC + " " + permanent
	}
	return n.MAC + " " + ageing
}

func neighbours(text string) ([]neighbour, error) {
	var all []neighbour
	err := fromJSON(text, &all)
	return all, err
}

// readNeighbour is "" where there is no entry.
func readNeighbour(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ip", "-j", "neighbor", "show", "dev", s.Device)
	if err != nil {
		return "", err
	}
	all, err := neighbours(text)
	for _, n := range all {
		if n.Address == s.Name {
			return n.value(), nil
		}
	}
	return "", err
}

func setNeighbour(s Setting, value string) ([]string, string) {
	mac, way, _ := strings.Cut(value, " ")
	switch {
	case mac == "":
		return []string{"ip", "neighbor", "del", s.Name, "dev", s.Device}, ""
	case way == permanent:
		return []string{"ip", "neighbor", "replace", s.Name, "lladdr", mac, "dev", s.Device, "nud", permanent}, ""
	}
	return []string{"ip", "neighbor", "replace", s.Name, "lladdr", mac, "dev", s.Device, "nud", "stale"}, ""
}

// readService is the state of a service of systemd, which exits with an error
// for one that is not active.
func readService(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "systemctl", "is-active", s.Name)
	if state := strings.TrimSpace(text); state == "active" || state == "inactive" || state == "failed" {
		return state, nil
	}
	return "", err
}

// readRuleset is all rules, without what they have counted.
func readRuleset(ctx context.Context, h weir.Host, _ Setting) (string, error) {
	return h.Run(ctx, "", "nft", "-s", "list", "ruleset")
}
