package dut

import (
	"net/netip"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testenv"
)

// walled is a router of IPv4 alone, and what it was told to set a firewall.
func walled(t *testing.T, c weir.Condition) (told, undone []string) {
	t.Helper()
	r := &recorded{}
	d, s := router(r)
	s.Route[1] = []netip.Prefix{netip.MustParsePrefix("198.19.0.0/16")}
	undo, err := linux{}.Apply(t.Context(), d, s, c)
	if err != nil {
		t.Fatal(err)
	}
	told, r.told = r.told, nil
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	return told, r.told
}

func script(program, text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, program+" < "+strings.TrimSuffix(line, "\n"))
	}
	return out
}

func TestFirewallNFT(t *testing.T) {
	told, undone := walled(t, weir.ConditionOf(weir.Firewall{Kind: weir.NAT, Rules: 1}))
	want := append([]string{"conntrack --flush"}, script("nft -f -", `table ip weir_firewall {
  counter denied { }
  counter stray { }
  chain forward {
    type filter hook forward priority 0; policy accept;
    ct state established,related accept
    ct state invalid counter name stray drop
    ip saddr 198.18.1.1 ip daddr 198.18.101.1 counter name denied drop
    ip saddr { 198.18.0.0/16 } ip daddr { 198.19.0.0/16 } ct state new accept
    counter name denied drop
  }
  chain postrouting {
    type nat hook postrouting priority 100; policy accept;
    oifname { "d1" } ip saddr { 198.18.0.0/16 } masquerade
  }
}
`)...)
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"nft -f - < add table ip weir_firewall", "nft -f - < delete table ip weir_firewall", "conntrack --flush"}, undone); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
	// A stateless one tracks nothing, and with routes it permits any destination.
	told, _ = walled(t, weir.ConditionOf(weir.Firewall{Kind: weir.Stateless}, weir.RouteSet{Count: 5}))
	if got := strings.Join(told, "\n"); strings.Contains(got, "ct state") || strings.Contains(got, "conntrack") ||
		!strings.Contains(got, "    ip saddr { 198.18.0.0/16, 198.19.0.0/16 } accept\n") {
		t.Errorf("stateless: %s", got)
	}
}

// A table is removed with what is in it, and also where somebody has emptied all rules.
func TestRemoveTable(t *testing.T) {
	testenv.NeedRoot(t)
	const table = "table inet weir_test {\n  chain forward {\n    type filter hook forward priority 0;\n  }\n}\n"
	for name, before := range map[string]string{"there": table, "emptied": table + "flush ruleset\n", "never there": ""} {
		cmd := exec.Command("unshare", "--net", "sh", "-c", "nft -f - && nft list ruleset")
		cmd.Stdin = strings.NewReader(before + removeTable("inet", "weir_test"))
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v, and then there is %q", name, err, out)
		}
	}
}

func TestFirewallIPTables(t *testing.T) {
	told, undone := walled(t, weir.ConditionOf(weir.Firewall{Kind: weir.NAT, Rules: 1, With: weir.IPTables}))
	want := append([]string{"conntrack --flush", "nft list chains"}, script("iptables-restore --noflush", `*filter
:WEIR_FIREWALL - [0:0]
:WEIR_DENIED - [0:0]
:WEIR_STRAY - [0:0]
-A WEIR_DENIED -j DROP
-A WEIR_STRAY -j DROP
-A WEIR_FIREWALL -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
-A WEIR_FIREWALL -m conntrack --ctstate INVALID -g WEIR_STRAY
-A WEIR_FIREWALL -s 198.18.1.1 -d 198.18.101.1 -g WEIR_DENIED
-A WEIR_FIREWALL -s 198.18.0.0/16 -d 198.19.0.0/16 -m conntrack --ctstate NEW -j ACCEPT
-A WEIR_FIREWALL -g WEIR_DENIED
-I FORWARD -j WEIR_FIREWALL
COMMIT
*nat
:WEIR_NAT - [0:0]
-A WEIR_NAT -s 198.18.0.0/16 -o d1 -j MASQUERADE
-I POSTROUTING -j WEIR_NAT
COMMIT
`)...)
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	want = append(script("sh -c iptables-restore --noflush"+emptied("", "ip", "filter", "FORWARD")+emptied("", "ip", "nat", "POSTROUTING"), `*filter
-D FORWARD -j WEIR_FIREWALL
-F WEIR_FIREWALL
-F WEIR_DENIED
-F WEIR_STRAY
-X WEIR_FIREWALL
-X WEIR_DENIED
-X WEIR_STRAY
COMMIT
*nat
-D POSTROUTING -j WEIR_NAT
-F WEIR_NAT
-X WEIR_NAT
COMMIT
`), "conntrack --flush")
	if diff := cmp.Diff(want, undone); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}

