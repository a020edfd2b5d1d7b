package frame

import (
	"net/netip"
	"testing"

	"weir"
)

func TestNetworks(t *testing.T) {
	for _, c := range []struct {
		family                  weir.Family
		port                    int
		network, router, tester string
	}{
		{weir.IPv4, 0, "198.18.0.0/16", "198.18.0.1", "198.18.0.2"},
		{weir.IPv4, 1, "198.19.0.0/16", "198.19.0.1", "198.19.0.2"},
		{weir.IPv6, 0, "2001:2:0:1::/64", "2001:2:0:1::1", "2001:2:0:1::2"},
		{weir.IPv6, 1, "2001:2:0:2::/64", "2001:2:0:2::1", "2001:2:0:2::2"},
		{weir.IPv4, 2, "198.18.32.0/19", "198.18.32.1", "198.18.32.2"},
		{weir.IPv4, 5, "198.19.64.0/19", "198.19.64.1", "198.19.64.2"},
		{weir.IPv4, 15, "198.19.224.0/19", "198.19.224.1", "198.19.224.2"},
		{weir.IPv6, 15, "2001:2:0:10::/64", "2001:2:0:10::1", "2001:2:0:10::2"},
	} {
		network, router, tester := Network(c.family, c.port), RouterAddr(c.family, c.port), TesterAddr(c.family, c.port)
		if network.String() != c.network || router.String() != c.router || tester.String() != c.tester {
			t.Errorf("%s port %d: %v, %v, %v", c.family, c.port, network, router, tester)
		}
		if !TestNetwork(router) || !TestNetwork(tester) {
			t.Errorf("%s port %d is not in a test network", c.family, c.port)
		}
	}
	if Network(weir.IPv4, 16).IsValid() || RouterAddr("ipx", 0).IsValid() || TesterAddr(weir.IPv6, -1).IsValid() || Networks(weir.IPv6, 16) != nil {
		t.Error("there is a network where there is none")
	}
}

// An address leads to one port: the longest prefix decides, and none is there
// twice.
func TestNetworksAreApart(t *testing.T) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		port := make(map[netip.Prefix]int)
		for p := range 2 * MaxPairs {
			if own := Networks(family, p); own[0] != Network(family, p) {
				t.Errorf("%s port %d: %v does not begin with its own network", family, p, own)
			}
			for _, n := range Networks(family, p) {
				if other, there := port[n]; there || n != n.Masked() || !TestNetwork(n.Addr()) {
					t.Errorf("%s port %d: %v; port %d has it: %v", family, p, n, other, there)
				}
				port[n] = p
			}
		}
		for a, want := range map[netip.Addr]int{TesterAddr(family, 0): 0, TesterAddr(family, 1): 1, TesterAddr(family, 2): 2, RouterAddr(family, 15): 15} {
			best, got := -1, -1
			for n, p := range port {
				if n.Contains(a) && n.Bits() > best {
					best, got = n.Bits(), p
				}
			}
			if got != want {
				t.Errorf("%v leads to port %d, want %d", a, got, want)
			}
		}
	}
}

func TestTestNetwork(t *testing.T) {
	for a, want := range map[string]bool{
		"198.17.255.255": false, "198.18.0.0": true, "198.19.255.255": true, "198.20.0.0": false,
		"192.18.0.1": false, "2001:2::": true, "2001:2:0:ffff::1": true, "2001:2:1::": false, "2001:200::1": false,
	} {
		if got := TestNetwork(netip.MustParseAddr(a)); got != want {
			t.Errorf("TestNetwork(%s) = %v", a, got)
		}
	}
	if TestNetwork(netip.Addr{}) {
		t.Error("no address is in a test network")
	}
}

func TestDefaultStreams(t *testing.T) {
	for _, family := range []weir.Family{weir.IPv4, weir.IPv6} {
		forward, reverse := DefaultStreams(family)
		if forward.Source != reverse.Destination || forward.Destination != reverse.Source {
			t.Errorf("%s: the reverse addresses are not the forward ones mirrored", family)
		}
		if forward.Source.First != TesterAddr(family, 0) || forward.Destination.First != TesterAddr(family, 1) {
			t.Errorf("%s: forward from %v to %v", family, forward.Source.First, forward.Destination.First)
		}
	}
}
