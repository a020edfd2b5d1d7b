package frame

import (
	"net/netip"

	"weir"
)

// The networks that are set aside for benchmarks by RFC 2544 appendix C.2.2 and
// RFC 5180 section 8, each divided between the two ports. Both texts misprint
// theirs, as 192.18.0.0 and 2001:0200::/48; RFC 6890 has them right.
var (
	benchmark4 = netip.MustParsePrefix("198.18.0.0/15")
	benchmark6 = netip.MustParsePrefix("2001:2::/48")

	networks4 = [2]netip.Prefix{netip.MustParsePrefix("198.18.0.0/16"), netip.MustParsePrefix("198.19.0.0/16")}
	networks6 = [2]netip.Prefix{netip.MustParsePrefix("2001:2:0:1::/64"), netip.MustParsePrefix("2001:2:0:2::/64")}
)

// Network is the network at a port of the DUT, 0 or 1: 198.18.0.0/16 and
// 198.19.0.0/16, or 2001:2:0:1::/64 and 2001:2:0:2::/64. It is the zero Prefix
// for another port or family.
func Network(family weir.Family, port int) netip.Prefix {
	switch {
	case port < 0 || port > 1:
		return netip.Prefix{}
	case family == weir.IPv4:
		return networks4[port]
	case family == weir.IPv6:
		return networks6[port]
	}
	return netip.Prefix{}
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
	return later(network.Addr(), n)
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
