package plan

import (
	"net/netip"
	"slices"

	"weir"
	"weir/frame"
)

// trafficRules are those of what is sent, and under which conditions.
var trafficRules = []rule{
	{"a server is of transfers", afterTraffic, func(d *draft) (out weir.Problems) {
		_, programs := senders(d.methods)
		for _, n := range []node{d.traffic, d.factors} {
			at, given := n.find("server")
			out = append(out, at.when(given && !programs, "server says where that of a transfer is, and no method of this plan is one").Advise("leave it out")...)
		}
		return out
	}},
	{"transfers have no frames", afterTraffic, func(d *draft) (out weir.Problems) {
		frames, programs := senders(d.methods)
		for _, e := range slices.Concat(d.traffic.entries, d.factors.entries) {
			name := e.key.text
			out = append(out, e.key.when(programs && !frames && ofFrames(name), "%s is of test frames, and all methods of this plan are transfers", name).Advise("leave it out")...)
		}
		return out
	}},
	{"modifiers and factors exclude each other", afterLevels, func(d *draft) weir.Problems {
		return d.modifiers.when(d.plan.Experiment != nil && d.modifiers.kind != empty, "modifiers are measured once, and factors again and again").Advise("put each of these among the factors, or into a plan of its own")
	}},
	{"combinations are of factors", afterLevels, func(d *draft) weir.Problems {
		return d.combined.when(d.plan.Experiment != nil && d.combined.kind != empty && d.factors.kind == empty, "there are no factors to combine")
	}},
	{"rounds and runs exclude each other", afterLevels, func(d *draft) weir.Problems {
		return d.root.first("rounds").when(d.plan.Experiment != nil && d.plan.Rounds > 0, "runs repeat all methods, and rounds do so with sweeps").Advise("leave one of the two out")
	}},
	{"a concentrator has a session", afterLevels, func(d *draft) weir.Problems {
		at, given := d.factors.find("concentrator")
		return at.when(given && !slices.ContainsFunc(d.plan.Levels, Level.hasAccess), "there is no PPPoE session that one of them could be the concentrator of").Advise("give access: {pppoe: %s} a level", weir.Userland)
	}},
	{"frames stay in the networks for benchmarks", afterLevels, checkDestinations},
	{"a box finds who answers for frames", afterLevels, checkAnswered},
	{"frames go where somebody sends them", afterSteps, checkSenders},
	{"frames go through sessions that there are", afterSound, func(d *draft) weir.Problems {
		switch at := d.r.inside; {
		case at.kind == empty:
		case !slices.ContainsFunc(d.plan.Levels, Level.hasSessions):
			return at.wrong("frames go through PPPoE sessions with the DUT, and it is no concentrator").Advise("say dut: {access: {pppoe: %s}}, or give that a level", weir.Userland)
		case slices.ContainsFunc(d.plan.Traffic, func(t weir.Traffic) bool { return t.Application }):
			return at.wrong("test frames go through sessions of their own, and transfers through that of an end host").Advise("take a plan for each")
		}
		return nil
	}},
}

// ofFrames reports whether a field of a traffic means nothing where programs of end hosts talk.
func ofFrames(name string) bool {
	known := append([]string{"sizes", "imix", "replay", "protocol", "vlans", "source", "destination", "source_port", "destination_port"}, names(new(sending).fields())...)
	return slices.Contains(known, name) && !slices.Contains([]string{"family", "direction", "bidirectional", "seed", "server"}, name)
}

// checkDestinations looks for frames that would do harm if what is behind the ports sent them on.
func checkDestinations(d *draft) weir.Problems {
	if d.plan.Testbed.Kind != Ports || d.plan.Testbed.AllowAnyDestination {
		return nil
	}
	const advice = "say {allow: any destination} in the testbed if that is meant"
	for _, t := range d.plan.Traffic {
		if t.Application {
			continue // its programs talk between the tester's addresses
		}
		if t.Replay != nil {
			return d.traffic.wrong("the frames of a capture go where it says, and not to the networks for benchmarks alone;").Advise(advice)
		}
		if t.Routes.Count > 0 {
			return d.traffic.wrong("routes are made up of addresses that others have, and frames go to all of them: they leave the networks for benchmarks, 198.18.0.0/15 and 2001:2::/48;").Advise(advice)
		}
		streams := []weir.Stream{t.Forward, t.Reverse}
		if t.Blend != nil {
			streams = append(streams, t.Blend.Forward, t.Blend.Reverse)
		}
		for _, s := range streams {
			for _, a := range []netip.Addr{s.Destination.First, frame.LastOf(s.Destination)} {
				if !frame.TestNetwork(a) {
					return d.traffic.wrong("frames to %v leave the networks for benchmarks, 198.18.0.0/15 and 2001:2::/48;", a).Advise(advice)
				}
			}
		}
	}
	return nil
}

