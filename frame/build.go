package frame

import (
	"errors"
	"fmt"
	"net"
	"slices"

	"weir"
)

// Builder makes the frames that leave from one port. It may be used by several
// goroutines at once.
type Builder struct {
	kinds  []*Kind
	turns  []turn   // one cycle
	counts []uint64 // frames of each kind in a cycle

	broadcast      *Kind // nil without
	broadcastRatio uint64

	page     []byte // what all frames are made of: the filler, in its place
	assorted bool
}

// turn is a place in the cycle: a frame of which kind, and how many of that
// kind there are before it.
type turn struct{ kind, rank uint32 }

// NewBuilder is a builder of the frames of t in the direction of s, from the
// given source to the given destination, the next hop's. It is an error when
// LayoutOf or Flows refuse t and s, or an Ethernet address has not 6 octets,
// and when t depends on the port that sends: it has a blend, several pairs of
// ports, or sessions.
func NewBuilder(t weir.Traffic, s weir.Stream, source, destination net.HardwareAddr) (*Builder, error) {
	if t.Blend != nil || t.Pairs > 1 || t.Sessions > 0 {
		return nil, errors.New("a blend, several pairs of ports, and sessions need a builder for a port")
	}
	if _, err := LayoutOf(t); err != nil {
		return nil, err
	}
	t.Forward = s
	return builderFor(t, 0, nil, source, destination)
}

// NewPortBuilder is a builder of the frames of t that leave from the tester's
// port, 0 to 2 x t.Pairs - 1: those in the direction Forward from even ports and
// those in the direction Reverse from odd ones. With several pairs they have
// the addresses of the port, and those of the other side's ports in turn. Of
// t.Sessions the sessions themselves are needed: frames from port 0 leave inside
// them, and have their Ethernet addresses; those from port 1 go to their
// clients. It is an error when LayoutOf refuses t, there is no such port, an
// Ethernet address has not 6 octets, there are not as many sessions or
// CheckSessions refuses them, or the capture that t replays is not the one that
// it was.
func NewPortBuilder(t weir.Traffic, port int, source, destination net.HardwareAddr, sessions ...Session) (*Builder, error) {
	if _, err := LayoutOf(t); err != nil {
		return nil, err
	}
	if n := 2 * max(t.Pairs, 1); port < 0 || port >= n {
		return nil, fmt.Errorf("port %d: there are ports 0 to %d", port, n-1)
	}
	if len(sessions) != t.Sessions {
		return nil, fmt.Errorf("frames in %d sessions: there are %d", t.Sessions, len(sessions))
	}
	if err := CheckSessions(sessions, t.Family); err != nil {
		return nil, err
	}
	return builderFor(t, port, sessions, source, destination)
}

func builderFor(t weir.Traffic, port int, sessions []Session, source, destination net.HardwareAddr) (*Builder, error) {
	for _, a := range []net.HardwareAddr{source, destination} {
		if len(a) != 6 {
			return nil, fmt.Errorf("%q is not an Ethernet address of 6 octets", a)
		}
	}
	b := &Builder{page: make([]byte, slices.Max(t.Sizes)-FCS)}
	b.assorted = t.Broadcast > 0 || t.Replay != nil || len(variants(t)) > 1 || len(variants(t)[0].traffic.Extensions) > 0
	if t.Broadcast > 0 {
		b.broadcastRatio = broadcastRatio(t.Broadcast)
	}
	if t.Replay != nil {
		frames, err := replayed(t)
		if err != nil {
			return nil, err
		}
		b.replay(t, frames, source, destination)
		return b, nil
	}
	if err := b.invent(t, port, sessions, source, destination); err != nil {
		return nil, err
	}
	return b, nil
}

