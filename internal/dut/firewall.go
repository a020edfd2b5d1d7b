package dut

import (
	"context"
	"errors"
	"fmt"
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
// traffic that nobody answers. Those of both directions are answers to each
// other where the flows of one are those of the other turned round, which they
// are with addresses and ports that are fixed or in order, and not with drawn
// ones; they pass at the first rule, all but the first few.
//
// The connections of a level are forgotten before it and after it.

// firewallError says what of a firewall is wrong in itself.
func firewallError(f weir.Firewall) error {
	switch f.Kind {
	case weir.Stateless, weir.Stateful, weir.NAT:
	default:
		return fmt.Errorf("there is no such kind; there are: %s, %s, %s", weir.Stateless, weir.Stateful, weir.NAT)
	}
	if f.Rules < 0 || f.Rules >= maxFilters {
		return fmt.Errorf("%d rules: it can be 0 to %d", f.Rules, maxFilters-1)
	}
	if _, ok := firewallPrograms[programOf(f)]; !ok {
		return fmt.Errorf("there is no program %q for firewalls; there are: %s, %s", f.With, weir.NFTables, weir.IPTables)
	}
	return nil
}

// firewallProgram is how one program is told of firewalls.
type firewallProgram struct {
	// check says why it cannot set one here, and changes nothing.
	check func(context.Context, weir.DUT, ruleset) error
	set   func(context.Context, weir.DUT, ruleset, *settings.Undo) error
	// denied reads how many frames of a family its firewall has denied.
	denied func(context.Context, weir.DUT, ruleset, *nftCounters) ([]weir.Drop, error)
}

// firewallPrograms is the table of them.
var firewallPrograms = map[string]firewallProgram{
	weir.NFTables: {checkNFT, setNFT, deniedNFT},
	weir.IPTables: {checkIPTables, setIPTables, deniedIPTables},
}

func programOf(f weir.Firewall) string {
	if f.With == "" {
		return weir.NFTables
	}
	return f.With
}

// ruleset is a firewall between the networks of a DUT, family by family.
type ruleset struct {
	firewall weir.Firewall
	anywhere bool // permits frames from the test networks to any destination
	families []familyRules
}

// familyRules is what a firewall has to know of one family.
type familyRules struct {
	name            string // "ip" or "ip6"
	inside, outside []netip.Prefix
	exits           []string // the ports that the forward direction leaves through
}

// remembers reports whether the firewall tracks connections.
func (r ruleset) remembers() bool { return r.firewall.Kind != weir.Stateless }

// newRuleset is a firewall for the networks behind a DUT's ports. Even ports
// are those where the forward direction begins.
func newRuleset(d weir.DUT, s Setup, f weir.Firewall, anywhere bool) ruleset {
	r := ruleset{firewall: f, anywhere: anywhere}
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
			}
		}
		if len(rules.inside)+len(rules.outside) > 0 {
			r.families = append(r.families, rules)
		}
	}
	return r
}

// networks are those of the family, the inside first.
func (f familyRules) networks() []netip.Prefix {
	return append(append([]netip.Prefix(nil), f.inside...), f.outside...)
}

// canFirewall says why a firewall cannot be set at the DUT.
func canFirewall(ctx context.Context, d weir.DUT, s Setup, c weir.Condition) error {
	if err := firewallError(c.Firewall); err != nil {
		return err
	}
	r := newRuleset(d, s, c.Firewall, c.Routes.Count > 0)
	errs := []error{firewallPrograms[programOf(c.Firewall)].check(ctx, d, r)}
	if r.remembers() {
		if _, err := d.Host.Run(ctx, "", "conntrack", "--version"); err != nil {
			errs = append(errs, fmt.Errorf("connections are forgotten with conntrack (Debian package conntrack): %w", err))
		}
	}
	return errors.Join(errs...)
}

// setFirewall loads the firewall of a condition.
func setFirewall(ctx context.Context, d weir.DUT, s Setup, c weir.Condition, undo *settings.Undo) error {
	if err := firewallError(c.Firewall); err != nil {
		return err
	}
	r := newRuleset(d, s, c.Firewall, c.Routes.Count > 0)
	if r.remembers() {
		forget := settings.Command{Argv: []string{"conntrack", "--flush"}}
		if err := undo.Do(ctx, d.Host, forget, forget); err != nil {
			return fmt.Errorf("forget the connections (Debian package conntrack): %w", err)
		}
	}
	return firewallPrograms[programOf(c.Firewall)].set(ctx, d, r, undo)
}

// firewalled reads what the firewall of the setup dropped, and the tracking of
// connections that it takes.
func firewalled(ctx context.Context, d weir.DUT, s Setup, named *nftCounters) ([]weir.Drop, error) {
	program, ok := firewallPrograms[programOf(s.Firewall)]
	if !ok {
		return nil, firewallError(s.Firewall)
	}
	r := newRuleset(d, s, s.Firewall, false)
	drops, err := program.denied(ctx, d, r, named)
	if err != nil || !r.remembers() {
		return drops, err
	}
	tracked, err := tracking(ctx, d)
	return append(drops, tracked...), err
}

// deniedPlace names the counter of a firewall.
func deniedPlace(family, program, counter string) string {
	name := map[string]string{"ip": "IPv4", "ip6": "IPv6"}[family]
	return "dut " + name + " firewall " + counter + " (" + program + ")"
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
