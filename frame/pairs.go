package frame

import (
	"fmt"
	"net/netip"

	"weir"
)

// pairBits are the prefix lengths of what each port has for itself when there
// are several pairs, in the order of Networks.
var pairBits = map[weir.Family][]int{weir.IPv4: {19}, weir.IPv6: {64, 56}}

// parts are what a port has for itself when there are several pairs: Networks,
// but for the first pair without the parts of the others.
func parts(family weir.Family, port int) []netip.Prefix {
	all := Networks(family, port)
	for i, p := range all {
		all[i] = netip.PrefixFrom(p.Addr(), pairBits[family][i])
	}
	return all
}

// moved is an address at a port as the same one at another port of its side.
// Addresses elsewhere stay.
func moved(a netip.Addr, family weir.Family, from, to int) netip.Addr {
	if from == to {
		return a
	}
	old, now := parts(family, from), parts(family, to)
	for i, p := range old {
		if p.Contains(a) {
			return rebased(a, now[i])
		}
	}
	return a
}

// rebased is a with the first bits of a prefix of its family.
func rebased(a netip.Addr, p netip.Prefix) netip.Addr {
	b, base := a.AsSlice(), p.Addr().AsSlice()
	for i := range b {
		mask := byte(0xff) // of the bits that a keeps
		if n := p.Bits() - 8*i; n >= 8 {
			mask = 0
		} else if n > 0 {
			mask >>= n
		}
		b[i] = b[i]&mask | base[i]&^mask
	}
	out, _ := netip.AddrFromSlice(b)
	return out
}

// portFlows are the flows of a variant that leave from a port. With several
// pairs of ports there are t.Flows to each port of the other side: frame after
// frame goes to the next of these (RFC 2544 section 16). Destinations in
// t.Routes are spread over the ports by the routes.
func portFlows(t weir.Traffic, port int) ([]Flow, error) {
	side := port % 2
	s := t.Forward
	if side == 1 {
		s = t.Reverse
	}
	flows, err := Flows(directed(t, side), s)
	if err != nil || t.Pairs <= 1 {
		return flows, err
	}
	targets := t.Pairs
	if routed(t, t.Family, side) {
		targets = 1
	}
	all := make([]Flow, 0, targets*len(flows))
	for _, f := range flows {
		f.Source = moved(f.Source, t.Family, side, port)
		for pair := range targets {
			to := f
			to.Destination = moved(f.Destination, t.Family, 1-side, 2*pair+1-side)
			all = append(all, to)
		}
	}
	return all, nil
}

// validatePairs checks that the addresses of a stream from one side are those
// of the first pair, so that the others can have theirs.
func validatePairs(t weir.Traffic, family weir.Family, s weir.Stream, side int) error {
	if t.Pairs <= 1 {
		return nil
	}
	for _, c := range []struct {
		name string
		set  weir.AddressSet
		port int
	}{{"source", s.Source, side}, {"destination", s.Destination, 1 - side}} {
		if c.name == "destination" && routed(t, family, side) {
			continue
		}
		if !inside(c.set, parts(family, c.port)) {
			return fmt.Errorf("%s: with %d pairs of ports it has to be in %v, the part of port %d: the frames of the other ports have the same addresses in theirs",
				c.name, t.Pairs, parts(family, c.port)[0], c.port)
		}
	}
	return nil
}

func inside(s weir.AddressSet, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(s.First) && n.Contains(LastOf(s)) {
			return true
		}
	}
	return false
}

// destinationNetworks is how many networks of destinations a router is tested
// with.
const destinationNetworks = 256

// DestinationNetworks are DefaultStreams whose destinations lie in 256 networks
// behind the other port and are drawn at random (RFC 2544 section 12): node 2
// in each /24 of the port's 198.18.0.0/16 or 198.19.0.0/16, or of its part of
// these, in /27s, when there are several pairs of ports. In IPv6 they lie in
// 256 networks of /64, four nodes in each, for which the DUT needs the routes
// to Networks. A traffic needs some 2000 flows or more to reach all of them.
func DestinationNetworks(family weir.Family, pairs int) (forward, reverse weir.Stream) {
	forward, reverse = DefaultStreams(family)
	for port, s := range []*weir.Stream{&reverse, &forward} {
		d := &s.Destination
		d.Count, d.Order = destinationNetworks, weir.Random
		switch {
		case family == weir.IPv6:
			// The distance of one /64 to the next does not fit into 64 bits.
			d.First = later(Networks(family, port)[1].Addr(), 2, 1)
			d.Count, d.Stride = 4*destinationNetworks, 1<<62
		case pairs > 1:
			d.Stride = 1 << (32 - pairBits[family][0] - 8)
		default:
			d.Stride = 1 << 8
		}
	}
	return forward, reverse
}
