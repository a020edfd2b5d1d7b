package claim

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"weir"
)

// The addresses that are reserved for benchmarks.
var (
	range4 = netip.MustParsePrefix("198.18.0.0/15") // RFC 2544 appendix C.2.2, where the beginning is misprinted
	range6 = netip.MustParsePrefix("2001:2::/48")   // RFC 5180 section 8, where it is misprinted
)

// Sizes are those of Ethernet (RFC 2544 section 9.1), in octets with FCS.
func Sizes() []weir.Size { return []weir.Size{64, 128, 256, 512, 1024, 1280, 1518} }

// larger are the sizes that RFC 5180 section 5.1.1 adds.
var larger = []weir.Size{1522, 2048, 4096, 8192, 9216}

// sizes is the demand for frame sizes.
func sizes(e Evidence) demand {
	if e.ipv6() {
		return size(e, "RFC 5180 section 5.1.1", "frame sizes SHOULD be 64, 128, 256, 512, 1024, 1280 and 1518 octets, and 1522, 2048, 4096, 8192 and 9216 where they fit", append(Sizes(), larger...)...)
	}
	return size(e, "RFC 2544 section 9.1", "all frames of a trial have one of the sizes 64, 128, 256, 512, 1024, 1280 and 1518 octets", Sizes()...)
}

// size is the demand for one size of all frames of a trial, from a list.
func size(e Evidence, source, text string, listed ...weir.Size) demand {
	d := demand{id: "frame-size", source: source, level: weir.Should, text: text, label: otherFrames}
	t := e.traffic()
	switch {
	case t.Replay != nil:
		d.found = "the frames are those of a capture"
	case len(t.Sizes) != 1:
		d.found = "this is a mix of sizes"
	case slices.Contains(listed, t.Sizes[0]):
		d.found, d.kept = fmt.Sprintf("all frames have %d octets", t.Sizes[0]), true
	default:
		d.found = "these have another size"
	}
	return d
}

// frames are the demands for what test frames hold.
func frames(e Evidence) checklist {
	if e.ipv6() {
		return frames6(e)
	}
	t := e.traffic()
	return checklist{
		addresses("RFC 2544 appendix C.2.2", "addresses are those of 198.18.0.0/15", range4, t.Forward, t.Routes.Count),
		{id: "frame-kind", source: "RFC 2544 appendix C.2.6.4", level: weir.Should, text: "test frames SHOULD be UDP over IPv4 without a VLAN tag (section 8)",
			found: kind(t), kept: t.Protocol == weir.UDP && len(t.VLANs) == 0 && t.Sessions == 0 && t.Replay == nil, label: otherFrames},
		ports(t),
	}
}

// kind is what the frames of a traffic are.
func kind(t weir.Traffic) string {
	if t.Replay != nil {
		return "these are of a capture"
	}
	s := fmt.Sprintf("these are %s over %s", t.Protocol, t.Family)
	if len(t.VLANs) > 0 {
		s += ", with " + plural(len(t.VLANs), "VLAN tag")
	}
	if t.Sessions > 0 {
		s += ", through " + plural(t.Sessions, "PPPoE session")
	}
	return s
}

// addresses is the demand for a range of addresses; a reverse stream answers the
// forward one, and has the same.
func addresses(source, text string, in netip.Prefix, s weir.Stream, routes int) demand {
	d := demand{id: "addresses", source: source, level: weir.Should, text: text, found: "so they are", kept: true, label: otherFrames}
	for _, a := range []weir.AddressSet{s.Source, s.Destination} {
		if !in.Contains(a.First) {
			d.kept, d.found = false, "others were used"
		}
	}
	if routes > 0 {
		d.kept, d.found = false, "the destinations are those of the routes"
	}
	return d
}

// ports is the demand for UDP ports: RFC 2544 has one frame for all purposes,
// and RFC 4814 random ports, because a DUT may hash them.
func ports(t weir.Traffic) demand {
	d := demand{id: "ports", source: "RFC 4814 section 4.5", level: weir.Should, label: otherFrames,
		text:  "ports RECOMMENDED are random and uniform, 1 to 49151 as destination and 1024 to 65535 as source, or destination port 7 by RFC 2544 appendix C.2.6.4",
		found: "others were used"}
	from, to := t.Forward.SourcePort, t.Forward.DestinationPort
	switch {
	case t.Replay != nil:
		d.found = "these are of a capture"
	case to.First == EchoPort && to.Last == EchoPort:
		d.kept, d.found = true, "the destination port is 7"
	case to.Order == weir.Random && from.Order == weir.Random && to.First >= 1 && to.Last <= 49151 && from.First >= 1024:
		d.kept, d.found = true, fmt.Sprintf("%d to %d as destination and %d to %d as source, random with the seed %d", to.First, to.Last, from.First, from.Last, t.Seed)
	}
	return d
}

// EchoPort is the destination port of RFC 2544's test frame (appendix
// C.2.6.4).
const EchoPort = 7

// frames6 are the demands of RFC 5180 for test frames.
func frames6(e Evidence) (l checklist) {
	t := e.traffic()
	six := t.Forward
	if t.Family != weir.IPv6 {
		six = t.Blend.Forward
	}
	l = append(l, addresses("RFC 5180 section 5.2.2", "addresses SHOULD be those of 2001:2::/48", range6, six, t.Routes.Count),
		demand{id: "frame-kind", source: "RFC 5180 section 5.4", level: weir.Should, text: "frames SHOULD be as RFC 2544 has them: UDP without a VLAN tag",
			found: kind(t), kept: t.Protocol == weir.UDP && len(t.VLANs) == 0 && t.Sessions == 0 && t.Replay == nil, label: otherFrames},
		ports(t))
	if len(t.Extensions) > 0 {
		l = append(l, extensions(t)...)
	}
	if t.Blend != nil {
		share := percent(t.Blend.Share)
		l = append(l, demand{id: "family-share", source: "RFC 5180 section 7", level: weir.Should, text: "frames of the other family SHOULD be 10, 50 or 90 % of all", label: otherFrames,
			found: "these were " + share + " %", kept: slices.Contains([]string{"10", "50", "90"}, share)})
	}
	return l
}

// extensions are the demands of RFC 5180 section 5.3 for extension headers.
func extensions(t weir.Traffic) checklist {
	const source = "RFC 5180 section 5.3"
	var names []string
	for _, x := range t.Extensions {
		names = append(names, string(x))
	}
	found := "here they are " + strings.Join(names, ", ")
	if !slices.Contains(t.Extensions, weir.HopByHop) {
		return checklist{
			{id: "no-hop-by-hop", source: source, level: weir.Must, text: "a chain of extension headers MUST NOT contain hop-by-hop", found: found, kept: true},
			{id: "extension-share", source: source, level: weir.Should, text: "all frames have the extension headers", found: "here " + percent(t.Extended) + " % of them", kept: t.Extended == 1, label: otherFrames},
		}
	}
	share := percent(t.Extended)
	return checklist{
		{id: "no-hop-by-hop", source: source, level: weir.Must, text: "a chain of extension headers MUST NOT contain hop-by-hop", found: found, kept: len(t.Extensions) == 1, label: otherFrames},
		{id: "hop-by-hop-share", source: source, level: weir.Should, text: "frames with a hop-by-hop header are 1, 10 or 50 % of all", found: "here " + share + " % of them",
			kept: slices.Contains([]string{"1", "10", "50"}, share), label: otherFrames},
	}
}
