package campaign

import (
	"net/netip"
	"slices"
	"strconv"

	"weir"
	"weir/frame"
)

// level is one frame size or mix of a plan with its place in it.
type level struct {
	at    node
	name  string
	sizes []weir.Size
}

// traffic reads what is sent: one weir.Traffic for each size.
func (r *reader) traffic(n node) []weir.Traffic {
	t := weir.Traffic{Family: weir.IPv4, Protocol: weir.UDP, Seed: 1}
	// The addresses to begin with depend on the family, wherever it stands.
	if f, ok := n.find("family"); ok && f.text == string(weir.IPv6) {
		t.Family = weir.IPv6
	}
	t.Forward, t.Reverse = frame.DefaultStreams(t.Family)

	var levels []level
	headers := false // whether the plan says what the headers hold
	header := func(f field) field {
		return field{f.name, func(r *reader, n node) { headers = true; f.read(r, n) }}
	}
	before := len(r.mistakes)
	r.object(n, "traffic",
		field{"sizes", func(r *reader, n node) { levels = r.sizes(n) }},
		oneOf("family", &t.Family, weir.IPv4, weir.IPv6),
		oneOf("protocol", &t.Protocol, weir.UDP, weir.TCP),
		field{"vlans", func(r *reader, n node) { t.VLANs = r.vlans(n) }},
		scalarField("flows", &t.Flows, within(parseInt, 1, frame.MaxFlows)),
		scalarField("bidirectional", &t.Bidirectional, parseBool),
		header(addressSet("source", &t.Forward.Source, &t.Family)),
		header(addressSet("destination", &t.Forward.Destination, &t.Family)),
		header(portSet("source_port", &t.Forward.SourcePort)),
		header(portSet("destination_port", &t.Forward.DestinationPort)),
		scalarField("seed", &t.Seed, parseUint64),
	)
	if headers {
		t.Reverse = mirror(t.Forward)
	}
	if t.Flows == 0 {
		t.Flows = flowsOf(t.Forward)
	}
	if len(r.mistakes) > before {
		return nil
	}
	if levels == nil {
		levels = defaultLevels(n, t)
	}
	return r.levels(t, levels)
}

// levels makes the traffic of each size and has the frames checked.
func (r *reader) levels(t weir.Traffic, levels []level) []weir.Traffic {
	var out []weir.Traffic
	for _, l := range levels {
		if slices.ContainsFunc(out, func(o weir.Traffic) bool { return o.Name == l.name }) {
			r.wrong(l.at, "%s is there twice: each size or mix is measured once", l.name)
			continue
		}
		t.Name, t.Sizes = l.name, l.sizes
		if _, err := frame.LayoutOf(t); err != nil {
			r.wrong(l.at, "%v", err)
			continue
		}
		out = append(out, t)
	}
	return out
}

// defaultLevels are the sizes of RFC 2544 section 9 that show most and the
// mix, as far as the headers of t leave room: the smallest size is then the
// smallest that these headers fit in.
func defaultLevels(n node, t weir.Traffic) []level {
	smallest := max(64, frame.SmallestSize(t.Family, t.Protocol, len(t.VLANs)))
	var out []level
	for _, s := range []weir.Size{smallest, 512, 1518} {
		out = append(out, level{n, strconv.Itoa(int(s)), []weir.Size{s}})
	}
	if imix := frame.SimpleIMIX(); slices.Min(imix) >= smallest {
		out = append(out, level{n, "imix", imix})
	}
	return out
}

func (r *reader) sizes(n node) []level {
	var out []level
	r.list(n, "sizes", func(n node) {
		l := level{at: n}
		switch {
		case n.kind == object:
			r.object(n, "a mix",
				scalarField("name", &l.name, parseText),
				scalarField("genome", &l.sizes, frame.Genome))
			for _, key := range []string{"name", "genome"} {
				if _, ok := n.find(key); !ok {
					r.wrong(n, "a mix needs a %s: {name: mymix, genome: aaad} (RFC 6985)", key)
				}
			}
		case n.kind == scalar && n.text == "imix":
			l.name, l.sizes = "imix", frame.SimpleIMIX()
		default:
			size := 0
			scalarField("size", &size, parseSize).read(r, n)
			l.name, l.sizes = strconv.Itoa(size), []weir.Size{weir.Size(size)}
		}
		out = append(out, l)
	})
	if len(out) > mostSizes {
		r.wrong(n, "%d sizes are too many for one plan: at most %d", len(out), mostSizes)
	}
	return out
}

func (r *reader) vlans(n node) []weir.VLAN {
	var tags []weir.VLAN
	r.list(n, "vlans", func(n node) {
		var v weir.VLAN
		id := scalarField("id", &v.ID, within(parseUint16, 0, 4094))
		if n.kind == object {
			r.object(n, "a VLAN tag", id,
				scalarField("pcp", &v.PCP, within(parseUint8, 0, 7)),
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
			scalarField("count", &to.Count, within(parseInt, 1, frame.MaxAddresses)),
			oneOf("order", &to.Order, weir.Fixed, weir.Increment, weir.Random))
		if _, said := n.find("order"); !said && to.Count > 1 {
			to.Order = weir.Increment
		}
	}}
}

func portSet(name string, to *weir.PortSet) field {
	return field{name, func(r *reader, n node) {
		if n.kind == scalar { // one port
			scalarField(name, &to.First, parseUint16).read(r, n)
			to.Last, to.Order = to.First, weir.Fixed
			return
		}
		r.object(n, name,
			scalarField("first", &to.First, parseUint16),
			scalarField("last", &to.Last, parseUint16),
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

// flowsOf is as many flows as the larger set of addresses has, so that each
// address is sent.
func flowsOf(s weir.Stream) int {
	flows := 1
	for _, a := range []weir.AddressSet{s.Source, s.Destination} {
		if a.Order != weir.Fixed {
			flows = max(flows, a.Count)
		}
	}
	return min(flows, frame.MaxFlows)
}
