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

// The rules of a level are a set of their own (ipfw(8), SETS OF RULES), at numbers that
// come before those of the user, past which frames between the ports go. ipfw sees a
// frame twice, too; it is held against the n rules where it goes out, when its way is
// known, as in Linux. Rules may have the same number, and are in the order in which they
// were added.
const (
	ipfwSet = 30
	// ipfwNAT is the instance of NAT of port 0; those of the others follow.
	ipfwNAT = 64000
)

// The numbers of the rules.
const (
	ipfwPorts  = 1 // what came in through a port goes on
	ipfwOthers = 2 // all else goes to the user's rules
	ipfwIn     = 3 // what comes in passes; what goes out goes on
	ipfwIPv6   = 4
	ipfwRules4 = 5
	ipfwRules6 = 6
	ipfwPassed = 7
	ipfwDenied = 8
	ipfwUser   = 9 // the first that may be the user's
)

func checkIPFW(ctx context.Context, d weir.DUT, r ruleset) error {
	if _, err := d.Host.Run(ctx, "", "sysctl", "-n", "net.inet.ip.fw.enable"); err != nil {
		return &weir.UnsupportedError{Feature: "ipfw", Err: err,
			Remedy: "load its module so that it permits what no rule denies, or it cuts weir off: kenv net.inet.ip.fw.default_to_accept=1 && kldload ipfw"}
	}
	if r.firewall.Kind == weir.NAT {
		if slices.ContainsFunc(r.families, func(f familyRules) bool { return f.name == "ip6" }) {
			return &weir.UnsupportedError{Feature: "nat of IPv6 with ipfw", Remedy: "it translates the prefixes of IPv6 alone: take pf, or IPv4 alone"}
		}
		if _, err := d.Host.Run(ctx, "", "kldstat", "-q", "-m", "ipfw_nat"); err != nil {
			return &weir.UnsupportedError{Feature: "nat with ipfw", Remedy: "load its module: kldload ipfw_nat", Err: err}
		}
		for _, f := range r.families {
			for i, own := range f.masks {
				if !own.IsValid() {
					return weir.Wrong("port %s has no address that sources could become", f.exits[i]).Advise("give it one")
				}
			}
		}
	}
	text, err := d.Host.Run(ctx, "", "ipfw", "-S", "list")
	if err != nil {
		return err
	}
	for line := range strings.Lines(text) {
		w := strings.Fields(line) // 00100 set 0 allow ...
		if len(w) < 3 {
			continue
		}
		if n, err := strconv.Atoi(w[0]); err == nil && (n < ipfwUser || w[2] == strconv.Itoa(ipfwSet)) {
			return weir.Wrong("ipfw has the rule %q, where weir's would be (numbers below %d, set %d)", strings.TrimSpace(line), ipfwUser, ipfwSet).Advise("give it another number and set")
		}
	}
	return nil
}

// setIPFW loads the rules one by one, as ipfw does with a file: what was loaded is
// taken away again when the next one fails.
func setIPFW(ctx context.Context, d weir.DUT, r ruleset, undo *settings.Undo) error {
	if err := checkIPFW(ctx, d, r); err != nil {
		return err
	}
	for _, f := range r.families {
		for i, own := range f.masks {
			if r.firewall.Kind != weir.NAT {
				break
			}
			number := strconv.Itoa(ipfwNAT + i)
			err := undo.Do(ctx, d.Host, settings.Command{Argv: []string{"ipfw", "-q", "nat", number, "config", "ip", own.String()}},
				settings.Command{Argv: []string{"ipfw", "-q", "nat", number, "delete"}})
			if err != nil {
				return fmt.Errorf("translate with ipfw: %w", err)
			}
		}
	}
	remove := settings.Command{Argv: []string{"ipfw", "-q", "delete", "set", strconv.Itoa(ipfwSet)},
		If: settings.Present{{List: []string{"ipfw", "-S", "list"}, Name: fmt.Sprintf("set %d", ipfwSet)}}}
	if err := undo.Try(ctx, d.Host, settings.Command{Argv: []string{"ipfw", "-q", "/dev/stdin"}, Stdin: r.ipfw()}, remove); err != nil {
		return fmt.Errorf("set it with ipfw: %w", err)
	}
	return nil
}

