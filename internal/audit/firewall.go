package audit

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"weir/internal/settings"
)

func (s *site) ruleset(ctx context.Context) (string, error) {
	return s.run(ctx, "nft", "-s", "list", "ruleset")
}

// checkFirewall counts what each frame passes: tables without a chain at a hook
// cost nothing.
func checkFirewall(ctx context.Context, s *site) ([]Finding, error) {
	text, err := s.ruleset(ctx)
	if err != nil {
		return nil, err
	}
	chains := strings.Count(text, " hook ")
	if chains == 0 {
		return nil, nil
	}
	f := Finding{Severity: Spoils, Found: fmt.Sprintf("%s in %d lines of rules", plural(chains, "chain at a hook", "chains at hooks"), strings.Count(text, "\n")), Wanted: "none"}
	// What nft cannot write down it cannot restore.
	if strings.Contains(text, "xt match") || strings.Contains(text, "xt target") {
		f.Remedy = []string{"iptables-save > rules.v4", "ip6tables-save > rules.v6", "nft flush ruleset"}
		f.Advice = "restore them with: iptables-restore < rules.v4; ip6tables-restore < rules.v6"
	} else {
		f.Remedy = []string{"nft -s list ruleset > rules.nft", "nft flush ruleset"}
		f.Advice = "it opens the machine to whoever can reach it"
		f.mends = []mend{{settings.Setting{Kind: settings.Ruleset}, ""}}
	}
	return []Finding{f}, nil
}

func plural(n int, one, more string) string {
	if n == 1 {
		more = one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// checkLegacyTables looks for tables of the interface that iptables had before
// nftables: a kernel that has none does not have the file.
func checkLegacyTables(ctx context.Context, s *site) ([]Finding, error) {
	var found []Finding
	for _, family := range []struct{ file, module, save string }{
		{"/proc/net/ip_tables_names", "iptable_", "iptables-legacy-save"},
		{"/proc/net/ip6_tables_names", "ip6table_", "ip6tables-legacy-save"},
	} {
		text, there, err := s.file(ctx, family.file)
		if err != nil {
			return found, err
		}
		tables := strings.Fields(text)
		if !there || len(tables) == 0 {
			continue
		}
		f := Finding{Severity: Doubtful, Found: strings.Join(tables, ", ") + " in " + family.file, Wanted: "none",
			Remedy: []string{family.save + " > rules.legacy"}, Advice: "rules have to be flushed before a table can go"}
		for _, t := range tables {
			f.Remedy = append(f.Remedy, "modprobe -r "+family.module+t)
		}
		found = append(found, f)
	}
	return found, nil
}

// checkConntrack looks whether connections are tracked, and whether those of
// the plan have room.
func checkConntrack(ctx context.Context, s *site) ([]Finding, error) {
	const dir = "/proc/sys/net/netfilter/"
	most, there, err := s.number(ctx, dir+"nf_conntrack_max")
	if err != nil || !there {
		return nil, err
	}
	now, _, err := s.number(ctx, dir+"nf_conntrack_count")
	if err != nil {
		return nil, err
	}
	rules, err := s.ruleset(ctx)
	if err != nil {
		return nil, err
	}
	tracked := strings.Contains(rules, "ct state") || strings.Contains(rules, " nat ") || strings.Contains(rules, "masquerade")
	var found []Finding
	if now > 0 && !strings.Contains(rules, " hook ") {
		found = append(found, Finding{Severity: Doubtful, Found: fmt.Sprintf("%d connections, though there are no rules that need them", now), Wanted: "none",
			Reason: "something has connections tracked, and each frame is looked up among them", Remedy: []string{"conntrack -F", "modprobe -r nf_conntrack"}})
	}
	wanted := 1 << bits.Len(uint(max(2*s.Entries, now*2)-1)) // a power of two, as the kernel's own size is
	switch {
	case (tracked || now > 0) && s.Entries > most:
		found = append(found, Finding{Severity: Spoils, Found: fmt.Sprintf("room for %d, and the plan makes %d", most, s.Entries), Wanted: strconv.Itoa(wanted),
			mends: toFiles([]string{dir + "nf_conntrack_max"}, strconv.Itoa(wanted))})
	case now*10 >= most*9 && now > 0:
		found = append(found, Finding{Severity: Spoils, Found: fmt.Sprintf("%d of %d entries are taken", now, most), Wanted: strconv.Itoa(wanted),
			mends: toFiles([]string{dir + "nf_conntrack_max"}, strconv.Itoa(wanted))})
	}
	return found, nil
}
