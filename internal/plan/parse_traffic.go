package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"weir"
	"weir/frame"
	"weir/internal/schema"
)

// sending is what a plan says of the traffic, whatever the size of its frames.
type sending struct {
	weir.Traffic     // without sizes; Flows are 0 where the plan leaves them open
	networks     int // destination networks (RFC 2544 section 12); 0: as the streams say
	most         int // pairs of ports that the lab has for any level of the plan
	bed          Testbed
}

// traffic reads what is sent, and the sizes of its frames: none after a mistake.
func (r *reader) traffic(n node, profile string) (sending, []size) {
	s := sending{Traffic: weir.Traffic{Family: r.family, Protocol: weir.UDP, Seed: 1, Layer: r.layer}, bed: *r.bed}
	// Sizes that are drawn depend on the seed, wherever it stands.
	if seed, ok := n.find("seed"); ok && seed.kind == scalar {
		if v, err := schema.Uint64(seed.text); err == nil {
			s.Seed = v
		}
	}
	s.Forward, s.Reverse = frame.DefaultStreams(s.Family)
	if profile == RFC2544 {
		s.Forward.DestinationPort = weir.PortSet{First: echo, Last: echo, Order: weir.Fixed}
		s.Reverse.DestinationPort = s.Forward.DestinationPort
	}

	var sizes []size
	var kinds []string
	said := func(name string, read func(*reader, node)) field {
		return field{name, func(r *reader, n node) { kinds = append(kinds, name); read(r, n) }}
	}
	headers := false // whether the plan says what the headers hold
	header := func(f field) field {
		return field{f.name, func(r *reader, n node) { headers = true; f.read(r, n) }}
	}
	before := len(r.mistakes)
	r.object(n, "traffic", append([]field{
		said("sizes", func(r *reader, n node) { sizes = r.sizes(n, s.Seed) }),
		said("imix", func(r *reader, n node) {
			sizes = []size{{at: n, name: n.text, sizes: r.genome(n, "imix")}}
		}),
		said("replay", func(r *reader, n node) { sizes = []size{r.replay(n)} }),
		oneOf("family", &s.Family, weir.IPv4, weir.IPv6),
		oneOf("protocol", &s.Protocol, weir.UDP, weir.TCP),
		{"vlans", func(r *reader, n node) { s.VLANs = r.vlans(n) }},
		header(addressSet("source", &s.Forward.Source, &s.Family)),
		header(addressSet("destination", &s.Forward.Destination, &s.Family)),
		header(portSet("source_port", &s.Forward.SourcePort)),
		header(portSet("destination_port", &s.Forward.DestinationPort)),
		scalarField("seed", &s.Seed, schema.Uint64),
	}, s.fields()...)...)
	if len(kinds) > 1 {
		r.wrong(n, "%s and %s both say which frames are sent: leave one out", kinds[0], kinds[1])
	}
	if headers {
		s.Reverse = mirror(s.Forward)
	}
	if _, both := n.find("destination"); both && s.networks > 0 {
		r.wrong(n, "networks and destination both say where the frames go: leave one out")
	}
	if len(r.mistakes) > before {
		return s, nil
	}
	if sizes == nil {
		sizes = defaultSizes(n, s.under(weir.Condition{Access: weir.Access{PPPoE: weir.Userland}}), profile)
	}
	return s, sizes
}

// echo is the destination port of RFC 2544's test frame (appendix C.2.6.4).
const echo = 7

// fields are what a level of a plan may say of the traffic, too.
func (s *sending) fields() []field {
	return []field{
		scalarField("flows", &s.Flows, schema.Within(schema.Count, 1, frame.MaxFlows)),
		scalarField("bidirectional", &s.Bidirectional, schema.Bool),
		{"direction", func(r *reader, n node) { r.direction(n, &s.Traffic) }},
		{"blend", func(r *reader, n node) { r.blend(n, &s.Traffic) }},
		{"extensions", func(r *reader, n node) { r.extensions(n, &s.Traffic) }},
		scalarField("broadcast", &s.Broadcast, schema.Part),
		scalarField("burst", &s.Burst, schema.Within(schema.Int, 0, mostBurst)),
		scalarField("pairs", &s.Pairs, schema.Within(schema.Int, 1, frame.MaxPairs)),
		{"sessions", func(r *reader, n node) {
			r.inside = n
			scalarField("sessions", &s.Sessions, schema.Within(schema.Int, 1, frame.MaxSessions)).read(r, n)
		}},
		scalarField("networks", &s.networks, schema.Within(schema.Int, 1, mostNetworks)),
		oneOf("server", &s.Server, weir.Source, weir.Destination),
	}
}

// direction reads which way frames are sent.
func (r *reader) direction(n node, t *weir.Traffic) {
	const forward, reverse, both = "forward", "reverse", "both"
	var way string
	oneOf("direction", &way, forward, reverse, both).read(r, n)
	t.Backward, t.Bidirectional = way == reverse, way == both
}

