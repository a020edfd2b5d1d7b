package dut

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// joinedSystems are what systems say of interfaces that are joined: a bridge, what bundles
// ports, and a VLAN on that.
var joinedSystems = []struct {
	system, command, says string // command: what asks for it
	want                  string // interfaces, with what they send through, and what they are members of
}{
	{"linux", "ip -j -d address show", `[{"ifname":"eth0","master":"bond0","linkinfo":{"info_slave_kind":"bond"}},
		{"ifname":"eth1","master":"bond0","linkinfo":{"info_slave_kind":"bond"}},{"ifname":"eth2","master":"br0","linkinfo":{"info_slave_kind":"bridge"}},
		{"ifname":"bond0","linkinfo":{"info_kind":"bond"}},{"ifname":"br0","linkinfo":{"info_kind":"bridge"}},
		{"link":"bond0","ifname":"bond0.10","linkinfo":{"info_kind":"vlan"}},{"ifname":"eth3","master":"red","linkinfo":{"info_slave_kind":"vrf"}},
		{"ifname":"red","linkinfo":{"info_kind":"vrf"}},{"link_index":7,"ifname":"tp0","linkinfo":{"info_kind":"veth"},"link_netnsid":0}]`,
		"eth0 [] bond0; eth1 [] bond0; eth2 [] br0; bond0 [eth0 eth1] ; br0 [eth2] ; bond0.10 [bond0] ; eth3 [] ; red [eth3] ; tp0 [] "},
	{"freebsd", "ifconfig -a", `ix0: flags=8943<UP,BROADCAST,RUNNING,PROMISC,SIMPLEX,MULTICAST> metric 0 mtu 1500
em0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
em1: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
bridge0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
	description: uplink em1
	id 00:00:00:00:00:00 priority 32768 hellotime 2 fwddelay 15
	member: ix0 flags=143<LEARNING,DISCOVER,AUTOEDGE,AUTOPTP>
	        ifmaxaddr 0 port 1 priority 128 path cost 2000
	groups: bridge
lagg0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
	laggproto failover lagghash l2,l3,l4
	laggport: em0 flags=5<MASTER,ACTIVE>
	laggport: em1 flags=0<>
lagg0.10: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> metric 0 mtu 1500
	vlan: 10 vlanproto: 802.1q vlanpcp: 0 parent interface: lagg0
`, "ix0 [] bridge0; em0 [] lagg0; em1 [] lagg0; bridge0 [ix0] ; lagg0 [em0 em1] ; lagg0.10 [lagg0] "},
	{"openbsd", "ifconfig -a", `em0: flags=8b43<UP,BROADCAST,RUNNING,PROMISC,ALLMULTI,SIMPLEX,MULTICAST> mtu 1500
	trunk: trunkdev trunk0
em1: flags=8943<UP,BROADCAST,RUNNING,PROMISC,SIMPLEX,MULTICAST> mtu 1500
trunk0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	trunk: trunkproto failover
		trunkport em0 master,active
vlan10: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	encap: vnetid 10 parent trunk0 txprio packet rxprio outer
carp0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	carp: MASTER carpdev vlan10 vhid 1 advbase 1 advskew 0
bridge0: flags=41<UP,RUNNING> mtu 1500
	priority 32768 hellotime 2 fwddelay 15 maxage 20 holdcnt 6 proto rstp
	em1 flags=3<LEARNING,DISCOVER>
		port 2 ifpriority 0 ifcost 0
`, "em0 [] trunk0; em1 [] bridge0; trunk0 [em0] ; vlan10 [trunk0] ; carp0 [vlan10] ; bridge0 [em1] "},
	{"netbsd", "ifconfig -a", `wm0: flags=0x8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
wm1: flags=0x8943<UP,BROADCAST,RUNNING,PROMISC,SIMPLEX,MULTICAST> mtu 1500
agr0: flags=0x8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	agrproto lacp
	agrport: wm0, flags=0x3<COLLECTING,DISTRIBUTING>
vlan0: flags=0x8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	vlan: 10 parent: agr0
bridge0: flags=0x41<UP,RUNNING> mtu 1500
`, "wm0 [] agr0; wm1 [] bridge0; agr0 [wm0] ; vlan0 [agr0] ; bridge0 [wm1] "},
	{"darwin", "ifconfig -a", `en0: flags=8963<UP,BROADCAST,SMART,RUNNING,PROMISC,SIMPLEX,MULTICAST> mtu 1500
en1: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
en2: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
bridge0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	Configuration:
		id 0:0:0:0:0:0 priority 0 hellotime 0 fwddelay 0
	member: en0 flags=3<LEARNING,DISCOVER>
	        ifmaxaddr 0 port 5 priority 0 path cost 0
bond0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	bond interfaces: en1 en2
vlan0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
	vlan: 10 parent interface: bond0
`, "en0 [] bridge0; en1 [] bond0; en2 [] bond0; bridge0 [en0] ; bond0 [en1 en2] ; vlan0 [bond0] "},
}

// brconfig is what NetBSD says of its bridges.
const brconfig = `bridge0: flags=41<UP,RUNNING>
	Configuration:
		priority 32768 hellotime 2 fwddelay 15 maxage 20
	Interfaces:
		wm1 flags=3<LEARNING,DISCOVER>
			port 2 priority 128
	Address cache (max cache: 100, timeout: 1200):
		00:05:9a:5b:23:fc wm1 1 flags=0<>
`

// What an interface sends through is known, and what takes the frames of another one. What
// the BSDs and macOS say is from documentation, not run here: their manuals and ifconfig(8)'s source.
func TestJoinedInterfaces(t *testing.T) {
	for _, c := range joinedSystems {
		r := &recorded{says: map[string]string{c.command: c.says, "brconfig -a": brconfig}}
		system, is := platforms[c.system]
		if !is {
			system = stations[c.system]
		}
		all, err := system.Interfaces(t.Context(), r)
		if err != nil {
			t.Fatal(c.system, err)
		}
		var got []string
		for _, i := range all {
			got = append(got, fmt.Sprint(i.Name, " ", i.Below, " ", i.Member))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.system, diff)
		}
	}
}

func TestCarrying(t *testing.T) {
	all := []Interface{{Name: "eth0"}, {Name: "eth1"}, {Name: "br0", Below: []string{"eth0", "v1"}}, {Name: "v1", Below: []string{"v2"}}, {Name: "v2", Below: []string{"v1"}}}
	if got := Carrying(all, "br0"); !slices.Equal(got, []string{"br0", "eth0", "v1", "v2"}) {
		t.Error(got)
	}
}
