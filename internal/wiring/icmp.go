package wiring

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

// What answers of routers mean for frames to an address, which takes the place of %v.
const (
	noRoute  = "the box has no route to %v; give it one to that network"
	noHost   = "the box has no route to %v, or a route and nobody there who answers for that address"
	rejected = "a filter of the box rejects it; permit frames between the test networks"
	notOpen  = "a filter of the box rejects it (most answer so), or %v is an address of the box itself, where nobody waits for it; permit frames between the test networks"
	circle   = "its hop limit ran out on the way to %v, which is no filter: routers send it to each other in a circle; look at the routes to %v of the box and of what is behind it"
	turned   = "its route to %v leads back to where the frames come from; give it one through the other port"
	header   = "it takes a header of these frames for wrong, which is no filter"
	tooLarge = "the way to %v has a smaller MTU; give the box a larger one, or take smaller frames"
)

// answer is what a router says of a frame that it does not forward.
type answer struct {
	says  string
	means string // "": nothing is known of it
}

// answers4 are those of ICMP by type and code (RFC 792, RFC 1812 section 5.2.7.1).
var answers4 = map[[2]byte]answer{
	{3, 0}: {"network unreachable", noRoute}, {3, 1}: {"host unreachable", noHost},
	{3, 2}: {"protocol unreachable", notOpen}, {3, 3}: {"port unreachable", notOpen},
	{3, 5}: {"source route failed", header}, {3, 6}: {"network unknown", noRoute}, {3, 7}: {"host unknown", noHost}, {3, 8}: {"source isolated", noRoute},
	{3, 9}: {"network administratively prohibited", rejected}, {3, 10}: {"host administratively prohibited", rejected},
	{3, 11}: {"network unreachable for this type of service", noRoute}, {3, 12}: {"host unreachable for this type of service", noHost},
	{3, 13}: {"administratively prohibited", rejected}, {3, 14}: {"host precedence violation", rejected}, {3, 15}: {"precedence cutoff", rejected},
	{5, 0}: {"redirect for the network", turned}, {5, 1}: {"redirect for the host", turned},
	{5, 2}: {"redirect for the type of service and network", turned}, {5, 3}: {"redirect for the type of service and host", turned},
	{11, 0}: {"time exceeded in transit", circle}, {11, 1}: {"reassembly time exceeded", ""},
	{12, 0}: {"parameter problem", header}, {12, 1}: {"an option is missing", header}, {12, 2}: {"bad length", header},
}

// answers6 are those of ICMPv6 (RFC 4443 section 3).
var answers6 = map[[2]byte]answer{
	{1, 0}: {"no route to destination", noRoute}, {1, 1}: {"administratively prohibited", rejected},
	{1, 2}: {"beyond the scope of the source address", "the source address is not valid on the way to %v"}, {1, 3}: {"address unreachable", noHost},
	{1, 4}: {"port unreachable", notOpen}, {1, 5}: {"the source address failed its policy", rejected}, {1, 6}: {"a route to reject", "the box has a route that rejects frames to %v; take it away"},
	{3, 0}: {"hop limit exceeded in transit", circle}, {3, 1}: {"reassembly time exceeded", ""},
	{4, 0}: {"erroneous header field", header}, {4, 1}: {"unrecognized next header", header}, {4, 2}: {"unrecognized option", header},
}

// answered notes in a sighting what a router says of one of ours.
func (s *sighting) answered(p gopacket.Packet) {
	if ip, ok := p.NetworkLayer().(*layers.IPv4); ok {
		s.by, _ = netip.AddrFromSlice(ip.SrcIP.To4())
	} else if ip, ok := p.NetworkLayer().(*layers.IPv6); ok {
		s.by, _ = netip.AddrFromSlice(ip.SrcIP)
	}
	if icmp, ok := p.Layer(layers.LayerTypeICMPv4).(*layers.ICMPv4); ok {
		if s.kind = refusal; icmp.TypeCode == layers.CreateICMPv4TypeCode(layers.ICMPv4TypeDestinationUnreachable, layers.ICMPv4CodeFragmentationNeeded) {
			s.answer = answer{fmt.Sprintf("too big, the MTU is %d", icmp.Seq), tooLarge}
			return
		}
		s.answer = known(answers4, icmp.TypeCode.Type(), icmp.TypeCode.Code(), "ICMP")
	}
	if icmp, ok := p.Layer(layers.LayerTypeICMPv6).(*layers.ICMPv6); ok {
		s.kind = refusal
		if rest := icmp.LayerPayload(); icmp.TypeCode.Type() == layers.ICMPv6TypePacketTooBig && len(rest) >= 4 {
			s.answer = answer{fmt.Sprintf("too big, the MTU is %d", binary.BigEndian.Uint32(rest)), tooLarge}
			return
		}
		s.answer = known(answers6, icmp.TypeCode.Type(), icmp.TypeCode.Code(), "ICMPv6")
	}
}

func known(all map[[2]byte]answer, kind, code uint8, protocol string) answer {
	if a, ok := all[[2]byte{kind, code}]; ok {
		return a
	}
	return answer{fmt.Sprintf("%s type %d code %d", protocol, kind, code), ""}
}

// explain says what routers have answered to a port's probes of a kind, and what that means for
// frames to an address; "": none has. Begun with what is no redirect, which a router forwards after.
func (a Asked) explain(i int, own bool, to netip.Addr, all []sighting) string {
	var first *sighting
	for at, s := range all {
		if s.large && s.means == tooLarge {
			continue // which does not say why small ones are lost
		}
		if s.kind == refusal && s.from == i && s.own == own && (first == nil || first.means == turned && s.means != turned) {
			first = &all[at]
		}
	}
	if first == nil {
		return ""
	}
	who := "the box"
	if r := a.Ports[i].Router; first.by.IsValid() && first.by != r && first.by != a.Ports[i^1].Router {
		who = first.by.String()
	}
	text := fmt.Sprintf(" (%s says: %s)", who, first.says)
	switch {
	case first.means == circle && first.sent > 0 && first.sent < fewHops:
		return fmt.Sprintf("%s: the hop limit of the frames, %d, ran out on the way to %v, which is no filter: it is too small for so many routers, or these send them in a circle", text, first.sent, to)
	case first.means != "":
		return text + ": " + strings.ReplaceAll(first.means, "%v", to.String())
	}
	return text + ": look at its log"
}

// fewHops is a hop limit of which it is no wonder where it runs out.
const fewHops = 8