// under is the traffic that is sent while the DUT is set to a condition.
func (s sending) under(c weir.Condition) weir.Traffic {
	t := s.Traffic
	if s.networks > 0 {
		forward, reverse := destinationNetworks(t, max(s.most, t.Pairs, 1), s.networks)
		t.Forward.Destination, t.Reverse.Destination = forward.Destination, reverse.Destination
	}
	s.bed.throughNetworks(&t)
	t.Routes = c.Routes
	if t.Pairs == 1 {
		t.Pairs = 0
	}
	if t.Flows == 0 {
		t.Flows = max(flowsOf(t), t.Sessions)
	}
	if c.Access.PPPoE == "" {
		t.Sessions = 0 // they are by IP, beside frames inside sessions
	}
	return t
}

// flowsOf is how many flows a traffic has that does not say so.
func flowsOf(t weir.Traffic) int {
	return max(frame.FlowsFor(t.Forward), t.Routes.Count, drawsPerNetwork*networksOf(t))
}

// blend reads the share of frames of the other family, alone or in an object.
func (r *reader) blend(n node, t *weir.Traffic) {
	b := weir.Blend{}
	f := scalarField("share", &b.Share, schema.Part)
	if n.kind == scalar {
		f.read(r, n)
	} else if r.object(n, "blend", f); n.kind == object && len(n.entries) == 0 {
		r.wrong(n, "blend needs a share: {share: 10%%}")
	}
	t.Blend = nil
	if b.Share > 0 {
		other := weir.IPv6
		if r.family == weir.IPv6 {
			other = weir.IPv4
		}
		b.Forward, b.Reverse = frame.DefaultStreams(other)
		t.Blend = &b
	}
}

// extensions reads IPv6 extension headers, and the share of the frames that
// have them.
func (r *reader) extensions(n node, t *weir.Traffic) {
	t.Extensions, t.Extended = nil, 1
	headers := field{"headers", func(r *reader, n node) {
		r.list(n, "headers", func(n node) {
			var x weir.Extension
			oneOf("extension header", &x, weir.HopByHop, weir.DestinationOptions, weir.RoutingHeader).read(r, n)
			t.Extensions = append(t.Extensions, x)
		})
	}}
	if n.kind != object {
		headers.read(r, n)
	} else {
		r.object(n, "extensions", headers, scalarField("share", &t.Extended, schema.Load))
		if _, ok := n.find("headers"); !ok {
			r.wrong(n, "extensions need headers: {headers: [hop-by-hop], share: 10%%}")
		}
	}
	if r.family != weir.IPv6 && t.Blend == nil {
		r.wrong(n, "only IPv6 frames have extension headers: say family: ipv6")
	}
}

// besides reports what is wrong with a traffic in a lab that has more pairs of
// ports, for another level: the others have their own parts of the addresses.
func besides(t weir.Traffic, most int) error {
	if most <= max(t.Pairs, 1) {
		return nil
	}
	t.Pairs, t.Flows = most, 1
	if _, err := frame.LayoutOf(t); err != nil {
		return fmt.Errorf("the lab has %d pairs of ports for another level: %w", most, err)
	}
	return nil
}

// TrafficKey is the same for traffics that are alike, and for no others.
func TrafficKey(t weir.Traffic) string {
	text, err := json.Marshal(t)
	if err != nil {
		return fmt.Sprintf("%+v", t) // a share that is no number: no plan has one
	}
	return string(text)
}

// roomier says with an error of frames too small what takes their place.
func roomier(err error, z size) error {
	var small *frame.TooSmallError
	if !errors.As(err, &small) || z.name != "imix" || !slices.Equal(z.sizes, frame.SimpleIMIX()) {
		return err
	}
	return fmt.Errorf("%w; take {name: imix-%d, mix: {%d: 7, 594: 4, 1518: 1}}", err, small.Least, small.Least)
}

// sized are the traffics of the sizes, of which the frames are checked. What is
// wrong with them is a mistake at the size, or at the level that made it so.
func (r *reader) sized(s sending, c weir.Condition, sizes []size, at *node) []weir.Traffic {
	t := s.under(c)
	t.Server = ""
	if slices.ContainsFunc(sizes, func(z size) bool { return !z.application }) && (t.Bidirectional || t.Backward) && t.Routes.Count > 0 {
		if at == nil {
			at = &r.both
		}
		r.wrong(*at, "routes lead one way: only forward frames go to them, so leave the other direction out where there are routes")
		return nil
	}
	var out []weir.Traffic
	for _, z := range sizes {
		if z.application {
			out = append(out, s.application(z.name))
			continue
		}
		t.Name, t.Sizes, t.Replay = z.name, slices.Clone(z.sizes), z.replay
		_, err := frame.LayoutOf(t)
		if err == nil {
			err = besides(t, s.most)
		}
		if err == nil {
			err = c.ConflictWith(t)
		}
		err = roomier(err, z)
		switch {
		case err != nil && at != nil:
			r.wrong(*at, "with frames of %s: %v", z.name, err)
		case err != nil:
			r.wrong(z.at, "%v", err)
		default:
			out = append(out, t)
		}
	}
	return out
}
