package dut

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/settings"
)

// The chains of a firewall in iptables.
const (
	chainFirewall = "WEIR_FIREWALL"
	chainDenied   = "WEIR_DENIED"
	chainInvalid  = "WEIR_STRAY"
	chainNAT      = "WEIR_NAT"
)

// iptablesOf is the program for a family.
func iptablesOf(family string) string { return family + "tables" }

func iptablesError(err error) error {
	return fmt.Errorf("set it with iptables (Debian package iptables): %w", err)
}

// checkIPTables takes the variant of iptables that speaks to nf_tables alone:
// the hooks of the other one stay in the kernel when its rules are gone, and
// every frame of a later level would pass them.
func checkIPTables(ctx context.Context, d weir.DUT, r ruleset) error {
	for _, f := range r.families {
		said, err := d.Host.Run(ctx, "", iptablesOf(f.name), "-V")
		if err != nil {
			return iptablesError(err)
		}
		if !strings.Contains(said, "nf_tables") {
			return weir.Wrong("this is %s, whose hooks stay in the kernel when its rules are gone", strings.TrimSpace(said)).Advise("update-alternatives --set %s /usr/sbin/%s-nft", iptablesOf(f.name), iptablesOf(f.name))
		}
		if err := apart(ctx, d.Host, r.iptables(f), iptablesOf(f.name)+"-restore", "--noflush"); err != nil {
			return iptablesError(err)
		}
	}
	_, err := standing(ctx, d)
	return err
}

// standing are the tables and chains that are there, as nft lists them: iptables shows those
// that it knows, there or not, and cannot take a table away.
func standing(ctx context.Context, d weir.DUT) (string, error) {
	list, err := d.Host.Run(ctx, "", "nft", "list", "chains")
	if err != nil {
		return "", fmt.Errorf("what iptables leaves is taken away with nft (Debian package nftables): %w", err)
	}
	return list, nil
}

func setIPTables(ctx context.Context, d weir.DUT, r ruleset, undo *settings.Undo) error {
	stood, err := standing(ctx, d)
	if err != nil {
		return err
	}
	for _, f := range r.families {
		program := iptablesOf(f.name)
		load := settings.Command{Argv: []string{program + "-restore", "--noflush"}, Stdin: r.iptables(f)}
		remove := program + "-restore --noflush" + emptied(stood, f.name, "filter", "FORWARD")
		if r.firewall.Kind == weir.NAT {
			remove += emptied(stood, f.name, "nat", "POSTROUTING")
		}
		if err := undo.Do(ctx, d.Host, load, settings.Command{Argv: []string{"sh", "-c", remove}, Stdin: r.removal()}); err != nil {
			return iptablesError(err)
		}
	}
	return nil
}

// emptied goes on with a shell's command by taking away what is empty and was not among what
// stood there before: the hook of a chain, which every frame would pass otherwise, and its
// table. iptables makes both again when they are needed. Others may have rules in them.
func emptied(stood, family, table, chain string) (then string) {
	_, rest, there := strings.Cut("\n"+stood, fmt.Sprintf("\ntable %s %s {", family, table))
	chains, _, _ := strings.Cut(rest, "\n}")
	if !strings.Contains(chains, "\n\tchain "+chain+" {\n") {
		then = fmt.Sprintf(` && rules=$(%[1]s -t %[2]s -S %[3]s) && { [ "$rules" != "-P %[3]s ACCEPT" ] || %[1]s -t %[2]s -X %[3]s; }`, iptablesOf(family), table, chain)
	}
	if !there {
		then += fmt.Sprintf(` && { nft list table %[1]s %[2]s | grep -q '^[[:space:]]' || nft delete table %[1]s %[2]s; }`, family, table)
	}
	return then
}

