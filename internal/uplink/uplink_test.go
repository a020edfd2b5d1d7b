package uplink

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func route(to string, through ...string) Route {
	return Route{To: netip.MustParsePrefix(to), Through: through}
}

func TestPorts(t *testing.T) {
	eth0, eth1 := Link{ID: "eth0"}, Link{ID: "eth1"}
	byDefault := []Route{route("0.0.0.0/0", "eth0")}
	for _, c := range []struct {
		name   string
		links  []Link
		routes []Route
		want   string // IDs, sorted
	}{
		{"no route", []Link{eth0, eth1}, nil, ""},
		{"a default route", []Link{eth0, eth1}, byDefault, "eth0"},
		{"one of IPv6", []Link{eth0, eth1}, []Route{route("::/0", "eth1")}, "eth1"},
		{"two halves", []Link{eth0, eth1}, []Route{route("0.0.0.0/1", "eth0"), route("128.0.0.0/1", "eth1")}, "eth0 eth1"},
		{"private networks and those for tests", []Link{eth0, eth1}, []Route{route("10.0.0.0/8", "eth0"), route("198.18.0.0/15", "eth1"),
			route("2001:2::/48", "eth1"), route("fd00::/8", "eth0"), route("fe80::/64", "eth0"), route("224.0.0.0/4", "eth0")}, ""},
		{"several hops", []Link{eth0, eth1}, []Route{route("0.0.0.0/0", "eth0", "eth1")}, "eth0 eth1"},
		{"a device that is gone", []Link{eth1}, byDefault, ""},
		{"a macvlan above", []Link{eth0, eth1, {ID: "mv", Kind: "macvlan", Lower: "eth0"}}, byDefault, "eth0 mv"},
		{"a macvlan above another", []Link{eth0, {ID: "a", Kind: "macvlan", Lower: "eth0"}, {ID: "b", Kind: "ipvlan", Lower: "eth0"}},
			[]Route{route("0.0.0.0/0", "a")}, "a b eth0"},
		{"below a VLAN", []Link{eth0, eth1, {ID: "v", Kind: "vlan", Lower: "eth1"}}, []Route{route("0.0.0.0/0", "v")}, "eth1 v"},
		{"ports of a bridge", []Link{{ID: "eth0", Master: "br"}, {ID: "eth1", Master: "br"}, {ID: "br", Kind: "bridge"}, {ID: "eth2"}},
			[]Route{route("0.0.0.0/0", "br")}, "br eth0 eth1"},
		{"a veth into that bridge", []Link{{ID: "eth0", Master: "br"}, {ID: "va", Kind: "veth", Lower: "vb"}, {ID: "vb", Kind: "veth", Lower: "va", Master: "br"}, {ID: "br", Kind: "bridge"}},
			[]Route{route("0.0.0.0/0", "br")}, "br eth0 va vb"},
		{"a VLAN of a bond", []Link{{ID: "eth0", Master: "bond"}, {ID: "bond", Kind: "bond"}, {ID: "v", Kind: "vlan", Lower: "bond"}},
			[]Route{route("0.0.0.0/0", "v")}, "bond eth0 v"},
		{"a port of a VRF", []Link{{ID: "eth0", Master: "red"}, {ID: "eth1", Master: "red"}, {ID: "red", Kind: "vrf"}}, byDefault, "eth0 red"},
		{"a VRF", []Link{{ID: "eth0", Master: "red"}, {ID: "red", Kind: "vrf"}, {ID: "eth1"}}, []Route{route("0.0.0.0/0", "red")}, "eth0 red"},
		{"a tunnel", []Link{eth0, {ID: "vx", Kind: "vxlan"}}, byDefault, "eth0 vx"},
		{"a tunnel over another port", []Link{eth0, eth1, {ID: "vx", Kind: "vxlan", Lower: "eth1"}}, byDefault, "eth0"},
		{"a tunnel where nothing leads out", []Link{eth0, {ID: "vx", Kind: "vxlan"}}, nil, ""},
		{"above a port that cannot be seen", []Link{{ID: "mv", Kind: "macvlan", Hidden: true}, {ID: "va", Kind: "veth", Hidden: true}}, nil, "mv"},
		{"a bridge in another namespace", []Link{{ID: "va", Kind: "veth", Lower: "vb"}, {ID: "vb", Kind: "veth", Lower: "va", Master: "br", Far: true},
			{ID: "br", Kind: "bridge", Far: true}, {ID: "up", Master: "br", Far: true}}, []Route{route("0.0.0.0/0", "br")}, "br up va vb"},
		{"a router in another namespace", []Link{{ID: "va", Kind: "veth", Lower: "vb"}, {ID: "vb", Kind: "veth", Lower: "va", Far: true}},
			[]Route{route("0.0.0.0/0", "vb")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 { // in either order
				got := strings.Join(slices.Sorted(maps.Keys(Ports(c.links, c.routes))), " ")
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				slices.Reverse(c.links)
				slices.Reverse(c.routes)
			}
		})
	}
}

func TestReason(t *testing.T) {
	links := []Link{{ID: "7", Name: "eth0", Master: "9"}, {ID: "8", Name: "mv0", Kind: "macvlan", Lower: "7"}, {ID: "9", Name: "br0", Kind: "bridge"}, {ID: "10", Name: "vx0", Kind: "vxlan"}}
	why := Ports(links, []Route{route("0.0.0.0/0", "9")})
	got := map[string]string{}
	for id, reason := range why {
		got[id] = reason.String()
	}
	want := map[string]string{
		"9":  "carries this machine's default route",
		"7":  "is joined with br0 (eth0 - br0), which carries this machine's default route",
		"8":  "is joined with br0 (mv0 - eth0 - br0), which carries this machine's default route",
		"10": "leads to where weir cannot look",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Ports(links, []Route{route("128.0.0.0/1", "9")})["9"].String(); got != "carries this machine's route to 128.0.0.0/1" {
		t.Error(got)
	}
}

func TestPublic(t *testing.T) {
	for text, want := range map[string]bool{
		"0.0.0.0/0": true, "0.0.0.0/1": true, "8.8.8.0/24": true, "192.0.0.0/8": true, "10.0.0.0/7": true, "198.16.0.0/12": true,
		"10.1.0.0/16": false, "0.0.0.0/8": false, "198.19.0.0/16": false, "240.0.0.0/4": false, "127.0.0.0/8": false, "100.64.0.0/10": false,
		"::/0": true, "2000::/3": true, "2001:4860::/32": true, "2000::/4": true, "::/1": true,
		"8000::/1": false, "fd00::/8": false, "2001:2::/48": false, "2001:2:0:1::/64": false, "2001:db8::/32": false, "fe80::/10": false,
	} {
		if got := Public(netip.MustParsePrefix(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for _, a := range Asked {
		if !Public(netip.PrefixFrom(a, a.BitLen())) {
			t.Errorf("%s is asked for, and is not public", a)
		}
	}
}
