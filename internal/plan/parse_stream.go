package plan

import (
	"net/netip"
	"path"
	"strings"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// tagFields are the fields of a VLAN tag.
func tagFields(v *weir.VLAN) []field {
	return []field{
		scalarField("id", &v.ID, schema.Within(schema.Uint16, 0, 4094)).needed(),
		scalarField("pcp", &v.PCP, schema.Within(schema.Uint8, 0, 7)).means("priority", "0"),
		scalarField("tpid", &v.TPID, etherType).means("0x8100 (802.1Q) or 0x88a8 (802.1ad)", "0x8100; of the outer one of two 0x88a8"),
	}
}

// tagsShape describes VLAN tags.
var tagsShape = schema.ListOf(schema.Either(schema.Within(schema.Uint16, 0, 4094).Shape, objectOf("a VLAN tag", tagFields(&weir.VLAN{})...)))

// vlans reads VLAN tags, each by its number or as an object.
func (r *reader) vlans(n node) []weir.VLAN {
	var tags []weir.VLAN
	r.list(n, "vlans", func(n node) {
		var v weir.VLAN
		fields := tagFields(&v)
		if n.kind == object {
			r.object(n, "a VLAN tag", fields...)
			if _, ok := n.find("id"); !ok {
				r.wrong(n, "a VLAN tag needs an id")
			}
		} else {
			fields[0].read(r, n)
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

// orderField describes the order of addresses or ports.
func orderField(to *weir.Order) field {
	return oneOf("order", to, weir.Fixed, weir.Increment, weir.Random)
}

// addressSet describes one address, or several.
func addressSet(name string, to *weir.AddressSet, family *weir.Family) field {
	address := schema.Custom(schema.Text, func(s string) (netip.Addr, error) { return parseAddress(s, *family) })
	fields := []field{
		scalarField("first", &to.First, address),
		scalarField("count", &to.Count, schema.Within(schema.Int, 1, frame.MaxAddresses)).means("how many", "1"),
		orderField(&to.Order),
		scalarField("stride", &to.Stride, schema.Within(schema.Int, 1, frame.MaxAddresses)).means("from one to the next", "1"),
	}
	shape := func() schema.Shape { return schema.Either(address.Shape, objectOf("addresses", fields...)) }
	return custom(name, shape, func(r *reader, n node) {
		if n.kind == scalar { // one address
			n = node{kind: object, line: n.line, column: n.column, entries: []entry{{key: node{kind: scalar, text: "first"}, value: n}}}
		}
		r.object(n, name, fields...)
		if _, given := n.find("order"); !given && to.Count > 1 {
			to.Order = weir.Increment
		}
	})
}

// portSet describes one port, or several.
func portSet(name string, to *weir.PortSet) field {
	fields := []field{
		scalarField("first", &to.First, schema.Uint16),
		scalarField("last", &to.Last, schema.Uint16).means("the highest", "the first"),
		orderField(&to.Order),
	}
	shape := func() schema.Shape { return schema.Either(schema.Uint16.Shape, objectOf("port numbers", fields...)) }
	return custom(name, shape, func(r *reader, n node) {
		if n.kind == scalar { // one port
			scalarField(name, &to.First, schema.Uint16).read(r, n)
			to.Last, to.Order = to.First, weir.Fixed
			return
		}
		r.object(n, name, fields...)
		if _, given := n.find("last"); !given {
			to.Last = max(to.Last, to.First)
		}
		if _, given := n.find("order"); !given && to.Last > to.First {
			to.Order = weir.Random // RFC 4814 section 4.5: not incrementing
		}
		if to.Last < to.First {
			r.wrong(n, "%s: the last port %d is below the first %d", name, to.Last, to.First)
		}
	})
}

// mirror is the stream of the answers to s.
func mirror(s weir.Stream) weir.Stream {
	return weir.Stream{
		Source: s.Destination, Destination: s.Source,
		SourcePort: s.DestinationPort, DestinationPort: s.SourcePort,
	}
}

// drawsPerNetwork is how many flows a traffic to several networks has for each
// of them, so that flows that are drawn at random reach nearly all.
const drawsPerNetwork = 8

// destinationNetworks are the streams of t, with destinations in n networks
// rather than in the most that there are (RFC 2544 section 12), in a lab with
// so many pairs of ports.
func destinationNetworks(t weir.Traffic, pairs, n int) (forward, reverse weir.Stream) {
	forward, reverse = frame.DestinationNetworks(t.Family, pairs)
	for _, s := range []*weir.Stream{&forward, &reverse} {
		s.Destination.Count = s.Destination.Count / mostNetworks * n
	}
	return forward, reverse
}

// networksOf is in how many such networks the destinations of t lie; 0 where
// they are others.
func networksOf(t weir.Traffic) int {
	d := t.Forward.Destination
	for _, pairs := range []int{1, frame.MaxPairs} { // alike for all labs of several pairs
		most, _ := destinationNetworks(t, pairs, mostNetworks)
		each := most.Destination.Count / mostNetworks
		if most.Destination.Count = d.Count; d == most.Destination {
			return d.Count / each
		}
	}
	return 0
}

// replay reads a capture, whose frames are sent.
func (r *reader) replay(n node) size {
	name := r.word(n, "replay")
	z := size{at: n, name: strings.TrimSuffix(path.Base(name), path.Ext(name))}
	switch {
	case name == "":
	case r.captures == nil:
		r.wrong(n, "replay: there is no file %q where this plan is read", name)
	default:
		c, err := r.captures(name)
		if err != nil {
			r.wrong(n, "replay: %v", err)
			break
		}
		z.sizes, z.replay = c.Sizes(), c.Replay()
	}
	return z
}
