package plan

import (
	"net/netip"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

func (r *reader) vlans(n node) []weir.VLAN {
	var tags []weir.VLAN
	r.list(n, "vlans", func(n node) {
		var v weir.VLAN
		id := scalarField("id", &v.ID, schema.Within(schema.Uint16, 0, 4094))
		if n.kind == object {
			r.object(n, "a VLAN tag", id,
				scalarField("pcp", &v.PCP, schema.Within(schema.Uint8, 0, 7)),
				scalarField("tpid", &v.TPID, parseTPID))
			if _, ok := n.find("id"); !ok {
				r.wrong(n, "a VLAN tag needs an id")
			}
		} else {
			id.read(r, n)
		}
		tags = append(tags, v)
	})
	for i := range tags {
		if tags[i].TPID == 0 {
			tags[i].TPID = 0x8100
			if i == 0 && len(tags) == 2 {
				tags[i].TPID = 0x88a8 // the outer one of two is the provider's (802.1ad)
			}
		}
	}
	if len(tags) > 2 {
		r.wrong(n, "%d VLAN tags: at most two", len(tags))
	}
	return tags
}

func addressSet(name string, to *weir.AddressSet, family *weir.Family) field {
	return field{name, func(r *reader, n node) {
		if n.kind == scalar { // one address
			n = node{kind: object, line: n.line, column: n.column, entries: []entry{{key: node{kind: scalar, text: "first"}, value: n}}}
		}
		r.object(n, name,
			scalarField("first", &to.First, func(s string) (netip.Addr, error) { return parseAddress(s, *family) }),
			scalarField("count", &to.Count, schema.Within(schema.Int, 1, frame.MaxAddresses)),
			oneOf("order", &to.Order, weir.Fixed, weir.Increment, weir.Random),
			scalarField("stride", &to.Stride, schema.Within(schema.Int, 1, frame.MaxAddresses)))
		if _, said := n.find("order"); !said && to.Count > 1 {
			to.Order = weir.Increment
		}
	}}
}

func portSet(name string, to *weir.PortSet) field {
	return field{name, func(r *reader, n node) {
		if n.kind == scalar { // one port
			scalarField(name, &to.First, schema.Uint16).read(r, n)
			to.Last, to.Order = to.First, weir.Fixed
			return
		}
		r.object(n, name,
			scalarField("first", &to.First, schema.Uint16),
			scalarField("last", &to.Last, schema.Uint16),
			oneOf("order", &to.Order, weir.Fixed, weir.Increment, weir.Random))
		if _, said := n.find("last"); !said {
			to.Last = max(to.Last, to.First)
		}
		if _, said := n.find("order"); !said && to.Last > to.First {
			to.Order = weir.Random // RFC 4814 section 4.5: not incrementing
		}
		if to.Last < to.First {
			r.wrong(n, "%s: the last port %d is below the first %d", name, to.Last, to.First)
		}
	}}
}

// mirror is the stream of the answers to s.
func mirror(s weir.Stream) weir.Stream {
	return weir.Stream{
		Source: s.Destination, Destination: s.Source,
		SourcePort: s.DestinationPort, DestinationPort: s.SourcePort,
	}
}
