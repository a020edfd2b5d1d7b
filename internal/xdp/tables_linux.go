package xdp

import (
	"fmt"

	"github.com/cilium/ebpf"

	"weir/frame"
)

// tables are what the program for assorted frames looks up.
type tables struct {
	kinds []assortedKind // those of the load, then that of the broadcast frames
	turns []assortedTurn
	sizes []assortedSizeEntry
	flows []assortedFlowEntry // of one side after the other
}

func newTables(sides []Side) *tables {
	t := &tables{}
	for _, k := range kindsOf(sides[0].Frames) {
		t.addKind(k)
	}
	for _, k := range sides[0].Frames.Cycle() {
		kind := &t.kinds[k]
		t.turns = append(t.turns, assortedTurn{Kind: uint32(k), Rank: uint32(kind.Count)})
		kind.Count++
	}
	for i, s := range sides {
		t.addFlows(kindsOf(s.Frames), i == 0)
	}
	return t
}

func kindsOf(b *frame.Builder) []*frame.Kind {
	kinds := b.Kinds()
	if k := b.Broadcast(); k != nil {
		kinds = append(kinds[:len(kinds):len(kinds)], k)
	}
	return kinds
}

func (t *tables) addKind(k *frame.Kind) {
	l := k.Template.Layout
	kind := assortedKind{
		SizesAt: uint32(len(t.sizes)), SizesN: uint32(len(k.Sizes)), FlowsN: uint32(len(k.Flows)),
		L3: uint16(l.L3), L4: uint16(l.L4), Payload: uint16(l.Payload), Reach: uint16(len(k.Octets)),
		Ipv6: flag(k.IPv6), Tcp: flag(k.TCP), Form: formFull,
	}
	switch {
	case !k.Signed:
		kind.Form = formUnsigned
	case l.Short:
		kind.Form = formBrief
	}
	copy(kind.Octets[:], k.Octets)
	t.kinds = append(t.kinds, kind)
	for _, s := range k.Sizes {
		t.sizes = append(t.sizes, assortedSizeEntry{Frame: s.Frame, IpLength: s.IPLength, L4Length: s.L4Length, IpSum: s.IPSum, L4Sum: s.L4Sum})
	}
}

// addFlows adds the flows of a side; those of the first one say where a kind
// has its own. Kinds of one family share theirs.
func (t *tables) addFlows(kinds []*frame.Kind, first bool) {
	at := make(map[*frame.FlowEntry]uint32)
	for i, k := range kinds {
		if _, ok := at[&k.Flows[0]]; !ok {
			at[&k.Flows[0]] = uint32(len(t.flows))
			for _, f := range k.Flows {
				t.flows = append(t.flows, assortedFlowEntry{
					Source: words(f.Source), Destination: words(f.Destination),
					Ports: network16(f.SourcePort) | network16(f.DestinationPort)<<16,
					IpSum: f.IPSum, L4Sum: f.L4Sum,
				})
			}
		}
		if first {
			t.kinds[i].FlowsAt = at[&k.Flows[0]]
		}
	}
}

// put writes the tables into the program's maps.
func (t *tables) put(m *assortedMaps) error {
	for _, table := range []struct {
		name   string
		to     *ebpf.Map
		values any
		n      int
	}{
		{"kinds", m.Kinds, t.kinds, len(t.kinds)},
		{"turns", m.Turns, t.turns, len(t.turns)},
		{"sizes", m.Sizes, t.sizes, len(t.sizes)},
		{"flows", m.Flows, t.flows, len(t.flows)},
	} {
		keys := make([]uint32, table.n)
		for i := range keys {
			keys[i] = uint32(i)
		}
		if _, err := table.to.BatchUpdate(keys, table.values, nil); err != nil {
			return fmt.Errorf("fill the table of %s: %w", table.name, err)
		}
	}
	return nil
}
