package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
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
func (r *reader) traffic(n node, defaults string) (sending, []size) {
	s := sending{Traffic: weir.Traffic{Family: r.family, Protocol: weir.UDP, Seed: 1, Layer: r.layer}, bed: *r.bed}
	// Sizes that are drawn depend on the seed, wherever it is.
	if seed, ok := n.find("seed"); ok && seed.kind == scalar {
		if v, err := schema.Uint64.Read(seed.text); err == nil {
			s.Seed = v
		}
	}
	s.Forward, s.Reverse = frame.DefaultStreams(s.Family)
	if defaults == RFC2544 {
		s.Forward.DestinationPort = weir.PortSet{First: echo, Last: echo, Order: weir.Fixed}
		s.Reverse.DestinationPort = s.Forward.DestinationPort
	}

	var found sent
	before := len(r.mistakes)
	r.object(n, "traffic", r.trafficFields(&s, &found)...)
	sizes, kinds := found.sizes, found.kinds
	if len(kinds) > 1 {
		r.wrong(n, "%s and %s both say which frames are sent: leave one out", kinds[0], kinds[1])
	}
	if found.headers {
		s.Reverse = mirror(s.Forward)
	}
	if _, both := n.find("destination"); both && s.networks > 0 {
		r.wrong(n, "networks and destination both say where the frames go: leave one out")
	}
	if len(r.mistakes) > before {
		return s, nil
	}
	if sizes == nil {
		sizes = defaultSizes(n, s.under(weir.ConditionOf(weir.Access{PPPoE: weir.Userland})), defaults)
	}
	return s, sizes
}

// sent is what a plan says of the frames of a traffic.
type sent struct {
	sizes   []size
	kinds   []string // the fields that say which frames are sent
	headers bool     // whether the plan says what the headers hold
}

// trafficFields are the fields of a traffic.
func (r *reader) trafficFields(s *sending, to *sent) []field {
	frames := func(f field) field { return f.hooked(func(node) { to.kinds = append(to.kinds, f.name) }) }
	header := func(f field) field { return f.hooked(func(node) { to.headers = true }) }
	return append([]field{
		frames(custom("sizes", r.sizesShape, func(r *reader, n node) { to.sizes = r.sizes(n, s.Seed) })).
			means("frame sizes in octets **with** the FCS, or mixes of them, as below. Each is measured by itself", "`[64, 512, 1518, imix]`, as far as the headers fit; 66, 512 and 1510 with `sessions`"),
		frames(custom("imix", func() schema.Shape { return schema.Line.Shape }, func(r *reader, n node) {
			to.sizes = []size{{at: n, name: n.text, sizes: r.genome(n, "imix")}}
		})).means("a genome (RFC 6985) instead of `sizes`: `imix: aaad`", "none"),
		frames(custom("replay", func() schema.Shape { return schema.Line.Shape }, func(r *reader, n node) { to.sizes = []size{r.replay(n)} })).
			means("a capture (pcap, pcapng), by its path relative to the plan, instead of `sizes`: its frames are sent in their order, at the loads of the methods. Frames that cannot be sent are left out and counted by the reason (`weir run --check` shows them)", "none"),
		oneOf("family", &s.Family, weir.IPv4, weir.IPv6).means("`ipv4` or `ipv6`; the smallest UDP frame of IPv6 has 78 octets", "`ipv4`"),
		oneOf("protocol", &s.Protocol, weir.UDP, weir.TCP).means("`udp` or `tcp` (headers only)", "`udp`"),
		custom("vlans", func() schema.Shape { return tagsShape }, func(r *reader, n node) { s.VLANs = r.vlans(n) }).
			means("at most two tags, outermost first: `100`, or `{id: 100, pcp: 0, tpid: 0x8100}`", "none; TPID 0x8100, and 0x88a8 for the outer one of two"),
		header(addressSet("source", &s.Forward.Source, &s.Family)).
			means("addresses, forward: `198.18.0.2`, or `{first: 198.18.0.2, count: 16, order: increment, stride: 1}`. The order is `fixed`, `increment` or `random` (with the seed, the same in every trial)", "the tester's in 198.18.0.0/15 or 2001:2::/48"),
		header(addressSet("destination", &s.Forward.Destination, &s.Family)).means("addresses, as of `source`", "the tester's other one"),
		header(portSet("source_port", &s.Forward.SourcePort)).means("`7`, or `{first: 1024, last: 65535, order: random}`", "random in 1024-65535 (RFC 4814)"),
		header(portSet("destination_port", &s.Forward.DestinationPort)).means("as `source_port`", "random in 1-49151 (RFC 4814)"),
		scalarField("seed", &s.Seed, schema.Uint64).means("of every random choice", "1"),
	}, s.fields()...)
}