// invent makes the kinds of a traffic that replays nothing.
func (b *Builder) invent(t weir.Traffic, port int, sessions []Session, source, destination net.HardwareAddr) error {
	all, side := variants(t), port%2
	shares := make([]float64, len(all))
	base := len(b.page)
	for i, v := range all {
		shares[i] = v.share
		base = min(base, layoutOf(v.traffic).from(1).Payload) // one page has the filler of both sides
	}
	b.fill(t, base)
	tables := make(map[weir.Family]flowTable)
	for _, v := range all {
		table, ok := tables[v.traffic.Family]
		if !ok {
			flows, err := portFlows(v.traffic, port)
			if err != nil {
				return err
			}
			table = newFlowTable(flows, through(flows, sessions, v.traffic.Family, side))
			tables[v.traffic.Family] = table
		}
		b.kinds = append(b.kinds, newKind(v.traffic, layoutOf(v.traffic).from(side), true, table, source, destination, b.page))
	}
	b.order(cycle(shares))
	b.addBroadcast(t, source)
	b.complete()
	return nil
}

// fill writes the filler to the page from an offset on.
func (b *Builder) fill(t weir.Traffic, base int) {
	unsigned := layoutOf(broadcastTraffic(t)).Payload
	if t.Broadcast > 0 {
		base = min(base, unsigned)
	}
	copy(b.page[base:], Payload(t.Seed, len(b.page)-base))
	if t.Broadcast > 0 && b.page[unsigned] == MagicFull>>8 {
		b.page[unsigned]++ // a broadcast frame could be taken for one with a signature
	}
}

// order sets the kinds of the frames of a cycle.
func (b *Builder) order(kinds []int) {
	b.counts = make([]uint64, len(b.kinds))
	b.turns = make([]turn, len(kinds))
	for i, k := range kinds {
		b.turns[i] = turn{uint32(k), uint32(b.counts[k])}
		b.counts[k]++
	}
}

// complete gives the kinds their octets: the headers, and the filler behind
// them as far as a frame of another kind may have written over it.
func (b *Builder) complete() {
	all := b.kinds
	if b.broadcast != nil {
		all = append(slices.Clone(all), b.broadcast)
	}
	reach := 0
	for _, k := range all {
		reach = max(reach, k.SignatureEnd(), len(k.Octets))
	}
	reach = min(reach, len(b.page))
	for _, k := range all {
		if k.Octets == nil {
			headers := k.Template.Headers
			k.Octets = slices.Concat(headers, b.page[len(headers):max(reach, len(headers))])
		}
	}
}

// Template is what all frames of the first kind have in common. It must not be
// changed.
func (b *Builder) Template() Template { return b.kinds[0].Template }

// SizeEntries are the entries of Traffic.Sizes, in the same order, of the first
// kind. They must not be changed.
func (b *Builder) SizeEntries() []SizeEntry { return b.kinds[0].Sizes }

// FlowEntries are the entries of the flows of the first kind, in the order of
// Flows. They must not be changed.
func (b *Builder) FlowEntries() []FlowEntry { return b.kinds[0].Flows }

// Initial is a copy of the octets that frames are made of: the first kind's,
// and the filler of the largest size. It is no valid frame itself; one of size
// i is its first SizeEntry.Frame octets, finished.
func (b *Builder) Initial() []byte {
	initial := slices.Clone(b.page)
	copy(initial, b.kinds[0].Octets)
	return initial
}

// Frame builds frame i without FCS: of the kind whose turn it is, and of size n
// modulo their number and flow n modulo their number of that kind, whose n-th
// frame it is; n is i when there is one kind. It overwrites dst from its start
// and returns it with the frame's length; only a dst whose capacity is too
// small is replaced.
func (b *Builder) Frame(dst []byte, i uint64, sig Signature) []byte {
	cycle := uint64(len(b.turns))
	t := b.turns[i%cycle]
	return b.build(dst, b.kinds[t.kind], i/cycle*b.counts[t.kind]+uint64(t.rank), sig)
}

// build builds the n-th frame of a kind.
func (b *Builder) build(dst []byte, k *Kind, n uint64, sig Signature) []byte {
	length := int(k.Sizes[n%uint64(len(k.Sizes))].Frame)
	if cap(dst) < length {
		dst = make([]byte, length)
	}
	dst = dst[:length]
	if copy(dst, k.Octets) < length {
		copy(dst[len(k.Octets):], b.page[len(k.Octets):])
	}
	k.finish(dst, n, sig)
	return dst
}
