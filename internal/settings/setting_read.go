package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
)

func readMTU(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ip", "-j", "link", "show", "dev", s.Device)
	if err != nil {
		return "", err
	}
	var links []struct {
		MTU int `json:"mtu"`
	}
	if err := json.Unmarshal([]byte(text), &links); err != nil {
		return "", fmt.Errorf("ip link: %w", err)
	}
	if len(links) != 1 {
		return "", fmt.Errorf("there is no device %q", s.Device)
	}
	return strconv.Itoa(links[0].MTU), nil
}

// NeighbourEntry is one as `ip -json neighbor` shows it.
type NeighbourEntry struct {
	Address string   `json:"dst"`
	MAC     string   `json:"lladdr"`
	State   []string `json:"state"`
}

// The ways in which a neighbour's entry is kept.
const (
	Permanent = "permanent"
	ageing    = "ageing"
)

// value is an entry as a setting has it: its MAC, and whether it ages. The steps
// of ageing are all the same.
func (n NeighbourEntry) value() string {
	switch {
	case n.MAC == "":
		return ""
	case slices.Contains(n.State, "PERMANENT"):
		return n.MAC + " " + Permanent
	}
	return n.MAC + " " + ageing
}

// ParseNeighbours reads what `ip -json neighbor` says: nothing where there are none.
func ParseNeighbours(text string) (all []NeighbourEntry, err error) {
	if strings.TrimSpace(text) != "" {
		err = json.Unmarshal([]byte(text), &all)
	}
	return all, err
}

// readNeighbour is "" where there is no entry.
func readNeighbour(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "ip", "-j", "neighbor", "show", "dev", s.Device)
	if err != nil {
		return "", err
	}
	all, err := ParseNeighbours(text)
	for _, n := range all {
		if n.Address == s.Name {
			return n.value(), nil
		}
	}
	return "", err
}

func setNeighbour(s Setting, value string) Command {
	mac, way, _ := strings.Cut(value, " ")
	switch {
	case mac == "":
		return command("ip", "neighbor", "del", s.Name, "dev", s.Device)
	case way != Permanent:
		way = "stale"
	}
	return command("ip", "neighbor", "replace", s.Name, "lladdr", mac, "dev", s.Device, "nud", way)
}

const active = "active" // a service that runs

// readService is the state of a service of systemd, which exits with an error
// for one that is not active.
func readService(ctx context.Context, h weir.Host, s Setting) (string, error) {
	text, err := h.Run(ctx, "", "systemctl", "is-active", s.Name)
	if state := strings.TrimSpace(text); state == active || state == "inactive" || state == "failed" {
		return state, nil
	}
	return "", err
}

// readRuleset is all rules, without what they have counted.
func readRuleset(ctx context.Context, h weir.Host, _ Setting) (string, error) {
	return h.Run(ctx, "", "nft", "-s", "list", "ruleset")
}
