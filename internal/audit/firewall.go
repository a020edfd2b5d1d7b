package audit

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"weir/internal/settings"
)

func (s *site) ruleset(ctx context.Context) (ruleset, error) {
	text, err := s.run(ctx, "nft", "-s", "list", "ruleset")
	return parseRuleset(text), err
}

// checkFirewall looks for rules that frames are held against which the machine
// forwards, and for rules of others that have the connections of these tracked.
// What is for the machine alone costs them nothing, and nor do tables without a
// chain at a hook.
func checkFirewall(ctx context.Context, s *site) ([]Finding, error) {
	rules, err := s.ruleset(ctx)
	if err != nil {
		return nil, err
	}
	way, err := s.crossing(ctx)
	if err != nil {
		return nil, err
	}
	var passed, others []chain // others have connections tracked that the frames are of
	count, drops, fast := 0, false, false
	for _, c := range rules.chains {
		switch {
		case way.passes(c):
			passed = append(passed, c)
			drops = drops || c.drops
			for _, r := range rules.reached(c) {
				count += len(r.rules)
			}
		case c.hook != "" && way.ofFamily(c.family) && c.family != "arp" && slices.ContainsFunc(rules.reached(c), chain.tracks):
			others = append(others, c)
		}
	}
	for _, c := range rules.fast {
		fast = fast || way.passes(c)
	}
	var found []Finding
	if len(passed) > 0 || fast {
		f := Finding{Severity: Spoils, Wanted: "none", Found: passedChains(passed, count, fast)}
		if count == 0 && !drops && !fast {
			f.Severity, f.Reason = Doubtful, "each frame passes them, also without a rule in them"
		}
		found = append(found, rules.remedied(f, passed))
	}
	if len(others) > 0 {
		found = append(found, Finding{Severity: Spoils, Found: "rules that ask for connections (ct, nat) in " + listChains(others), Wanted: "none",
			Reason: "forwarded frames do not pass these rules, but because of them each is looked up among the connections, and entered there",
			Advice: "leave ct out of them, or keep the test networks out of the table: nft add table inet weir-audit; " +
				"nft 'add chain inet weir-audit raw { type filter hook prerouting priority raw; }'; nft add rule inet weir-audit raw ip saddr 198.18.0.0/15 notrack"})
	}
	return found, nil
}

// passedChains says which chains frames pass, and how many rules these have.
func passedChains(passed []chain, count int, fast bool) string {
	if len(passed) == 0 {
		return "a flowtable at the ports"
	}
	what := fmt.Sprintf("%s that forwarded frames pass, with %s (%s)", plural(len(passed), "chain", "chains"), plural(count, "rule", "rules"), listChains(passed))
	if fast {
		what += ", and a flowtable"
	}
	return what
}

// listChains lists chains, the first few by their names.
func listChains(chains []chain) string {
	const most = 4
	var all []string
	for i, c := range chains {
		if i == most {
			return strings.Join(all, ", ") + fmt.Sprintf(" and %d more", len(chains)-most)
		}
		all = append(all, c.String()+" at hook "+c.hook)
	}
	return strings.Join(all, ", ")
}

// remedied adds to a finding what takes the chains away that frames pass, and leaves all
// others: those protect the machine itself.
func (r ruleset) remedied(f Finding, passed []chain) Finding {
	switch {
	case r.legacy: // what nft cannot write down it cannot restore
		f.Remedy = []string{"iptables-save > rules.v4", "ip6tables-save > rules.v6"}
		f.Advice = "restore them with: iptables-restore < rules.v4; ip6tables-restore < rules.v6"
	case len(r.fast) > 0: // which holds its devices, and is named by rules
		f.Remedy = []string{"nft -s list ruleset > rules.nft", "nft flush ruleset"}
		f.Advice = "it opens the machine to whoever can reach it"
		f.mends = []mend{{settings.Setting{Kind: settings.Ruleset}, ""}}
		return f
	default:
		f.Remedy = []string{"nft -s list ruleset > rules.nft"}
		f.Advice = "restore them with: nft flush ruleset; nft -f rules.nft"
		f.mends = []mend{{settings.Setting{Kind: settings.Ruleset}, r.without(passed)}}
	}
	for _, c := range passed {
		f.Remedy = append(f.Remedy, "nft delete chain "+c.String())
	}
	return f
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
	tracked := slices.ContainsFunc(rules.chains, chain.tracks)
	var found []Finding
	if now > 0 && !tracked {
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