// trafficShape describes a traffic.
func (r *reader) trafficShape() schema.Shape {
	return objectOf("traffic", r.trafficFields(&sending{}, &sent{})...)
}

// echo is the destination port of RFC 2544's test frame (appendix C.2.6.4).
const echo = 7

// fields are what a level of a plan may say of the traffic, too.
func (s *sending) fields() []field {
	sessions := schema.Within(schema.Int, 1, frame.MaxSessions)
	return []field{
		scalarField("flows", &s.Flows, schema.Within(schema.Count, 1, frame.MaxFlows)).
			means("distinct tuples of addresses and ports (RFC 4814); at most 1,048,576", "as many as the larger address set has, or as there are routes or sessions, otherwise 1").
			varies(variation{rfc: "RFC 4814", modifier: "{flows: 1000}"}),
		sharedWay(scalarField("bidirectional", &s.Bidirectional, schema.Bool)).
			means("both directions at the same rate (RFC 2544 section 14)", "`false`").
			varies(variation{rfc: "RFC 2544 section 14", modifier: "bidirectional"}),
		s.directionField().
			varies(variation{levels: "[forward, reverse, both]"}),
		s.blendField().
			varies(variation{rfc: "RFC 5180 section 5", modifier: "{blend: 10%}"}),
		s.extensionsField().
			varies(variation{rfc: "RFC 5180 section 5.3", modifier: "{extensions: [hop-by-hop]}"}),
		scalarField("broadcast", &s.Broadcast, schema.Part).
			means("share of frames to the hardware broadcast address, in addition to the load, `1%` by RFC 2544 section 11.1, which the modifier `broadcast` has", "0").
			varies(variation{rfc: "RFC 2544 section 11.1", modifier: "broadcast"}),
		scalarField("burst", &s.Burst, schema.Within(schema.Int, 0, mostBurst)).
			means("so many frames leave at the least gap, with pauses that keep the load, 16, 64, 256 and 1024 by RFC 2544 section 21; at most 1,048,576", "evenly spread").
			varies(variation{rfc: "RFC 2544 section 21", modifier: "{burst: 64}"}),
		scalarField("pairs", &s.Pairs, schema.Within(schema.Int, 1, frame.MaxPairs)).
			means("pairs of ports, each sending port of which sends to all others in turn (RFC 2544 section 16); 1 to 8", "1").
			varies(variation{rfc: "RFC 2544 section 16", modifier: "{pairs: 2}"}),
		custom("sessions", func() schema.Shape { return sessions.Shape }, func(r *reader, n node) {
			r.inside = n
			scalarField("sessions", &s.Sessions, sessions).read(r, n)
		}).
			means("so many PPPoE sessions with the DUT that frames go through (RFC 2516), with `access: {pppoe: ...}`; [inside them](access.md#test-frames) forward, and to their clients in reverse, 1 to 65,534", "none").
			varies(variation{rfc: "RFC 2516", modifier: "{sessions: 1}"}),
		scalarField("networks", &s.networks, schema.Within(schema.Int, 1, mostNetworks)).
			means("so many destination networks, at random; 256 by RFC 2544 section 12, and at most so many. 8 flows to each unless `flows` says otherwise. Not beside `destination`", "as `destination` says").
			varies(variation{rfc: "RFC 2544 section 12", modifier: "{networks: 256}"}),
		oneOf("server", &s.Server, weir.Source, weir.Destination).
			means("of [transfers](transfers.md): the server is at the `destination` of the octets, or at their `source`", "each program's own: `destination`").
			varies(variation{levels: "[destination, source]"}),
	}
}

