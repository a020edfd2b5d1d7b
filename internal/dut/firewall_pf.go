package dut

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

// The rules of a level are in an anchor of their own, so that those of the user, which
// let weir's connection through, stay as they are. Nothing here can parse them: that
// pf takes them is known from pf.conf(5) alone, until pfctl -n of a DUT has said so.
//
// pf sees a frame twice, where it comes in and where it goes out. It is held against
// the n rules where it comes in. Its connection is remembered at both, as a state of
// pf knows the answers at its own port only.
const (
	pfAnchor      = "weir"
	pfStateLabel  = "weir"         // of the rules that make states
	pfDeniedLabel = "weir-denied-" // of those that deny, with the family after it
)

// pfStates has the states forgotten that weir's own rules have made: that of weir's
// connection is not among them.
var pfStates = &connections{forget: func(ruleset) []string { return []string{"pfctl", "-k", "label", "-k", pfStateLabel} }, with: "pfctl"}

// pf is that of one system.
type pf struct {
	lists []string // of rules that pfctl -s shows
	call  string   // the rules that have a frame held against those of the anchor
	// translations says that addresses are translated by rules of their own, as in
	// FreeBSD; else by those that permit.
	translations bool
	missing      string // what to do where there is no pf
}

var (
	freebsdPF = pf{[]string{"rules", "nat"}, `nat-anchor "weir"` + "\n" + `anchor "weir"` + "\n", true, "load its module: kldload pf"}
	openbsdPF = pf{[]string{"rules"}, `anchor "weir"` + "\n", false, "is this OpenBSD?"}
)

// pfLoad is a command that replaces the rules of an anchor by what it reads, as they are
// written: the optimizer would join some. Nothing to read is no rules.
func pfLoad(rules string, options ...string) settings.Command {
	from := "-"
	if rules == "" {
		from = "/dev/null"
	}
	return settings.Command{Argv: slices.Concat([]string{"pfctl"}, options, []string{"-f", from}), Stdin: rules}
}

// state asks what pf is: whether it is on, and whether its main rules call the anchor.
// With rules of the user's that do not, or that are not on, nothing can be done without
// changing what these are for.
func (p pf) state(ctx context.Context, h weir.Host) (on, called bool, err error) {
	info, err := h.Run(ctx, "", "pfctl", "-s", "info")
	if err != nil {
		return false, false, &weir.UnsupportedError{Feature: "pf", Remedy: p.missing, Err: err}
	}
	on = strings.Contains(info, "Status: Enabled")
	called = true
	var others []string
	for _, list := range p.lists {
		text, err := h.Run(ctx, "", "pfctl", "-s", list)
		if err != nil {
			return false, false, err
		}
		calls := 0
		for line := range strings.Lines(text) {
			switch {
			case strings.Contains(line, `anchor "`+pfAnchor+`"`):
				calls++
			case strings.TrimSpace(line) != "":
				others = append(others, strings.TrimSpace(line))
			}
		}
		called = called && calls > 0
	}
	switch {
	case len(others) == 0:
		return on, called, nil
	case !called:
		return false, false, weir.Wrong("pf has rules already (%q), which weir leaves alone", others[0]).Advise("put %q before them in /etc/pf.conf, and pfctl -f /etc/pf.conf", strings.ReplaceAll(strings.TrimSpace(p.call), "\n", "; "))
	case !on:
		return false, false, weir.Wrong("pf has rules (%q) and is off, and with it on they could cut weir off", others[0]).Advise("pfctl -e yourself")
	}
	return on, called, nil
}

func (p pf) check(ctx context.Context, d weir.DUT, r ruleset) error {
	if _, _, err := p.state(ctx, d.Host); err != nil {
		return err
	}
	parse := pfLoad(p.rules(r), "-n", "-o", "none", "-a", pfAnchor)
	if _, err := d.Host.Run(ctx, parse.Stdin, parse.Argv...); err != nil {
		return fmt.Errorf("pf does not take the rules: %w", err)
	}
	return nil
}

