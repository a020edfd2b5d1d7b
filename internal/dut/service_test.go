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

// inService is what a router that forwards for others, too, is told, of IPv4 alone.
func inService(t *testing.T, set func(weir.DUT, Setup) error) string {
	t.Helper()
	r := &recorded{}
	d, s := router(r)
	s.Route[1] = []netip.Prefix{netip.MustParsePrefix("198.19.0.0/16")}
	s.InService = true
	if err := set(d, s); err != nil {
		t.Fatal(err)
	}
	return strings.Join(r.told, "\n")
}

// At a router in service what does not come in at a test port is passed before any rule.
func TestOthersAreLeftAlone(t *testing.T) {
	const others = `iifname != { "d0", "d1" } accept`
	for name, set := range map[string]func(weir.DUT, Setup) error{
		"filters": func(d weir.DUT, s Setup) error {
			_, err := linux{}.Filter(t.Context(), d, s, 3, false)
			return err
		},
		"nftables": func(d weir.DUT, s Setup) error {
			_, err := linux{}.Apply(t.Context(), d, s, weir.ConditionOf(weir.Firewall{Kind: weir.Stateful, Rules: 3}))
			return err
		},
	} {
		told := inService(t, set)
		_, chain, _ := strings.Cut(told, "policy accept;\n")
		if first, _, _ := strings.Cut(chain, "\n"); !strings.HasSuffix(first, others) {
			t.Errorf("%s: the first rule is %q", name, first)
		}
	}
	told := inService(t, func(d weir.DUT, s Setup) error {
		undo, err := linux{}.Apply(t.Context(), d, s, weir.ConditionOf(weir.Firewall{Kind: weir.Stateless, With: weir.IPTables}))
		if err == nil {
			err = undo(t.Context())
		}
		return err
	})
	var hooks []string
	for line := range strings.Lines(told) {
		if _, hook, ok := strings.Cut(line, "< -"); ok && strings.Contains(hook, "FORWARD ") {
			hooks = append(hooks, strings.TrimSpace(hook))
		}
	}
	want := []string{"I FORWARD -i d0 -j WEIR_FIREWALL", "I FORWARD -i d1 -j WEIR_FIREWALL", "D FORWARD -i d0 -j WEIR_FIREWALL", "D FORWARD -i d1 -j WEIR_FIREWALL"}
	if diff := cmp.Diff(want, hooks); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A router in service forgets the connections of the test networks alone. This kernel does
// it, in a namespace of its own.
func TestForgetTracked(t *testing.T) {
	testenv.NeedRoot(t)
	testenv.NeedTool(t, "unshare", "conntrack")
	argv := forgetTracked(ruleset{only: true, families: []familyRules{
		{name: "ip", inside: []netip.Prefix{netip.MustParsePrefix("198.18.0.0/16")}, outside: []netip.Prefix{netip.MustParsePrefix("198.19.0.0/16")}},
		{name: "ip6", inside: []netip.Prefix{netip.MustParsePrefix("2001:2::/64")}},
	}})
	const enter = `set -e
enter() { conntrack -I -p udp -s $1 -d $2 --sport 9 --dport 9 --timeout 100 >/dev/null 2>&1; }
enter 198.18.0.2 198.19.0.2; enter 10.0.0.1 198.18.7.7; enter 2001:2::2 2001:2:1::2
enter 10.0.0.1 10.0.0.2; enter 2001:db8::1 2001:db8::2
"$@" # also where there are none
"$@"
conntrack -L 2>/dev/null`
	out, err := exec.Command("unshare", append([]string{"--net", "sh", "-c", enter, "sh"}, argv...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if n := strings.Count(string(out), "\n"); n != 2 || !strings.Contains(string(out), "dst=10.0.0.2 ") || !strings.Contains(string(out), "dst=2001:db8::2 ") {
		t.Errorf("left are:\n%s", out)
	}
	argv[len(argv)-1] = "ipv4=nonsense"
	if out, err := exec.Command("unshare", append([]string{"--net"}, argv...)...).CombinedOutput(); err == nil || len(out) == 0 {
		t.Errorf("no error of a network that is none: %s", out)
	}
}

// What a machine in service has already stays, or is put back: addresses, neighbours,
// routes, and all that turning forwarding on changes elsewhere.
func TestForwardInService(t *testing.T) {
	r := &recorded{says: map[string]string{
		"ip -j -d address show": `[{"ifname":"d0","flags":["UP"],"address":"02:00:00:00:01:00","addr_info":[{"local":"198.18.0.1","prefixlen":30}]},
			{"ifname":"d1","flags":[],"address":"02:00:00:00:01:01","addr_info":[{"local":"2001:2:0:2::1","prefixlen":64}]}]`,
		"ip -j neighbor show dev d0":                `[{"dst":"198.18.0.2","lladdr":"02:00:00:00:00:99","state":["REACHABLE"]}]`,
		"ip -j neighbor show dev d1":                `[{"dst":"2001:2:0:2::2","lladdr":"02:00:00:00:00:02","state":["PERMANENT"]}]`,
		"ip -o -4 route show exact 198.18.0.0/16":   "198.18.0.0/16 via 10.0.0.1 dev eth0 proto static metric 100 \nblackhole 198.18.0.0/16 linkdown \n",
		"ip -o -6 route show exact 2001:2:0:2::/64": "2001:2:0:2::/64 via 2001:2:0:2::2 dev d1 metric 1024 pref medium\n",
		"sh -c " + askLRO:                           "eth0\n",
		"ethtool -k eth0":                           "large-receive-offload: on\n",
		"sh -c " + askForwarding:                    "/proc/sys/net/ipv4/conf/all/forwarding:0\n/proc/sys/net/ipv4/conf/eth0/forwarding:1\n/proc/sys/net/ipv6/conf/all/forwarding:0\n/proc/sys/net/ipv6/conf/eth0/forwarding:0\n/proc/sys/net/ipv6/conf/eth1/forwarding:1\n/proc/sys/net/ipv4/conf/all/accept_redirects:1\n/proc/sys/net/ipv6/conf/all/accept_ra:1\n/proc/sys/net/ipv6/conf/eth0/accept_ra:1\n/proc/sys/net/ipv6/conf/eth1/accept_ra:1\n",
	}}
	d, s := router(r)
	s.InService = true
	const ra = "/proc/sys/net/ipv6/conf/eth0/accept_ra"
	r.files[ra], r.files["/proc/sys/net/ipv6/conf/all/forwarding"] = "1\n", "0\n"
	undo, err := linux{}.Forward(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	changes := func() (out []string) {
		for _, line := range r.told {
			if _, asked := r.says[line]; !asked {
				out = append(out, line)
			}
		}
		r.told = nil
		return out
	}
	want := []string{
		"ethtool -K eth0 large-receive-offload off",
		ra + " = 2\n",
		"true",
		"ip neighbor replace 198.18.0.2 lladdr 02:00:00:00:00:01 dev d0 nud permanent",
		"ip route replace 198.18.0.0/16 via 198.18.0.2 dev d0",
		"ip link set dev d1 up",
		"/proc/sys/net/ipv4/ip_forward = 1\n",
		"/proc/sys/net/ipv6/conf/all/forwarding = 1\n",
	}
	if diff := cmp.Diff(want, changes()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	back := "sh -c " + putBack + " < "
	want = []string{
		"/proc/sys/net/ipv6/conf/all/forwarding = 0\n",
		"/proc/sys/net/ipv4/ip_forward = 0\n",
		"ip link set dev d1 down",
		"ip route replace blackhole 198.18.0.0/16",
		"ip neighbor replace 198.18.0.2 lladdr 02:00:00:00:00:99 dev d0 nud stale",
		back + "1 /proc/sys/net/ipv4/conf/eth0/forwarding",
		back + "0 /proc/sys/net/ipv6/conf/eth0/forwarding",
		back + "1 /proc/sys/net/ipv6/conf/eth1/forwarding",
		back + "1 /proc/sys/net/ipv4/conf/all/accept_redirects",
		ra + " = 1\n",
		"ethtool -K eth0 large-receive-offload on",
	}
	if diff := cmp.Diff(want, changes()); diff != "" {
		t.Errorf("undone (-want +got):\n%s", diff)
	}
}