// directionField describes which way frames are sent.
func (s *sending) directionField() field {
	const forward, reverse, both = "forward", "reverse", "both"
	return sharedWay(custom("direction", func() schema.Shape { return schema.Choice(forward, reverse, both) }, func(r *reader, n node) {
		var direction string
		oneOf("direction", &direction, forward, reverse, both).read(r, n)
		s.Backward, s.Bidirectional = direction == reverse, direction == both
	})).means("which way frames are sent: `forward`, `reverse` or `both`", "`forward`")
}

// shares are loads of two directions as people write them: 80/20, 80:20, 80%/20%.
var shares = regexp.MustCompile(`^[0-9.]+ *%? *[/:] *[0-9.]+ *%?$`)

// sharedWay has a field of the direction say of loads that differ each way that there are none,
// and what comes nearest.
func sharedWay(f field) field {
	read := f.read
	f.read = func(r *reader, n node) {
		if n.kind == object || n.kind == scalar && shares.MatchString(n.text) {
			r.note(n.wrong("%s: both directions are sent at one load, and another one each way cannot be had yet", f.name).
				Advise("measure each way by itself, factors: {direction: [forward, reverse]} with runs, and both at one load, direction: both: what the two bear together lies between these"))
			return
		}
		read(r, n)
	}
	return f
}

// under is the traffic that is sent while the DUT is set to a condition.
func (s sending) under(c weir.Condition) weir.Traffic {
	t := s.Traffic
	if s.networks > 0 {
		forward, reverse := destinationNetworks(t, max(s.most, t.Pairs, 1), s.networks)
		t.Forward.Destination, t.Reverse.Destination = forward.Destination, reverse.Destination
	}
	s.bed.throughNetworks(&t)
	t.Routes = c.Routes()
	if t.Pairs == 1 {
		t.Pairs = 0
	}
	if t.Flows == 0 {
		t.Flows = max(flowsOf(t), t.Sessions)
	}
	if c.Access().PPPoE == "" {
		t.Sessions = 0 // they are by IP, next to frames inside sessions
	}
	return t
}

// flowsOf is how many flows a traffic has that does not say so.
func flowsOf(t weir.Traffic) int {
	return max(frame.FlowsFor(t.Forward), t.Routes.Count, drawsPerNetwork*networksOf(t))
}

// blendField describes the share of frames of the other family, alone or in an object.
func (s *sending) blendField() field {
	shape := func() schema.Shape {
		return schema.Either(schema.Part.Shape, objectOf("blend", scalarField("share", new(float64), schema.Part).needed()))
	}
	return custom("blend", shape, func(r *reader, n node) {
		b := weir.Blend{}
		share := scalarField("share", &b.Share, schema.Part)
		if n.kind == scalar {
			share.read(r, n)
		} else if r.object(n, "blend", share); n.kind == object && len(n.entries) == 0 {
			r.wrong(n, "blend needs a share: {share: 10%%}")
		}
		s.Blend = nil
		if b.Share > 0 {
			other := weir.IPv6
			if r.family == weir.IPv6 {
				other = weir.IPv4
			}
			b.Forward, b.Reverse = frame.DefaultStreams(other)
			s.Blend = &b
		}
	}).means("share of frames of the other family (RFC 5180 section 5): `10%`", "0")
}

// extensionsField describes IPv6 extension headers, and the share of the frames that
// have them.
func (s *sending) extensionsField() field {
	known := []weir.Extension{weir.HopByHop, weir.DestinationOptions, weir.RoutingHeader}
	headers := custom("headers", func() schema.Shape { return schema.ListOf(schema.Choice(plain(known)...)) }, func(r *reader, n node) {
		r.list(n, "headers", func(n node) {
			var x weir.Extension
			oneOf("extension header", &x, known...).read(r, n)
			s.Extensions = append(s.Extensions, x)
		})
	}).means("in their order", "").needed()
	fields := []field{headers, scalarField("share", &s.Extended, schema.Load).means("of the frames that have them", "`100%`")}
	shape := func() schema.Shape { return schema.Either(headers.shape(), objectOf("extensions", fields...)) }
	return custom("extensions", shape, func(r *reader, n node) {
		s.Extensions, s.Extended = nil, 1
		if n.kind != object {
			headers.read(r, n)
		} else {
			r.object(n, "extensions", fields...)
			if _, ok := n.find("headers"); !ok {
				r.wrong(n, "extensions need headers: {headers: [hop-by-hop], share: 10%%}")
			}
		}
		if r.family != weir.IPv6 && s.Blend == nil {
			r.wrong(n, "only IPv6 frames have extension headers: say family: ipv6")
		}
	}).means("IPv6 extension headers (RFC 5180 section 5.3) in order, `[hop-by-hop, destination, routing]`, or `{headers: [hop-by-hop], share: 10%}` for a share of the frames", "none")
}