// A hook and a table are taken away when nobody has anything in them, and what cannot be read
// is an error. What stood there before stays.
func TestEmptied(t *testing.T) {
	const bare, full = "printf 'table ip filter {\\n}\\n'", "printf 'table ip filter {\\n\\tchain x {\\n\\t}\\n}\\n'"
	const others = "table ip6 filter {\n\tchain FORWARD {\n\t}\n}\ntable ip nat {\n\tchain FORWARD {\n\t}\n}\n"
	const empty = "echo -P FORWARD ACCEPT"
	for _, c := range []struct{ stood, rules, table, want string }{
		{"", empty, bare, "no hook\nno table\n"},
		{others, empty, bare, "no hook\nno table\n"},
		{"", empty, full, "no hook\n"},
		{"", "echo -P FORWARD DROP", full, ""},
		{"", `printf -- '-P FORWARD ACCEPT\n-A FORWARD -j OTHERS\n'`, full, ""},
		{"", "false", bare, "failed\n"},
		{"table ip filter {\n}\n" + others, empty, bare, "no hook\n"},
		{"table ip filter {\n\tchain INPUT {\n\t}\n}\n" + others, empty, full, "no hook\n"},
		{others + "table ip filter {\n\tchain INPUT {\n\t}\n\tchain FORWARD {\n\t}\n}\n", empty, full, ""},
	} {
		program := `iptables() { case "$3" in -S) ` + c.rules + `;; -X) echo no hook;; esac; }
nft() { case "$1" in list) ` + c.table + `;; delete) echo no table;; esac; }
true` + emptied(c.stood, "ip", "filter", "FORWARD") + ` || echo failed`
		if got, err := exec.Command("sh", "-c", program).Output(); err != nil || string(got) != c.want {
			t.Errorf("%q, %s: %q, %v, want %q", c.stood, c.rules, got, err, c.want)
		}
	}
}

// The other variant of iptables leaves its hooks behind.
func TestLegacyIPTables(t *testing.T) {
	r := &recorded{says: map[string]string{"iptables -V": "iptables v1.8.9 (legacy)\n"}}
	d, s := router(r)
	err := linux{}.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Firewall{Kind: weir.Stateless, With: weir.IPTables}))
	if err == nil || !strings.Contains(err.Error(), "update-alternatives --set iptables /usr/sbin/iptables-nft") {
		t.Errorf("%v", err)
	}
}