// checkAnswered looks for frames that a router at ports could not forward, as nobody answers for
// where they go: weir asks without tags, and is asked for one address at each port. A switch asks
// nobody.
func checkAnswered(d *draft) weir.Problems {
	p := d.plan
	if p.Testbed.Kind != Ports && p.Testbed.Kind != VM || p.DUT.Layer == 2 {
		return nil
	}
	for _, t := range p.Traffic {
		if len(t.VLANs) > 0 {
			return d.traffic.wrong("weir asks for the box's addresses (ARP, ND) without a tag, and nobody would answer in VLAN %d", t.VLANs[0].ID).
				Advise("have the box's ports in that VLAN untagged, and leave vlans out; through a switch (dut: {layer: 2}) frames with tags go")
		}
		for i, s := range []weir.Stream{t.Reverse, t.Forward} {
			sent := t.Bidirectional || t.Backward == (i == 0)
			if a, unanswered := p.unanswered(i, s.Destination); sent && !t.Application && t.Replay == nil && unanswered {
				own := p.Testbed.Networks[i].Tester
				return d.traffic.wrong("the box would ask for %v behind the tester's port %d, where the tester answers for %v alone", a, i, own.Addr()).
					Advise("take destinations outside of %v, to which the box has a route through that address", own.Masked())
			}
		}
	}
	return nil
}

// unanswered is an address of a set in the network of a port's link that is not the
// tester's. A DUT that weir sets to forward has no more than two addresses there.
func (p Plan) unanswered(port int, set weir.AddressSet) (a netip.Addr, found bool) {
	if len(p.Testbed.Networks) < 2 {
		return a, false
	}
	next := set
	next.Count = min(set.Count, 2)
	for _, own := range []netip.Prefix{p.Testbed.Networks[port].Tester, p.Testbed.Networks[port].Tester6} {
		if usual := networkOf(port); p.IsCommanded() && (own == usual.Tester || own == usual.Tester6) {
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

// checkSenders looks for test frames that nothing sends: end hosts at hosts of their own do not, and
// there are none on a cable without a DUT.
func checkSenders(d *draft) (out weir.Problems) {
	for _, s := range d.plan.Steps {
		var found weir.Problems
		switch name := s.Method.Name; {
		case s.Method.Application:
		case d.plan.DUT.Platform == NoDUT:
			found = weir.Wrong("%s measures a DUT, and there is none: a cable between two end hosts takes transfers (tcp, ftp, ...)", name)
		case d.plan.Testbed.Hosted():
			found = weir.Wrong("%s sends test frames, and near and far are end hosts, whose programs send", name).Advise("name ports (ports: [eth1, eth2]), or take transfers (tcp, ftp, ...)")
		case slices.ContainsFunc(d.plan.Levels, Level.framesWithoutSession):
			found = weir.Wrong("%s sends test frames, and PPPoE sessions are those of end hosts unless frames have some", name).Advise("say so (traffic: {sessions: 1}), or take transfers (tcp, netperf, ...)")
		}
		out = append(out, found.In(s.At)...)
	}
	return out
}

// hasAccess reports whether an end host is connected by a session at a level.
func (l Level) hasAccess() bool { return l.Condition.Access().PPPoE != "" }

// hasSessions reports whether its test frames go through sessions.
func (l Level) hasSessions() bool {
	return slices.ContainsFunc(l.Traffic, func(t weir.Traffic) bool { return t.Sessions > 0 })
}

// framesWithoutSession reports whether there are test frames that would go by no session where
// there are some.
func (l Level) framesWithoutSession() bool {
	return l.hasAccess() && slices.ContainsFunc(l.Traffic, func(t weir.Traffic) bool { return !t.Application && t.Sessions == 0 })
}
