package dut

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/settings"
)

const firewallTable = "weir_firewall"

func nftError(err error) error {
	return fmt.Errorf("set it with nftables (Debian package nftables): %w", err)
}

func checkNFT(ctx context.Context, d weir.DUT, r ruleset) error {
	if err := apart(ctx, d.Host, r.nft(firewallTable), "nft", "-f", "-"); err != nil {
		return nftError(err)
	}
	return nil
}

func setNFT(ctx context.Context, d weir.DUT, r ruleset, undo *settings.Undo) error {
	return loadNFT(ctx, d, r, firewallTable, undo)
}

// loadNFT loads the rules as tables of that name.
func loadNFT(ctx context.Context, d weir.DUT, r ruleset, table string, undo *settings.Undo) error {
	var remove strings.Builder
	for _, f := range r.families {
		remove.WriteString(removeTable(f.name, table))
	}
	if err := undo.Do(ctx, d.Host, nft(r.nft(table)), nft(remove.String())); err != nil {
		return nftError(err)
	}
	return nil
}

// removeTable returns a script of nftables that removes a table, also where somebody has
// emptied all rules meanwhile, and it is gone.
func removeTable(family, table string) string {
	return fmt.Sprintf("add table %[1]s %[2]s\ndelete table %[1]s %[2]s\n", family, table)
}

// nft is the command that runs a script of nftables.
func nft(script string) settings.Command {
	return settings.Command{Argv: []string{"nft", "-f", "-"}, Stdin: script}
}

// nft is the firewall as a script: a table of its own for each family, so that
// no frame is held against rules of the other one.
func (r ruleset) nft(table string) string {
	var b strings.Builder
	for _, f := range r.families {
		fmt.Fprintf(&b, "table %s %s {\n  counter %s { }\n", f.name, table, countDenied)
		if r.remembers() {
			fmt.Fprintf(&b, "  counter %s { }\n", countInvalid)
		}
		b.WriteString("  chain forward {\n    type filter hook forward priority 0; policy accept;\n")
		if r.only {
			b.WriteString(nftOthers(r.ports))
		}
		if r.remembers() {
			b.WriteString("    ct state established,related accept\n")
			fmt.Fprintf(&b, "    ct state invalid counter name %s drop\n", countInvalid)
		}
		for from, to := range f.denials(r) {
			fmt.Fprintf(&b, "    %s saddr %s %s daddr %s counter name %s drop\n", f.name, from, f.name, to, countDenied)
		}
		f.nftPermit(&b, r)
		fmt.Fprintf(&b, "    counter name %s drop\n  }\n", countDenied)
		if r.firewall.Kind == weir.NAT {
			b.WriteString("  chain postrouting {\n    type nat hook postrouting priority 100; policy accept;\n")
			fmt.Fprintf(&b, "    oifname { %s } %s saddr { %s } masquerade\n  }\n", quotedNames(f.exits), f.name, writeList(f.inside))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// nftOthers is the rule that leaves alone what does not come in at a test port.
func nftOthers(ports []string) string {
	return fmt.Sprintf("    iifname != { %s } accept\n", quotedNames(ports))
}

// nftPermit writes the rule that permits.
func (f familyRules) nftPermit(b *strings.Builder, r ruleset) {
	from, to := f.networks(), f.networks()
	if r.firewall.Kind == weir.NAT {
		from, to = f.inside, f.outside
	}
	fmt.Fprintf(b, "    %s saddr { %s }", f.name, writeList(from))
	if !r.anywhere {
		fmt.Fprintf(b, " %s daddr { %s }", f.name, writeList(to))
	}
	if r.remembers() {
		b.WriteString(" ct state new")
	}
	b.WriteString(" accept\n")
}

func quotedNames(names []string) string {
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%q", n))
	}
	return strings.Join(out, ", ")
}

func deniedNFT(ctx context.Context, _ weir.DUT, r ruleset, named *nftCounters) ([]weir.Drop, error) {
	var drops []weir.Drop
	for _, f := range r.families {
		counters, err := named.of(ctx, f.name, firewallTable)
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			if slices.Contains([]string{countDenied, countInvalid}, c.Name) {
				drops = append(drops, firewallDrop(f.name, weir.NFTables, c.Name, c.Packets))
			}
		}
	}
	return drops, nil
}