// A firewall that the kernel does not take is said to be impossible, and so is
// one whose connections nobody can forget.
func TestCannotFirewall(t *testing.T) {
	for fail, want := range map[string]string{"unshare": "Debian package nftables", "conntrack": "Debian package conntrack"} {
		r := &recorded{fail: fail}
		d, s := router(r)
		err := linux{}.Cannot(t.Context(), d, s, weir.ConditionOf(weir.Firewall{Kind: weir.Stateful}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v", fail, err)
		}
	}
}

func TestDropsOfFirewalls(t *testing.T) {
	chain := func(n string) string {
		return "Chain X (2 references)\n    pkts      bytes target     prot opt in     out     source               destination\n" +
			"      " + n + "      760 DROP       0    --  *      *       0.0.0.0/0            0.0.0.0/0\n"
	}
	says := map[string]string{
		"nft -j list counters": `{"nftables": [{"counter": {"family": "ip", "table": "weir_firewall", "name": "denied", "packets": 11}},
			{"counter": {"family": "ip", "table": "weir_firewall", "name": "stray", "packets": 2}},
			{"counter": {"family": "ip6", "table": "weir_firewall", "name": "denied", "packets": 12}}]}`,
		"iptables -t filter -vxnL WEIR_DENIED": chain("21"), "iptables -t filter -vxnL WEIR_STRAY": chain("0"),
		"ip6tables -t filter -vxnL WEIR_DENIED": chain("0"), "ip6tables -t filter -vxnL WEIR_STRAY": chain("22"),
		"tc -s -j qdisc show": `[{"kind": "prio", "dev": "d0", "root": true, "drops": 5}, {"kind": "pfifo", "dev": "d0", "parent": "1:1", "drops": 5},
			{"kind": "clsact", "dev": "d1", "parent": "ffff:fff1", "drops": 6}, {"kind": "pfifo", "dev": "eth0", "root": true, "drops": 7}]`,
	}
	for _, c := range []struct {
		firewall weir.Firewall
		want     map[string]uint64
	}{
		{weir.Firewall{Kind: weir.Stateless}, map[string]uint64{"dut IPv4 firewall denied (nftables)": 11, "dut IPv4 firewall stray (nftables)": 2, "dut IPv6 firewall denied (nftables)": 12}},
		{weir.Firewall{Kind: weir.Stateful, With: weir.IPTables}, map[string]uint64{
			"dut IPv4 firewall denied (iptables)": 21, "dut IPv6 firewall stray (iptables)": 22,
			"dut conntrack no room for another connection (drop)": 16 + 3, "dut conntrack a connection could not be entered (insert_failed)": 4,
		}},
	} {
		r := &recorded{says: says}
		d, s := router(r)
		for _, file := range []string{"rx_dropped", "rx_errors", "tx_dropped"} {
			r.files["/sys/class/net/d0/statistics/"+file] = "0\n"
			r.files["/sys/class/net/d1/statistics/"+file] = "0\n"
		}
		r.files["/proc/net/snmp"], r.files["/proc/net/netstat"] = "", ""
		r.files[trackingFile] = "entries  insert_failed drop early_drop\n00000009  00000000 00000010 00000000\n00000009  00000004 00000003 00000000\n"
		s.Firewall, s.Queueing = c.firewall, true
		drops, err := linux{}.Drops(t.Context(), d, s)
		if err != nil {
			t.Fatal(err)
		}
		c.want["dut port 0 qdisc prio"], c.want["dut port 1 qdisc clsact"] = 5, 6
		got := make(map[string]uint64)
		for _, drop := range drops {
			if drop.Count > 0 {
				got[drop.Place] = drop.Count
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.firewall, diff)
		}
		if asked := strings.Count(strings.Join(r.told, "\n"), "nft "); asked > 1 {
			t.Errorf("%v: nft was asked %d times", c.firewall, asked)
		}
	}
	// Counters that are gone are no counters at 0.
	r := &recorded{says: map[string]string{"nft -j list counters": `{"nftables": [{"metainfo": {}}]}`}}
	d, s := router(r)
	d.Ports = d.Ports[:1]
	for _, file := range []string{"rx_dropped", "rx_errors", "tx_dropped"} {
		r.files["/sys/class/net/d0/statistics/"+file] = "0\n"
	}
	r.files["/proc/net/snmp"], r.files["/proc/net/netstat"] = "", ""
	s.Firewall = weir.Firewall{Kind: weir.Stateless}
	if _, err := (linux{}).Drops(t.Context(), d, s); err == nil || !strings.Contains(err.Error(), "no counters in the table ip weir_firewall any more") {
		t.Errorf("without its table: %v", err)
	}
}
