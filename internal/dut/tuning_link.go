package dut

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"weir"
	"weir/internal/settings"
)

// leastMTU is that of IPv6 (RFC 8200 section 5): a port with less loses its
// addresses.
const leastMTU = 1280

// linkEnd is one end of a link between the DUT and the tester.
type linkEnd struct {
	host weir.Host
	name string
}

// ends are both ends of each port's link, where the other one is within reach.
func (at target) ends() []linkEnd {
	var out []linkEnd
	for i, p := range at.Ports {
		if far := at.Behind[i]; far != nil {
			out = append(out, linkEnd{far, p.Tester})
		}
		out = append(out, linkEnd{at.Host, p.DUT})
	}
	return out
}

// linkMTU is the MTU that a link has and can have.
type linkMTU struct {
	MTU  int `json:"mtu"`
	Min  int `json:"min_mtu"`
	Most int `json:"max_mtu"` // 0: there is no limit
}

func (e linkEnd) read(ctx context.Context) (linkMTU, error) {
	text, err := e.host.Run(ctx, "", "ip", "-json", "-details", "link", "show", "dev", e.name)
	if err != nil {
		return linkMTU{}, err
	}
	var links []linkMTU
	if err := json.Unmarshal([]byte(text), &links); err != nil || len(links) != 1 {
		return linkMTU{}, fmt.Errorf("read the link %s: %d links, %w", e.name, len(links), err)
	}
	return links[0], nil
}

func checkMTU(ctx context.Context, at target, t weir.Tuning) error {
	n, err := positive(t.Value)
	if err != nil {
		return err
	}
	if n < leastMTU {
		return fmt.Errorf("IPv6 takes %d at least", leastMTU)
	}
	for _, e := range at.ends() {
		link, err := e.read(ctx)
		if err != nil {
			return err
		}
		if n < link.Min || link.Most > 0 && n > link.Most {
			return weir.Wrong("%s takes %d to %d, as it is used here", e.name, max(link.Min, leastMTU), link.Most).Advise("take one of these")
		}
	}
	return nil
}

// setMTU changes a link at the end of the tester too, which would take no
// larger packets otherwise.
func setMTU(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	if err := checkMTU(ctx, at, t); err != nil {
		return err
	}
	for _, e := range at.ends() {
		if _, err := undo.Set(ctx, e.host, settings.Setting{Kind: settings.MTU, Device: e.name}, t.Value); err != nil {
			return err
		}
	}
	return nil
}

// rootQdisc is the queueing discipline that somebody gave a port; "" when it
// has the one of its kernel.
func (at target) rootQdisc(ctx context.Context, port string) (string, error) {
	text, err := at.Host.Run(ctx, "", "tc", "-json", "qdisc", "show", "dev", port)
	if err != nil {
		return "", fmt.Errorf("ask for the queueing discipline (Debian package iproute2): %w", err)
	}
	var list []struct {
		Kind, Handle string
		Root         bool
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return "", fmt.Errorf("read the queueing discipline of %s: %w", port, err)
	}
	for _, q := range list {
		if q.Root && q.Handle != "0:" {
			return q.Kind, nil
		}
	}
	return "", nil
}

func checkQdisc(ctx context.Context, at target, t weir.Tuning) error {
	for i, port := range at.Ports {
		other, err := at.rootQdisc(ctx, port.DUT)
		if err != nil {
			return err
		}
		if other != "" {
			return weir.Wrong("port %d has the queueing discipline %s already, which would be lost", i, other).Advise("leave the level out, or the policer that put it there")
		}
	}
	args := append([]string{"tc", "qdisc", "replace", "dev", "lo", "root"}, strings.Fields(t.Value)...)
	if err := apart(ctx, at.Host, "", args...); err != nil {
		return &weir.UnsupportedError{Feature: quoted(t), Remedy: "take another kind, or a kernel that has it", Err: err}
	}
	return nil
}

func setQdisc(ctx context.Context, at target, t weir.Tuning, undo *settings.Undo) error {
	for _, port := range at.Ports {
		args := append([]string{"tc", "qdisc", "replace", "dev", port.DUT, "root"}, strings.Fields(t.Value)...)
		if err := undo.Do(ctx, at.Host, settings.Command{Argv: args}, settings.Command{Argv: []string{"tc", "qdisc", "del", "dev", port.DUT, "root"}}); err != nil {
			return err
		}
	}
	return nil
}