// ipfw is the firewall as a file of commands. A frame that a rule denies goes to the one
// rule that counts those; one of a known connection goes where the rule says that has
// made its state.
func (r ruleset) ipfw() string {
	var b strings.Builder
	rule := func(number int, format string, args ...any) {
		fmt.Fprintf(&b, "add %d set %d %s\n", number, ipfwSet, fmt.Sprintf(format, args...))
	}
	nat := r.firewall.Kind == weir.NAT
	for _, port := range r.ports {
		rule(ipfwPorts, "skipto %d ip from any to any recv %s", ipfwIn, port)
	}
	rule(ipfwOthers, "skipto %d ip from any to any", ipfwUser)
	first := map[string]int{"ip": ipfwPassed, "ip6": ipfwPassed} // a family without test networks is not held against rules
	for _, f := range r.families {
		first[f.name] = map[string]int{"ip": ipfwRules4, "ip6": ipfwRules6}[f.name]
		for i, exit := range f.exits {
			if nat { // answers
				rule(ipfwIn, "nat %d ip4 from any to %s in recv %s", ipfwNAT+i, f.masks[i], exit)
			}
		}
	}
	rule(ipfwIn, "allow ip from any to any in")
	rule(ipfwIPv6, "skipto %d ip6 from any to any", first["ip6"])
	rule(ipfwIPv6, "skipto %d ip from any to any", first["ip"])
	for _, f := range r.families {
		f.ipfw(r, func(format string, args ...any) { rule(first[f.name], format, args...) })
	}
	for _, f := range r.families {
		for i, exit := range f.exits {
			if nat {
				rule(ipfwPassed, "nat %d ip4 from %s to any out xmit %s", ipfwNAT+i, commas(f.inside), exit)
			}
		}
	}
	rule(ipfwPassed, "allow ip from any to any")
	rule(ipfwDenied, "deny ip4 from any to any")
	rule(ipfwDenied, "deny ip6 from any to any")
	return b.String()
}

// ipfw are the rules of a family.
func (f familyRules) ipfw(r ruleset, rule func(string, ...any)) {
	protocol := map[string]string{"ip": "ip4", "ip6": "ip6"}[f.name]
	state := ""
	if r.remembers() {
		rule("check-state")
		state = " keep-state"
	}
	for from, to := range f.denials(r) {
		rule("skipto %d %s from %s to %s", ipfwDenied, protocol, from, to)
	}
	from, to := f.networks(), f.networks()
	if r.firewall.Kind == weir.NAT {
		from, to = f.inside, f.outside
	}
	where := commas(to)
	if r.anywhere {
		where = "any"
	}
	rule("skipto %d %s from %s to %s%s", ipfwPassed, protocol, commas(from), where, state)
	rule("skipto %d ip from any to any", ipfwDenied)
}

// commas is a list of networks for ipfw, which takes no spaces there.
func commas(networks []netip.Prefix) string { return strings.ReplaceAll(writeList(networks), " ", "") }

// deniedIPFW reads the rules that deny: number, packets, octets, and the rule.
func deniedIPFW(ctx context.Context, d weir.DUT, r ruleset, _ *nftCounters) ([]weir.Drop, error) {
	text, err := d.Host.Run(ctx, "", "ipfw", "show", strconv.Itoa(ipfwDenied))
	if err != nil {
		return nil, err
	}
	counts := make(map[string]uint64)
	for line := range strings.Lines(text) {
		if w := strings.Fields(line); len(w) > 4 && w[3] == "deny" {
			n, err := strconv.ParseUint(w[1], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read the rule %d of ipfw: %w", ipfwDenied, err)
			}
			counts[w[4]] = n
		}
	}
	var drops []weir.Drop
	for _, f := range r.families {
		n, ok := counts[map[string]string{"ip": "ip4", "ip6": "ip6"}[f.name]]
		if !ok {
			return nil, fmt.Errorf("ipfw has no rule %d that denies any more: was it changed by somebody else?", ipfwDenied)
		}
		drops = append(drops, firewallDrop(f.name, weir.IPFW, countDenied, n))
	}
	return drops, nil
}
