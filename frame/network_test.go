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
	} {
		network, router, tester := Network(c.family, c.port), RouterAddr(c.family, c.port), TesterAddr(c.family, c.port)
		if network.String() != c.network || router.String() != c.router || tester.String() != c.tester {
			t.Errorf("%s port %d: %v, %v, %v", c.family, c.port, network, router, tester)
		}
		if !TestNetwork(router) || !TestNetwork(tester) {
			t.Errorf("%s port %d is not in a test network", c.family, c.port)
		}
	}
	if Network(weir.IPv4, 2).IsValid() || RouterAddr("ipx", 0).IsValid() || TesterAddr(weir.IPv6, -1).IsValid() {
		t.Error("there is a network where there is none")
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