func (p pf) set(ctx context.Context, d weir.DUT, r ruleset, undo *settings.Undo) error {
	on, called, err := p.state(ctx, d.Host)
	if err != nil {
		return err
	}
	if !called {
		if err := undo.Do(ctx, d.Host, pfLoad(p.call), pfLoad("")); err != nil {
			return fmt.Errorf("have pf call the anchor: %w", err)
		}
	}
	if err := undo.Do(ctx, d.Host, pfLoad(p.rules(r), "-o", "none", "-a", pfAnchor), pfLoad("", "-a", pfAnchor)); err != nil {
		return fmt.Errorf("set it with pf: %w", err)
	}
	if on {
		return nil
	}
	return undo.Do(ctx, d.Host, settings.Command{Argv: []string{"pfctl", "-e"}}, settings.Command{Argv: []string{"pfctl", "-d"}})
}

// rules are those of the anchor. A family without test networks has none.
func (p pf) rules(r ruleset) string {
	var b strings.Builder
	rule := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	ports := "{ " + strings.Join(r.ports, " ") + " }"
	nat := r.firewall.Kind == weir.NAT
	for _, f := range r.families {
		for i, exit := range f.exits {
			if nat && p.translations {
				rule("nat on %s %s from { %s } to any -> %s", exit, pfFamily(f.name), writeList(f.inside), pfMask(exit, f.masks[i]))
			}
		}
	}
	for _, f := range r.families {
		family, states := pfFamily(f.name), "no state"
		label := pfDeniedLabel + f.name
		if r.remembers() {
			states = fmt.Sprintf("keep state label %q", pfStateLabel)
		}
		for from, to := range f.denials(r) {
			rule("block in quick %s from %s to %s label %q", family, from, to, label)
		}
		permit := func(from, to []netip.Prefix) {
			where := "any"
			if !r.anywhere {
				where = "{ " + writeList(to) + " }"
			}
			if len(from) > 0 && (r.anywhere || len(to) > 0) {
				rule("pass in quick %s from { %s } to %s %s", family, writeList(from), where, states)
			}
		}
		permit(f.inside, f.outside)
		if !nat {
			permit(f.outside, f.inside)
		}
		if family == "inet6" { // neighbour discovery is no traffic
			rule("pass in quick on %s inet6 proto icmp6 icmp6-type { 135 136 } no state", ports)
		}
		rule("block in quick on %s %s label %q", ports, family, label)
		for i, exit := range f.exits {
			if nat && !p.translations {
				rule("pass out quick on %s %s from { %s } nat-to %s %s", exit, family, writeList(f.inside), pfMask(exit, f.masks[i]), states)
			}
		}
		rule("pass out quick on %s %s %s", ports, family, states)
	}
	return b.String()
}

// pfFamily is a family in the words of pf.
func pfFamily(name string) string {
	if name == "ip" {
		return "inet"
	}
	return "inet6"
}

// pfMask is the address that sources become: the port's own, whichever that is where it
// has none from weir.
func pfMask(port string, own netip.Addr) string {
	if own.IsValid() {
		return own.String()
	}
	return "(" + port + ")"
}

// deniedPF reads the labels: name, evaluations, packets, and what else there is.
func deniedPF(ctx context.Context, d weir.DUT, r ruleset, _ *nftCounters) ([]weir.Drop, error) {
	text, err := d.Host.Run(ctx, "", "pfctl", "-a", pfAnchor, "-s", "labels")
	if err != nil {
		return nil, err
	}
	var drops []weir.Drop
	for _, f := range r.families {
		drop, found := firewallDrop(f.name, weir.PF, countDenied, 0), false
		for line := range strings.Lines(text) {
			w := strings.Fields(line)
			if len(w) < 3 || w[0] != pfDeniedLabel+f.name {
				continue
			}
			n, err := strconv.ParseUint(w[2], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read the labels of pf: %w", err)
			}
			drop.Count += n
			found = true
		}
		if !found {
			return nil, fmt.Errorf("pf has no rules that deny in its anchor %s any more: was it changed by somebody else?", pfAnchor)
		}
		drops = append(drops, drop)
	}
	return drops, nil
}