// checkPairs reports what is wrong with a traffic in a lab that has more pairs of
// ports, for another level: the others have their own parts of the addresses.
func checkPairs(t weir.Traffic, most int) error {
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

// suggestSmallestMix says with an error of frames too small what takes their place.
func suggestSmallestMix(err error, z size) error {
	var small *frame.TooSmallError
	if !errors.As(err, &small) || z.name != "imix" || !slices.Equal(z.sizes, frame.SimpleIMIX()) {
		return err
	}
	return fmt.Errorf("%w; take {name: imix-%d, mix: {%d: 7, 594: 4, 1518: 1}}", err, small.Least, small.Least)
}

// checkFrames says why frames of a size cannot be made, or not be sent under a condition.
func checkFrames(t weir.Traffic, c weir.Condition, mostPairs int, z size) error {
	_, err := frame.LayoutOf(t)
	if err == nil {
		err = checkPairs(t, mostPairs)
	}
	if err == nil {
		err = c.ConflictWith(t).Err()
	}
	return suggestSmallestMix(err, z)
}

// has reports whether the plan has a mistake already that a level has, too.
func (o origin) has(err error, z size) bool {
	t := o.sending.under(o.condition)
	t.Name, t.Sizes, t.Replay, t.Server = z.name, z.sizes, z.replay, ""
	before := checkFrames(t, o.condition, o.sending.most, z)
	return before != nil && before.Error() == err.Error()
}

// outsideSessions reports what of a traffic does not go through PPPoE sessions, as a mistake where
// the plan says it, or at the level that made it so.
func (r *reader) outsideSessions(t weir.Traffic, at *node) bool {
	if t.Sessions == 0 {
		return false
	}
	for _, f := range []struct {
		name, what, advice string
		there              bool
	}{
		{"vlans", "PPPoE sessions cannot be in a VLAN yet, neither in one tag nor in two (QinQ)", "leave vlans out, and have the concentrator take sessions without a tag at the port", len(t.VLANs) > 0},
		{"blend", "PPPoE sessions carry frames of one family", "leave blend out, and take a plan, or a level, for each family", t.Blend != nil},
		{"extensions", "frames in PPPoE sessions have no extension headers", "leave extensions out", len(t.Extensions) > 0},
		{"broadcast", "there are no broadcast frames in PPPoE sessions", "leave broadcast out", t.Broadcast > 0},
		{"replay", "frames of a capture cannot go through PPPoE sessions yet", "take sizes in place of replay", t.Replay != nil},
	} {
		if !f.there {
			continue
		}
		where, written := r.sends.find(f.name)
		if !written && at != nil {
			where = *at
		}
		r.note(where.wrong("%s", f.what).Advise("%s", f.advice))
		return true
	}
	return false
}

// origin is a level that changes what a plan has.
type origin struct {
	at        node
	sending   sending        // of the plan
	condition weir.Condition // likewise
}

// sized are the traffics of the sizes, of which the frames are checked. What is
// wrong with them is a mistake at the size, or at the level that made it so; nil: there is none.
func (r *reader) sized(s sending, c weir.Condition, sizes []size, from *origin) []weir.Traffic {
	t := s.under(c)
	t.Server = ""
	var at *node
	if from != nil {
		at = &from.at
	}
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
		if r.outsideSessions(t, at) {
			return nil
		}
		err := checkFrames(t, c, s.most, z)
		switch {
		case err != nil && from != nil && !from.has(err, z):
			r.wrong(*at, "with frames of %s: %v", z.name, err)
		case err != nil:
			r.wrong(z.at, "%v", err)
		default:
			out = append(out, t)
		}
	}
	return out
}