// iptables is the firewall of a family as iptables-restore reads it. It permits
// with a rule for each pair of networks, since iptables has no sets.
func (r ruleset) iptables(f familyRules) string {
	var b strings.Builder
	b.WriteString("*filter\n")
	for _, c := range []string{chainFirewall, chainDenied, chainInvalid} {
		fmt.Fprintf(&b, ":%s - [0:0]\n", c)
	}
	fmt.Fprintf(&b, "-A %s -j DROP\n-A %s -j DROP\n", chainDenied, chainInvalid)
	rule := func(format string, args ...any) { fmt.Fprintf(&b, "-A "+chainFirewall+" "+format+"\n", args...) }
	begun := ""
	if r.remembers() {
		rule("-m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT")
		rule("-m conntrack --ctstate INVALID -g " + chainInvalid)
		begun = " -m conntrack --ctstate NEW"
	}
	for from, to := range f.denials(r) {
		rule("-s %s -d %s -g %s", from, to, chainDenied)
	}
	for _, p := range f.permits(r) {
		to := ""
		if p[1].IsValid() {
			to = " -d " + p[1].String()
		}
		rule("-s %s%s%s -j ACCEPT", p[0], to, begun)
	}
	rule("-g " + chainDenied)
	for _, from := range r.hooked() {
		fmt.Fprintf(&b, "-I FORWARD%s -j %s\n", from, chainFirewall)
	}
	b.WriteString("COMMIT\n")
	if r.firewall.Kind == weir.NAT {
		fmt.Fprintf(&b, "*nat\n:%s - [0:0]\n", chainNAT)
		for _, exit := range f.exits {
			for _, n := range f.inside {
				fmt.Fprintf(&b, "-A %s -s %s -o %s -j MASQUERADE\n", chainNAT, n, exit)
			}
		}
		fmt.Fprintf(&b, "-I POSTROUTING -j %s\nCOMMIT\n", chainNAT)
	}
	return b.String()
}

// hooked are the conditions on which a frame that is forwarded comes to the firewall: at a
// DUT in service by a test port each.
func (r ruleset) hooked() []string {
	if !r.only {
		return []string{""}
	}
	var out []string
	for _, port := range r.ports {
		out = append(out, " -i "+port)
	}
	return out
}

// removal undoes what iptables has written.
func (r ruleset) removal() string {
	var b strings.Builder
	remove := func(table, hook string, from []string, chains ...string) {
		fmt.Fprintf(&b, "*%s\n", table)
		for _, f := range from {
			fmt.Fprintf(&b, "-D %s%s -j %s\n", hook, f, chains[0])
		}
		for _, c := range chains {
			fmt.Fprintf(&b, "-F %s\n", c)
		}
		for _, c := range chains {
			fmt.Fprintf(&b, "-X %s\n", c)
		}
		b.WriteString("COMMIT\n")
	}
	remove("filter", "FORWARD", r.hooked(), chainFirewall, chainDenied, chainInvalid)
	if r.firewall.Kind == weir.NAT {
		remove("nat", "POSTROUTING", []string{""}, chainNAT)
	}
	return b.String()
}

func deniedIPTables(ctx context.Context, d weir.DUT, r ruleset, _ *nftCounters) ([]weir.Drop, error) {
	var drops []weir.Drop
	for _, f := range r.families {
		for _, c := range []struct{ chain, counter string }{{chainDenied, countDenied}, {chainInvalid, countInvalid}} {
			n, err := readChain(ctx, d, iptablesOf(f.name), c.chain)
			if err != nil {
				return nil, err
			}
			drops = append(drops, firewallDrop(f.name, weir.IPTables, c.counter, n))
		}
	}
	return drops, nil
}

// readChain is how many frames the one rule of a chain has dropped.
func readChain(ctx context.Context, d weir.DUT, program, chain string) (uint64, error) {
	text, err := d.Host.Run(ctx, "", program, "-t", "filter", "-vxnL", chain)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if slices.Contains(f, "DROP") {
			n, err := strconv.ParseUint(f[0], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read the chain %s of %s: %w", chain, program, err)
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("the chain %s of %s drops nothing: was it changed by somebody else?", chain, program)
}
