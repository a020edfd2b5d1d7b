package plan

import (
	"net/netip"

	"weir"
	"weir/frame"
)

// inTestNetworks notes frames that would do harm if what is behind the ports sent them
// on; n is where the traffic is.
func (r *reader) inTestNetworks(n node, p Plan) {
	if p.Testbed.Kind != Ports || p.Testbed.AllowAnyDestination {
		return
	}
	const words = "; say {allow: any destination} in the testbed if that is meant"
	for _, t := range p.Traffic {
		if t.Application {
			continue // its programs talk between the tester's addresses
		}
		if t.Replay != nil {
			r.wrong(n, "the frames of a capture go where it says, and not to the networks for benchmarks alone"+words)
			return
		}
		if t.Routes.Count > 0 {
			r.wrong(n, "routes are made up of addresses that others have, and frames go to all of them: they leave the networks for benchmarks, 198.18.0.0/15 and 2001:2::/48"+words)
			return
		}
		streams := []weir.Stream{t.Forward, t.Reverse}
		if t.Blend != nil {
			streams = append(streams, t.Blend.Forward, t.Blend.Reverse)
		}
		for _, s := range streams {
			for _, a := range []netip.Addr{s.Destination.First, frame.LastOf(s.Destination)} {
				if !frame.TestNetwork(a) {
					r.wrong(n, "frames to %v leave the networks for benchmarks, 198.18.0.0/15 and 2001:2::/48"+words, a)
					return
				}
			}
		}
	}
}

// answeredFor notes frames that a router at ports could not forward, as nobody answers
// for where they go: weir asks without tags, and is asked for one address at each port.
// A switch asks nobody.
func (r *reader) answeredFor(n node, p Plan) {
	if p.Testbed.Kind != Ports && p.Testbed.Kind != VM || p.DUT.Layer == 2 {
		return
	}
	for _, t := range p.Traffic {
		if len(t.VLANs) > 0 {
			r.wrong(n, "weir asks for the box's addresses (ARP, ND) without a tag, and nobody would answer in VLAN %d: have the box's ports in that VLAN untagged, and leave vlans out; through a switch (dut: {layer: 2}) frames with tags go", t.VLANs[0].ID)
			return
		}
		for i, s := range []weir.Stream{t.Reverse, t.Forward} {
			sent := t.Bidirectional || t.Backward == (i == 0)
			if a, unanswered := p.unanswered(i, s.Destination); sent && !t.Application && t.Replay == nil && unanswered {
				r.wrong(n, "the box would ask for %v behind the tester's port %d, where the tester answers for %v alone: take destinations outside of %v, to which the box has a route through that address",
					a, i, p.Testbed.Networks[i].Tester.Addr(), p.Testbed.Networks[i].Tester.Masked())
				return
			}
		}
	}
}

// unanswered is an address of a set in the network of a port's link that is not the
// tester's. A DUT that weir tells to forward has no more than two addresses there.
func (p Plan) unanswered(port int, set weir.AddressSet) (a netip.Addr, found bool) {
	if len(p.Testbed.Networks) < 2 {
		return a, false
	}
	next := set
	next.Count = min(set.Count, 2)
	for _, own := range []netip.Prefix{p.Testbed.Networks[port].Tester, p.Testbed.Networks[port].Tester6} {
		if usual := networkOf(port); p.Told() && (own == usual.Tester || own == usual.Tester6) {
			continue
		}
		for _, a := range []netip.Addr{set.First, frame.LastOf(next), frame.LastOf(set)} {
			if own.Contains(a) && a != own.Addr() {
				return a, true
			}
		}
	}
	return a, false
}
