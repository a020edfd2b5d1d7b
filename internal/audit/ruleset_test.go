package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/testbed"
	"weir/internal/testenv"
)

// hook is a table with one chain at a hook, as nft lists it.
func hook(family, at string, rules ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "table %s t {\n\tchain c {\n\t\ttype filter %s priority filter; policy accept;\n", family, at)
	for _, r := range rules {
		b.WriteString("\t\t" + r + "\n")
	}
	b.WriteString("\t}\n}\n")
	return b.String()
}

// Each chain is asked whether frames from eth1 to eth2 pass it: by its hook, its family and
// its device, and by what lies between the ports.
func TestFirewall(t *testing.T) {
	const (
		routed = `[{"ifname":"eth1","link_type":"ether","master":"bond1"},{"ifname":"eth2","link_type":"ether"},{"ifname":"wg0","link_type":"none"}]`
		bridge = `[{"ifname":"eth1","link_type":"ether","master":"br0"},{"ifname":"eth2","link_type":"ether","master":"br0"},{"ifname":"br0","link_type":"ether","linkinfo":{"info_kind":"bridge"}}]`
		member = `[{"ifname":"eth1","link_type":"ether","master":"br0"},{"ifname":"eth2","link_type":"ether"},{"ifname":"br0","link_type":"ether","linkinfo":{"info_kind":"bridge"}}]`
		third  = `[{"ifname":"eth1","link_type":"ether","master":"br0"},{"ifname":"eth2","link_type":"ether","master":"br0"},{"ifname":"eth3","link_type":"ether"},{"ifname":"br0","link_type":"ether","linkinfo":{"info_kind":"bridge"}}]`

		filter4 = "/proc/sys/net/bridge/bridge-nf-call-iptables"
		filter6 = "/proc/sys/net/bridge/bridge-nf-call-ip6tables"
	)
	one := func(found string) []string { return []string{"spoils: 1 chain that forwarded frames pass, " + found} }
	tracked := []string{"spoils: rules that ask for connections (ct, nat) in inet t c at hook input"}
	for _, c := range []struct {
		name, links, rules string
		files              []string // that hold 1
		want               []string
	}{
		{"none", routed, "", nil, nil},
		{"the machine's own, with words of others", routed, hook("inet", "hook input", "icmpv6 type { nd-redirect, nd-router-advert } accept", "icmp type redirect drop", "jump dnat", "goto redirect"), nil, nil},
		{"an idle port beside a bridge of two", third, hook("bridge", "hook forward", "a"), nil, one("with 1 rule (bridge t c at hook forward)")},
		{"an idle port beside a bridge of two, routed", third, hook("inet", "hook forward", "a"), nil, one("with 1 rule (inet t c at hook forward)")},
		{"the machine's own, in", routed, hook("inet", "hook input", "tcp dport 23 drop", "ip saddr 10.0.0.0/8 accept"), nil, nil},
		{"the machine's own, out", routed, hook("ip", "hook output", "oifname \"eth1\" drop"), nil, nil},
		{"of ARP", routed, hook("arp", "hook input", "limit rate over 100/second drop"), nil, nil},
		{"of ARP, out", routed, hook("arp", "hook output", "drop"), nil, nil},
		{"forward", routed, hook("inet", "hook forward", "tcp dport 23 drop"), nil, one("with 1 rule (inet t c at hook forward)")},
		{"prerouting", routed, hook("ip", "hook prerouting", "a", "b"), nil, one("with 2 rules (ip t c at hook prerouting)")},
		{"postrouting of IPv6", routed, hook("ip6", "hook postrouting", "a"), nil, one("with 1 rule (ip6 t c at hook postrouting)")},
		{"no rule", routed, hook("inet", "hook forward"), nil, []string{"doubtful: 1 chain that forwarded frames pass, with 0 rules (inet t c at hook forward)"}},
		{"no rule but to drop", routed, strings.Replace(hook("inet", "hook forward"), "accept", "drop", 1), nil, one("with 0 rules (inet t c at hook forward)")},
		{"a comment that looks like one", routed, hook("inet", "hook input", `tcp dport 22 accept comment "hook forward; ct state new {"`), nil, nil},
		{"a chain called forward", routed, strings.Replace(hook("inet", "hook input", "a"), "chain c", "chain forward", 1), nil, nil},
		{"dormant", routed, "table inet off {\n\tflags dormant\n\tchain f {\n\t\ttype filter hook forward priority 0; policy drop;\n\t\tct state new\n\t}\n}\n" + hook("ip", "hook input", "a"), nil, nil},

		{"connections of the machine's own", routed, hook("inet", "hook input", "ct state established,related accept", "tcp dport 22 accept"), nil, tracked},
		{"by a verdict map", routed, hook("inet", "hook input", "ct state vmap { established : accept, invalid : drop }"), nil, tracked},
		{"by a chain that is called", routed, "table inet t {\n\tchain c {\n\t\ttype filter hook input priority 0; policy drop;\n\t\tjump rest\n\t}\n\n\tchain rest {\n\t\tct count over 5 drop\n\t}\n}\n", nil, tracked},
		{"by a chain that nothing calls", routed, "table inet t {\n\tchain c {\n\t\ttype filter hook input priority 0;\n\t}\n\n\tchain rest {\n\t\tct state new drop\n\t}\n}\n", nil, nil},
		{"addresses that are changed", routed, strings.Replace(hook("inet", "hook input"), "type filter", "type nat", 1), nil, tracked},
		{"by iptables", routed, "# Warning: table ip filter is managed by iptables-nft, do not touch!\n" + hook("ip", "hook input", `xt match "conntrack" counter accept`), nil,
			[]string{"spoils: rules that ask for connections (ct, nat) in ip t c at hook input"}},
		{"both", routed, hook("inet", "hook forward", "ct state new accept") + strings.Replace(hook("inet", "hook input", "ct state new accept"), "table inet t", "table inet own", 1), nil,
			[]string{"spoils: 1 chain that forwarded frames pass, with 1 rule (inet t c at hook forward)", "spoils: rules that ask for connections (ct, nat) in inet own c at hook input"}},

		{"all that are called count", routed, "table ip t {\n\tmap m {\n\t\ttype inet_service : verdict\n\t\telements = { 22 : jump a,\n\t\t\t     23 : goto b }\n\t}\n\n" +
			"\tchain c {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\ttcp dport vmap @m\n\t}\n\n\tchain a {\n\t\taccept\n\t}\n\n\tchain b {\n\t\tdrop\n\t}\n}\n", nil,
			one("with 3 rules (ip t c at hook forward)")},
		{"five", routed, strings.Repeat(hook("ip", "hook forward", "a"), 5), nil, []string{"spoils: 5 chains that forwarded frames pass, with 5 rules (" +
			strings.TrimSuffix(strings.Repeat("ip t c at hook forward, ", 4), ", ") + " and 1 more)"}},

		{"where a port receives", routed, hook("netdev", `hook ingress device "eth2"`, "a"), nil, one("with 1 rule (netdev t c at hook ingress)")},
		{"where another receives", routed, hook("netdev", `hook ingress device "eth0"`, "a"), nil, nil},
		{"where one of several sends", routed, hook("netdev", "hook egress devices = { eth0, eth1 }", "a"), nil, one("with 1 rule (netdev t c at hook egress)")},
		{"where others receive", routed, hook("inet", "hook ingress devices = { \"eth10\", \"wg0\" }", "a"), nil, nil},
		{"where what a port is part of receives", routed, hook("netdev", `hook ingress device "bond1"`, "a"), nil, one("with 1 rule (netdev t c at hook ingress)")},
		{"where all of a kind receive", routed, hook("netdev", `hook ingress device "eth*"`, "a"), nil, one("with 1 rule (netdev t c at hook ingress)")},
		{"a flowtable", routed, "table inet t {\n\tflowtable f {\n\t\thook ingress priority filter\n\t\tdevices = { eth1, eth2 }\n\t}\n}\n", nil, []string{"spoils: a flowtable at the ports"}},
		{"a flowtable of others", routed, "table inet t {\n\tflowtable f {\n\t\thook ingress priority filter\n\t\tdevices = { wg0 }\n\t}\n}\n", nil, nil},

		{"a bridge's, where frames are routed", routed, hook("bridge", "hook forward", "a"), nil, nil},
		{"a bridge's", bridge, hook("bridge", "hook forward", "a"), nil, one("with 1 rule (bridge t c at hook forward)")},
		{"a bridge's own", bridge, hook("bridge", "hook input", "a"), nil, nil},
		{"what goes up from a bridge", member, hook("bridge", "hook input", "a"), nil, one("with 1 rule (bridge t c at hook input)")},
		{"what a bridge passes on itself", member, hook("bridge", "hook forward", "a"), nil, nil},
		{"a router's, where frames are bridged", bridge, hook("ip", "hook forward", "ct state new"), nil, nil},
		{"a router's, where bridged frames pass it", bridge, hook("inet", "hook forward", "a"), []string{filter4}, one("with 1 rule (inet t c at hook forward)")},
		{"a router's of the other family", bridge, hook("ip", "hook forward", "a"), []string{filter6}, nil},
		{"a bridge's that tracks", bridge, hook("bridge", "hook input", "ct state new"), nil, []string{"spoils: rules that ask for connections (ct, nat) in bridge t c at hook input"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := replay(t, "good-router").with("$ ip -d -j link show", c.links).with("$ nft -s list ruleset", c.rules).with(filter4, "0\n").with(filter6, "0\n")
			for _, f := range c.files {
				h.with(f, "1\n")
			}
			devices := []string{"eth1", "eth2"}
			if c.links == third {
				devices = append(devices, "eth3")
			}
			r := look(t, Config{Host: h, Only: []string{"firewall"}, Devices: devices})
			var got []string
			for _, f := range r.Findings {
				got = append(got, fmt.Sprintf("%s: %s", f.Severity, f.Found))
				if len(f.Remedy) == 0 && f.Advice == "" {
					t.Errorf("%s: nothing is said of what to do", f.Found)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" || len(r.Unread) > 0 {
				t.Errorf("unread %v (-want +got):\n%s", r.Unread, diff)
			}
		})
	}
}

// What is mended are the chains that frames pass: those that protect the machine stay, and
// all of them are there again after that.
func TestMendFirewall(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "ip", "nft")
	ns, err := netif.NewNamespace()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ns.Close)
	r := testbed.Machine("room", ns)
	run := func(stdin string, argv ...string) string {
		t.Helper()
		text, err := r.Run(t.Context(), stdin, argv...)
		if err != nil {
			t.Fatalf("%s: %v", argv, err)
		}
		return text
	}
	run("", "ip", "link", "add", "p0", "type", "veth", "peer", "name", "p1")
	run(`table inet filter {
	set some { type inet_service; elements = { 22, 80, 443 } }
	chain input { type filter hook input priority filter; policy drop; tcp dport @some accept; }
	chain forward { type filter hook forward priority filter; policy accept; tcp dport vmap { 22 : jump more, 23 : drop }; }
	chain more { counter accept; }
}
table arp own { chain input { type filter hook input priority filter; limit rate over 100/second drop; }; }
table netdev port { chain in { type filter hook ingress device "p0" priority 0; udp dport 53 drop; }; }
`, "nft", "-f", "-")
	before := run("", "nft", "-s", "list", "ruleset")
	c := Config{Host: r, Only: []string{"firewall"}, Devices: []string{"p0", "p1"}}
	report, err := Look(t.Context(), c)
	if err != nil || len(report.Findings) != 1 {
		t.Fatalf("%v %+v", err, report)
	}
	if got, want := report.Findings[0].Found, "2 chains that forwarded frames pass, with 3 rules (inet filter forward at hook forward, netdev port in at hook ingress)"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	journal, err := settings.OpenJournal(filepath.Join(t.TempDir(), "journal.json"))
	if err != nil {
		t.Fatal(err)
	}
	m := Mender{Host: r, Journal: journal, Say: func(line string) { t.Log(line) }}
	if err := m.Apply(t.Context(), report.Findings); err != nil {
		t.Fatal(err)
	}
	after := run("", "nft", "-s", "list", "ruleset")
	for _, chain := range []string{"hook input", "tcp dport @some accept", "elements = { 22, 80, 443 }", "limit rate over 100/second"} {
		if !strings.Contains(after, chain) {
			t.Errorf("%q is gone:\n%s", chain, after)
		}
	}
	if report, err = Look(t.Context(), c); err != nil || !slices.Equal(report.Passed, []string{"firewall"}) {
		t.Errorf("%v %+v", err, report)
	}
	if err := m.Undo(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, run("", "nft", "-s", "list", "ruleset")); diff != "" {
		t.Error(diff)
	}

	// The commands that are shown do the same by hand.
	if report, err = Look(t.Context(), c); err != nil || len(report.Findings) != 1 {
		t.Fatalf("%v %+v", err, report)
	}
	for _, line := range report.Findings[0].Remedy[1:] {
		run("", strings.Fields(line)...)
	}
	if report, err = Look(t.Context(), c); err != nil || len(report.Findings) != 0 {
		t.Errorf("%v %+v", err, report)
	}
}
