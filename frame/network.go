package frame

import (
	"net/netip"

	"weir"
)

// MaxPairs is how many pairs of ports there are networks for.
const MaxPairs = 8

// The networks that are set aside for benchmarks by RFC 2544 appendix C.2.2 and
// RFC 5180 section 8, each divided between the ports. Both texts misprint
// theirs, as 192.18.0.0 and 2001:0200::/48; RFC 6890 has them right.
var (
	benchmark4 = netip.MustParsePrefix("198.18.0.0/15")
	benchmark6 = netip.MustParsePrefix("2001:2::/48")
)

// Network is the network at a port of the DUT, 0 to 2 x MaxPairs - 1; the zero
// Prefix for another port or family.
//
// Port 0 has 198.18.0.0/16 and port 1 has 198.19.0.0/16. The ports of further
// pairs have parts of these, a /19 each, even ports of the first and odd ones
// of the second: port 2 has 198.18.32.0/19 and port 5 has 198.19.64.0/19. The
// longer prefix leads to them, and the ports of the first pair keep the rest.
//
// Of IPv6, each port has a /64: port 0 has 2001:2:0:1::/64 and port 1 has
// 2001:2:0:2::/64.
func Network(family weir.Family, port int) netip.Prefix {
	if port < 0 || port >= 2*MaxPairs {
		return netip.Prefix{}
	}
	switch family {
	case weir.IPv4:
		bits := 19
		if port < 2 {
			bits = 16
		}
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{198, 18 + byte(port%2), byte(port/2) << 5, 0}), bits)
	case weir.IPv6:
		return netip.PrefixFrom(testNetwork6(uint16(port+1)), 64)
	}
	return netip.Prefix{}
}

// Networks are all networks that the DUT reaches through a port: Network, and
// of IPv6 a /56 for the destinations of DestinationNetworks, 2001:2:0:100::/56
// behind port 0 and 2001:2:0:200::/56 behind port 1. There are none for another
// port or family.
func Networks(family weir.Family, port int) []netip.Prefix {
	own := Network(family, port)
	switch {
	case !own.IsValid():
		return nil
	case family == weir.IPv6:
		return []netip.Prefix{own, netip.PrefixFrom(testNetwork6(uint16(port+1)<<8), 56)}
	}
	return []netip.Prefix{own}
}

// testNetwork6 is the first address of the n-th /64 that is for benchmarks.
func testNetwork6(n uint16) netip.Addr {
	a := benchmark6.Addr().As16()
	a[6], a[7] = byte(n>>8), byte(n)
	return netip.AddrFrom16(a)
}

// RouterAddr is the DUT's address in Network(family, port), node 1 of it (RFC
// 2544 appendix C.2.2.1); the zero Addr where there is no network.
func RouterAddr(family weir.Family, port int) netip.Addr { return host(family, port, 1) }

// TesterAddr is the tester's address in Network(family, port), node 2 of it (RFC
// 2544 appendix C.2.2.2); the zero Addr where there is no network.
func TesterAddr(family weir.Family, port int) netip.Addr { return host(family, port, 2) }

func host(family weir.Family, port int, n uint32) netip.Addr {
	network := Network(family, port)
	if !network.IsValid() {
		return netip.Addr{}
	}
	return later(network.Addr(), uint64(n), 1)
}

// TestNetwork reports whether a is set aside for benchmarks: frames to it do no
// harm when they escape from the lab.
func TestNetwork(a netip.Addr) bool {
	return benchmark4.Contains(a) || benchmark6.Contains(a)
}

// DefaultStreams is the traffic between the tester's two addresses, with source
// ports drawn from 1024-65535 and destination ports from 1-49151 (RFC 4814
// section 4.5). With one flow, too, the ports come from the seed.
func DefaultStreams(family weir.Family) (forward, reverse weir.Stream) {
	return between(TesterAddr(family, 0), TesterAddr(family, 1)), between(TesterAddr(family, 1), TesterAddr(family, 0))
}

func between(source, destination netip.Addr) weir.Stream {
	return weir.Stream{
		Source:          weir.AddressSet{First: source, Count: 1, Order: weir.Fixed},
		Destination:     weir.AddressSet{First: destination, Count: 1, Order: weir.Fixed},
		SourcePort:      weir.PortSet{First: 1024, Last: 65535, Order: weir.Random},
		DestinationPort: weir.PortSet{First: 1, Last: 49151, Order: weir.Random},
	}
}
