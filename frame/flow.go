package frame

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"weir"
)

// Flow is what tells the frames of one flow from those of another.
type Flow struct {
	Source, Destination         netip.Addr
	SourcePort, DestinationPort uint16
}

// Flows are the t.Flows flows of a stream of t, all different. Flow i has the
// first value of a fixed set, value i modulo their number of an incrementing
// one, and of a random one a value that is drawn evenly with t.Seed, the same
// each time (RFC 4814 section 3.2). It is an error when the stream is not valid or
// its sets have fewer combinations than flows are asked for.
func Flows(t weir.Traffic, s weir.Stream) ([]Flow, error) {
	if t.Flows < 1 || t.Flows > MaxFlows {
		return nil, fmt.Errorf("flows: %d is not between 1 and %d", t.Flows, MaxFlows)
	}
	if err := validateStream(t, s); err != nil {
		return nil, err
	}
	w := newWalker(t.Seed, s, t.Flows)
	flows := make([]Flow, t.Flows)
	for i := range flows {
		at := w.next(uint32(i))
		flows[i] = Flow{
			Source:          later(s.Source.First, at[0]),
			Destination:     later(s.Destination.First, at[1]),
			SourcePort:      s.SourcePort.First + uint16(at[2]),
			DestinationPort: s.DestinationPort.First + uint16(at[3]),
		}
	}
	return flows, nil
}

// later is the n-th address after a. It wraps around at the last one.
func later(a netip.Addr, n uint32) netip.Addr {
	if a.Is4() {
		b := a.As4()
		binary.BigEndian.PutUint32(b[:], binary.BigEndian.Uint32(b[:])+n)
		return netip.AddrFrom4(b)
	}
	b := a.As16()
	low := binary.BigEndian.Uint64(b[8:]) + uint64(n)
	if low < uint64(n) {
		binary.BigEndian.PutUint64(b[:8], binary.BigEndian.Uint64(b[:8])+1)
	}
	binary.BigEndian.PutUint64(b[8:], low)
	return netip.AddrFrom16(b)
}
