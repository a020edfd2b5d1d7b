package dut

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"strings"

	"weir"
	"weir/internal/settings"
)

// A firewall is what people load into a router, in the order in which they do:
//
//	stateless  n rules that deny, the rule that permits, a denial of all else
//	stateful   a permit of what belongs to connections that are established, a
//	           denial of what belongs to none, n rules that deny, the rule that
//	           permits new connections, a denial of all else
//	nat        the same, with new connections from the inside alone (the ports
//	           that the forward direction begins at), whose source becomes the
//	           address of the port that they leave through
//
// A connection of UDP is established once it has had a frame of each direction.
// Test frames of one direction alone have no answers, so every one of them is
// held against all rules of a stateful firewall, as the kernel does with all
// traffic that nobody answers. (That is Linux. A state of pf, ipfw and npf takes
// all frames of its flow from the second one on, answered or not, so that only the
// first is held against the rules.) Those of both directions are answers to each
// other where the flows of one are those of the other turned round, which they
// are with addresses and ports that are fixed or in order, and not with drawn
// ones; they pass at the first rule, all but the first few.
//
// The connections of a level are forgotten before it and after it.

// firewalls are the programs that a platform has for them, the first of which is
// taken where a plan names none.
type firewalls []firewallProgram

// of is the program that sets a firewall; an error says what of that is wrong in
// itself.
func (all firewalls) of(f weir.Firewall) (firewallProgram, error) {
	if err := firewallError(f); err != nil {
		return firewallProgram{}, err
	}
	var names []string
	for _, p := range all {
		if p.name == f.With || f.With == "" {
			return p, nil
		}
		names = append(names, p.name)
	}
	return firewallProgram{}, weir.Wrong("there is no program %q for firewalls;", f.With).Advise("there are: %s", strings.Join(names, ", "))
}

// LinuxFirewalls are the programs that Linux has for firewalls.
func LinuxFirewalls() (names []string) {
	for _, p := range linuxFirewalls {
		names = append(names, p.name)
	}
	return names
}

// firewallError says what of a firewall is wrong whatever sets it.
func firewallError(f weir.Firewall) error {
	switch f.Kind {
	case weir.Stateless, weir.Stateful, weir.NAT:
	default:
		return weir.Wrong("there is no such kind;").Advise("there are: %s, %s, %s", weir.Stateless, weir.Stateful, weir.NAT)
	}
	if f.Rules < 0 || f.Rules >= maxFilters {
		return weir.Wrong("%d rules", f.Rules).Advise("it can be 0 to %d", maxFilters-1)
	}
	return nil
}

// firewallProgram is how one program is told of firewalls.
type firewallProgram struct {
	name string
	// connections is how they are forgotten, before a level that remembers some and
	// after it; nil: they go with its rules.
	connections *connections
	// check says why it cannot set one here, and changes nothing.
	check func(context.Context, weir.DUT, ruleset) error
	set   func(context.Context, weir.DUT, ruleset, *settings.Undo) error
	// denied reads how many frames of a family its firewall has denied.
	denied func(context.Context, weir.DUT, ruleset, *nftCounters) ([]weir.Drop, error)
}

// connections says how a firewall's memory is emptied.
type connections struct {
	forget func(ruleset) []string // the command
	ask    []string               // a command that fails where the other one is missing; none: it is not
	with   string                 // what has it
}

// linuxFirewalls is the table of those of Linux.
var linuxFirewalls = firewalls{
	{weir.NFTables, conntracked, checkNFT, setNFT, deniedNFT},
	{weir.IPTables, conntracked, checkIPTables, setIPTables, deniedIPTables},
}

var conntracked = &connections{forgetTracked, []string{"conntrack", "--version"}, "conntrack (Debian package conntrack)"}

// ruleset is a firewall between the networks of a DUT, family by family.
type ruleset struct {
	firewall weir.Firewall
	anywhere bool // permits frames from the test networks to any destination
	families []familyRules
	ports    []string // of the DUT
	only     bool     // what comes in at these alone is filtered
}

// familyRules is what a firewall has to know of one family.
type familyRules struct {
	name            string // "ip" or "ip6"
	inside, outside []netip.Prefix
	exits           []string     // the ports that the forward direction leaves through
	masks           []netip.Addr // the DUT's own addresses there, in the same order; not valid where it has none
}

// remembers reports whether the firewall tracks connections.
func (r ruleset) remembers() bool { return r.firewall.Kind != weir.Stateless }

