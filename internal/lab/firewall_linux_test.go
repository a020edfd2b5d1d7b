package lab

import (
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/frame"
	"weir/internal/plan"
	"weir/internal/testenv"
)

// asked is what a command says at the lab's DUT.
func (l *pathLab) asked(t *testing.T, argv ...string) string {
	t.Helper()
	said, err := l.bed.DUT().Host.Run(t.Context(), "", argv...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(said)
}

// level sets the firewall and the tunings of a condition until the returned
// function is called.
func (l *pathLab) level(t *testing.T, c weir.Condition) (back func()) {
	t.Helper()
	if err := l.cannot(t.Context(), c); err != nil {
		t.Fatalf("%v: it is said to be impossible: %v", c, err)
	}
	undo, err := l.setLevels(t.Context(), c)
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return func() {
		t.Helper()
		if err := undo(t.Context()); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// Firewalls of each kind let the test frames of both families pass, deny and
// count all others, and are gone afterwards with the connections that they
// knew.
func TestFirewalls(t *testing.T) {
	testenv.NeedTool(t, "nft", "iptables", "ip6tables", "conntrack")
	l := openPathLab(t, 1)
	same := l.rulesStay(t)
	four := l.plan.Traffic[0]
	four.Flows = 10
	four.Forward.Source = weir.AddressSet{First: four.Forward.Source.First, Count: 10, Order: weir.Increment}
	six := four
	six.Family, six.Sizes = weir.IPv6, []weir.Size{78}
	six.Forward, six.Reverse = frame.DefaultStreams(weir.IPv6)
	for _, with := range []string{weir.NFTables, weir.IPTables} {
		for _, kind := range []weir.FirewallKind{weir.Stateless, weir.Stateful, weir.NAT} {
			{
				c := weir.ConditionOf(weir.Firewall{Kind: kind, Rules: 25, With: with})
				t.Run(c.Firewall().String()+" "+with, func(t *testing.T) {
					back := l.level(t, c)
					for _, traffic := range []weir.Traffic{four, six} {
						if r := l.trial(t, traffic, nil); r.Received == 0 || r.Received+dropped(r, "") != r.Offered {
							t.Errorf("%s: %+v", traffic.Family, r.Ledger)
						}
						stray := traffic
						stray.Forward.Source = weir.AddressSet{First: map[weir.Family]netip.Addr{
							weir.IPv4: netip.MustParseAddr("203.0.113.1"), weir.IPv6: netip.MustParseAddr("2001:db8::1"),
						}[traffic.Family], Count: 1, Order: weir.Fixed}
						if r := l.trial(t, stray, nil); r.Offered == 0 || r.Received > 0 || dropped(r, "firewall denied ("+with+")") != r.Offered {
							t.Errorf("%s from elsewhere: %+v", traffic.Family, r.Ledger)
						}
					}
					known := l.asked(t, "conntrack", "--count")
					if (kind == weir.Stateless) != (known == "0") {
						t.Errorf("the DUT knows %s connections", known)
					}
					back()
					same()
				})
			}
		}
	}
	if known := l.asked(t, "conntrack", "--count"); known != "0" {
		t.Errorf("%s connections are left", known)
	}
	if r := l.trial(t, four, nil); r.Received == 0 || len(r.Ledger.Drops) > 0 {
		t.Errorf("afterwards: %+v", r.Ledger)
	}
}

// rulesStay returns what looks whether the DUT has the rules that it has now.
func (l *pathLab) rulesStay(t *testing.T) (look func()) {
	t.Helper()
	list := func() string {
		var all []string
		for _, argv := range [][]string{{"nft", "list", "ruleset"}, {"iptables-save"}, {"ip6tables-save"}} {
			for line := range strings.Lines(l.asked(t, argv...)) {
				if !strings.HasPrefix(line, "# ") { // when it was
					all = append(all, line)
				}
			}
		}
		return strings.Join(all, "")
	}
	before := list()
	return func() {
		t.Helper()
		if diff := cmp.Diff(before, list()); diff != "" {
			t.Errorf("the rules (-before +after):\n%s", diff)
		}
	}
}

// A firewall goes without a trace, whatever rules there were before.
func TestFirewallsAmongOthers(t *testing.T) {
	testenv.NeedTool(t, "nft", "iptables", "ip6tables", "conntrack")
	l := openPathLab(t, 1)
	for _, c := range []struct{ name, before string }{
		{"none", "true"},
		{"empty tables", "nft add table ip filter; nft add table ip6 nat"},
		{"empty chains", `for t in iptables ip6tables; do $t -A FORWARD -j ACCEPT; $t -F FORWARD; $t -t nat -A POSTROUTING -j ACCEPT; $t -t nat -F; done`},
		{"others' chains", `for t in iptables ip6tables; do $t -N OTHERS; $t -A INPUT -s ::1/128 -j OTHERS 2>/dev/null || $t -A INPUT -j OTHERS; done; nft add table inet filter; nft add chain inet filter FORWARD`},
		{"others' rules", `for t in iptables ip6tables; do $t -A FORWARD -i lo -j DROP; $t -P INPUT DROP; $t -t nat -A POSTROUTING -o lo -j MASQUERADE; done; iptables -P FORWARD DROP`},
	} {
		l.asked(t, "sh", "-ec", "nft flush ruleset; "+c.before)
		same := l.rulesStay(t)
		for _, with := range []string{weir.NFTables, weir.IPTables} {
			for _, kind := range []weir.FirewallKind{weir.Stateless, weir.NAT} {
				t.Run(fmt.Sprint(c.name, " ", kind, " ", with), func(t *testing.T) {
					back := l.level(t, weir.ConditionOf(weir.Firewall{Kind: kind, Rules: 2, With: with}))
					if !strings.Contains(strings.ToLower(l.asked(t, "nft", "list", "ruleset")), "weir_firewall") {
						t.Error("there is no firewall")
					}
					back()
					same()
				})
			}
		}
	}
}

// Frames of one direction stay new to a stateful firewall. Those of both
// directions are answers to each other, and of connections that are
// established, where flow i of one is flow i of the other turned round: with
// addresses and ports in order, and not with ports that are drawn.
func TestEstablished(t *testing.T) {
	testenv.NeedTool(t, "nft", "conntrack")
	l := openPathLab(t, 1)
	drawn := l.plan.Traffic[0]
	drawn.Flows = 20
	answered := drawn
	answered.Forward.SourcePort = weir.PortSet{First: 5000, Last: 5019, Order: weir.Increment}
	answered.Forward.DestinationPort = weir.PortSet{First: 7, Last: 7, Order: weir.Fixed}
	answered.Reverse.SourcePort, answered.Reverse.DestinationPort = answered.Forward.DestinationPort, answered.Forward.SourcePort
	text, err := os.ReadFile("../../examples/established.yaml")
	if err != nil {
		t.Fatal(err)
	}
	example, err := plan.Parse("established.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	planned := example.Levels[0].Traffic[0]
	for _, c := range []struct {
		name       string
		traffic    weir.Traffic
		both       bool
		known, new int
	}{
		{"one way, drawn", drawn, false, 20, 20}, {"one way, in order", answered, false, 20, 20},
		{"both ways, drawn", drawn, true, 40, 40}, {"both ways, in order", answered, true, 20, 0},
		{"as the example has it", planned, planned.Bidirectional, 100, 0},
	} {
		c.traffic.Bidirectional = c.both
		back := l.level(t, weir.ConditionOf(weir.Firewall{Kind: weir.Stateful}))
		r := l.trial(t, c.traffic, func(trial *weir.Trial) { trial.Count = 2 * few }) // every flow at least twice
		if r.Received == 0 || r.Received+dropped(r, "") != r.Offered {
			t.Errorf("%s: %+v", c.name, r.Ledger)
		}
		list := l.asked(t, "conntrack", "--dump")
		if known, fresh := strings.Count(list, "src=198.18.0.2 "), strings.Count(list, "[UNREPLIED]"); known != c.known || fresh != c.new {
			t.Errorf("%s: of %d connections %d are unanswered, want %d of %d:\n%s", c.name, known, fresh, c.new, c.known, list)
		}
		back()
	}
}

// NAT denies what comes from the outside, and counts it.
func TestNATDeniesReverse(t *testing.T) {
	testenv.NeedTool(t, "nft", "iptables", "conntrack")
	l := openPathLab(t, 1)
	traffic := l.plan.Traffic[0]
	traffic.Bidirectional = true
	for _, with := range []string{weir.NFTables, weir.IPTables} {
		back := l.level(t, weir.ConditionOf(weir.Firewall{Kind: weir.NAT, With: with}))
		r := l.trial(t, traffic, nil)
		if n := dropped(r, fmt.Sprintf("firewall denied (%s)", with)); n == 0 || r.Received+dropped(r, "") != r.Offered || r.Received < r.Offered/2 {
			t.Errorf("%s: %+v", with, r.Ledger)
		}
		back()
	}
}
