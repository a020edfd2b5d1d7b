package frame

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net/netip"

	"weir"
	"weir/fib"
)

// Flow is what tells the frames of one flow from those of another.
type Flow struct {
	Source, Destination         netip.Addr
	SourcePort, DestinationPort uint16
}

// Flows are the t.Flows flows of a stream of t, all different. Flow i has the
// first value of a fixed set, value i modulo their number of an incrementing
// one, and of a random one a value that is drawn evenly with t.Seed, the same
// each time (RFC 4814 section 3.2). With t.Routes, the destinations are spread
// evenly over these instead, one flow to each prefix if there are as many of
// both (RFC 3222), in an order that t.Seed shuffles: neighbours in the table
// would be kind to the DUT's caches. It is an error when the stream is not
// valid or its sets have fewer combinations than flows are asked for.
func Flows(t weir.Traffic, s weir.Stream) ([]Flow, error) {
	if t.Flows < 1 || t.Flows > MaxFlows {
		return nil, fmt.Errorf("flows: %d is not between 1 and %d", t.Flows, MaxFlows)
	}
	if err := validateStream(t, s); err != nil {
		return nil, err
	}
	destinations, err := routes(t)
	if err != nil {
		return nil, err
	}
	if destinations != nil {
		s.Destination = weir.AddressSet{Order: weir.Fixed}
	}
	w := newWalker(t.Seed, s, t.Flows)
	if destinations != nil {
		w.taken = nil // the flows differ in their destinations
	}
	flows := make([]Flow, t.Flows)
	for i := range flows {
		at := w.next(uint32(i))
		f := Flow{
			Source:          nth(s.Source, at[0]),
			SourcePort:      s.SourcePort.First + uint16(at[2]),
			DestinationPort: s.DestinationPort.First + uint16(at[3]),
		}
		if destinations != nil {
			f.Destination = destinations[i%len(destinations)]
		} else {
			f.Destination = nth(s.Destination, at[1])
		}
		flows[i] = f
	}
	return flows, nil
}

// routes are t.Flows destinations in the prefixes of t.Routes; nil when it has
// none of t's family. DUTs side by side have as many flows each: to one whose prefixes
// have room for fewer destinations these are all that they have, again and again.
func routes(t weir.Traffic) ([]netip.Addr, error) {
	if !routed(t, t.Family, 0) {
		return nil, nil
	}
	n := t.Flows
	if t.Arms > 1 {
		n = min(n, fib.MostDestinations(t.Routes))
	}
	destinations, err := fib.Destinations(t.Routes, n)
	if err != nil {
		return nil, fmt.Errorf("routes: %w", err)
	}
	rand.New(rand.NewPCG(t.Seed, drawRoute)).Shuffle(len(destinations), func(i, j int) {
		destinations[i], destinations[j] = destinations[j], destinations[i]
	})
	return destinations, nil
}

// routed reports whether the destinations of a family that leave from a side,
// 0 or 1, are those of t.Routes: these lead to the ports of side 1.
func routed(t weir.Traffic, family weir.Family, side int) bool {
	return side == 0 && t.Routes.Count > 0 && t.Routes.Family == family
}

// FlowsFor is as many flows as the larger set of addresses of a stream has, so
// that each address is sent, and MaxFlows at most.
func FlowsFor(s weir.Stream) int {
	flows := 1
	for _, a := range []weir.AddressSet{s.Source, s.Destination} {
		if a.Order != weir.Fixed {
			flows = max(flows, a.Count)
		}
	}
	return min(flows, MaxFlows)
}

// nth is address n of a set, from 0 on.
func nth(s weir.AddressSet, n uint32) netip.Addr {
	return later(s.First, uint64(n), uint64(max(s.Stride, 1)))
}

// LastOf is the last address of a set, which has one at least and does not go
// beyond the last address that there is (Validate).
func LastOf(s weir.AddressSet) netip.Addr { return nth(s, uint32(s.Count-1)) }

// later is the address that is n strides after a. It wraps around at the last
// one.
func later(a netip.Addr, n, stride uint64) netip.Addr {
	high, low := bits.Mul64(n, stride)
	if a.Is4() {
		b := a.As4()
		binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+uint32(low))
		return netip.AddrFrom4(b)
	}
	b := a.As16()
	low, carry := bits.Add64(binary.BigEndian.Uint64(b[8:]), low, 0)
	high, _ = bits.Add64(binary.BigEndian.Uint64(b[:8]), high, carry)
	binary.BigEndian.PutUint64(b[:8], high)
	binary.BigEndian.PutUint64(b[8:], low)
	return netip.AddrFrom16(b)
}

// fits reports whether a set of addresses does not go beyond the last one.
func fits(s weir.AddressSet) bool {
	high, low := bits.Mul64(uint64(s.Count-1), uint64(max(s.Stride, 1)))
	if s.First.Is4() {
		first := s.First.As4()
		return high == 0 && low <= uint64(^binary.BigEndian.Uint32(first[:]))
	}
	return !LastOf(s).Less(s.First)
}