// newRuleset is a firewall for the networks behind a DUT's ports. Even ports
// are those where the forward direction begins.
func newRuleset(d weir.DUT, s Setup, f weir.Firewall, anywhere bool) ruleset {
	r := ruleset{firewall: f, anywhere: anywhere, ports: portNames(d), only: s.InService}
	for _, name := range []string{"ip", "ip6"} {
		rules := familyRules{name: name}
		for i, port := range d.Ports {
			for _, n := range s.Route[i] {
				switch {
				case n.Addr().Is4() != (name == "ip"):
				case i%2 == 0:
					rules.inside = append(rules.inside, n)
				default:
					rules.outside = append(rules.outside, n)
				}
			}
			if i%2 == 1 {
				rules.exits = append(rules.exits, port.DUT)
				rules.masks = append(rules.masks, ownAddress(s.Address[i], name == "ip"))
			}
		}
		if len(rules.inside)+len(rules.outside) > 0 {
			r.families = append(r.families, rules)
		}
	}
	return r
}

// portNames are the names of a DUT's ports there.
func portNames(d weir.DUT) (names []string) {
	for _, port := range d.Ports {
		names = append(names, port.DUT)
	}
	return names
}

// networks are those of the family, the inside first.
func (f familyRules) networks() []netip.Prefix {
	return append(append([]netip.Prefix(nil), f.inside...), f.outside...)
}

// denials are the addresses of the rules that deny, which stand before that which permits.
func (f familyRules) denials(r ruleset) iter.Seq2[netip.Addr, netip.Addr] {
	return func(yield func(from, to netip.Addr) bool) {
		for n := range r.firewall.Rules {
			if !yield(denied(f.networks()[0].Addr(), n+1)) {
				return
			}
		}
	}
}

// permits are the networks between which new frames pass, pair by pair: with nat from the
// inside alone. The second is none where they pass to anywhere.
func (f familyRules) permits(r ruleset) (out [][2]netip.Prefix) {
	permit := func(from, to []netip.Prefix) {
		if r.anywhere {
			to = []netip.Prefix{{}}
		}
		for _, s := range from {
			for _, d := range to {
				out = append(out, [2]netip.Prefix{s, d})
			}
		}
	}
	permit(f.inside, f.outside)
	if r.firewall.Kind != weir.NAT {
		permit(f.outside, f.inside)
	}
	return out
}

// ownAddress is the first address of a family among those of a port.
func ownAddress(all []netip.Prefix, is4 bool) netip.Addr {
	for _, a := range all {
		if a.Addr().Is4() == is4 {
			return a.Addr()
		}
	}
	return netip.Addr{}
}

// can says why a firewall cannot be set at the DUT.
func (all firewalls) can(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error {
	program, err := all.of(c.Firewall())
	if err != nil {
		return err
	}
	r := newRuleset(d, s, c.Firewall(), c.Routes().Count > 0)
	errs := []error{program.check(ctx, d, r)}
	if known := program.connections; known != nil && len(known.ask) > 0 && r.remembers() {
		if _, err := d.Host.Run(ctx, "", known.ask...); err != nil {
			errs = append(errs, fmt.Errorf("connections are forgotten with %s: %w", known.with, err))
		}
	}
	return errors.Join(errs...)
}

// load sets the firewall of a condition.
func (all firewalls) load(ctx context.Context, d weir.DUT, s Setup, c weir.Condition, undo *settings.Undo) error {
	program, err := all.of(c.Firewall())
	if err != nil {
		return err
	}
	r := newRuleset(d, s, c.Firewall(), c.Routes().Count > 0)
	if known := program.connections; known != nil && r.remembers() {
		forget := settings.Command{Argv: known.forget(r)}
		if err := undo.Do(ctx, d.Host, forget, forget); err != nil {
			return fmt.Errorf("forget the connections with %s: %w", known.with, err)
		}
	}
	return program.set(ctx, d, r, undo)
}

// firewalled reads what the firewall of the setup dropped, and the tracking of
// connections that it takes.
func firewalled(ctx context.Context, d weir.DUT, s Setup, named *nftCounters) ([]weir.Drop, error) {
	program, err := linuxFirewalls.of(s.Firewall)
	if err != nil {
		return nil, err
	}
	r := newRuleset(d, s, s.Firewall, false)
	drops, err := program.denied(ctx, d, r, named)
	if err != nil || !r.remembers() {
		return drops, err
	}
	tracked, err := tracking(ctx, d)
	return append(drops, tracked...), err
}

// firewallDrop returns what a counter of a firewall has counted.
func firewallDrop(family, program, counter string, n uint64) weir.Drop {
	name := map[string]string{"ip": "IPv4", "ip6": "IPv6"}[family]
	return weir.Drop{Place: "dut " + name + " firewall " + counter + " (" + program + ")", Count: n, Kind: weir.DropDenied}
}

// What a firewall counts: frames that no rule permits, and frames that belong
// to no connection and begin none.
const (
	countDenied  = "denied"
	countInvalid = "stray"
)

// writeList writes networks with commas between them.
func writeList(networks []netip.Prefix) string {
	var list []string
	for _, n := range networks {
		list = append(list, n.String())
	}
	return strings.Join(list, ", ")
}
