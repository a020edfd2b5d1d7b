package plan

import (
	"slices"

	"weir"
	"weir/internal/schema"
)

// byIP is how a plan says that an end host is connected by IP on Ethernet.
const byIP = "ip"

// accessField describes how the near end host is connected: a word, or an object.
func (r *reader) accessField(a *weir.Access) field {
	session := oneOf("pppoe", &a.PPPoE, weir.Userland, weir.XDP, weir.KernelPPP).means("who moves its octets: see [access](access.md)", "").needed()
	shape := func() schema.Shape { return schema.Either(schema.Choice(byIP), objectOf("an access", session)) }
	return custom("access", shape, func(r *reader, n node) {
		a.PPPoE = ""
		if n.kind == object {
			r.object(n, "an access", session)
			if _, ok := n.find("pppoe"); !ok {
				r.wrong(n, "by what? {pppoe: %s}, say, or %s", weir.Userland, byIP)
			}
		} else {
			path := byIP
			oneOf("access", &path, byIP).read(r, n)
		}
		r.sessions(n, *a)
	}).means("how the near end host of transfers is connected, or the tester whose frames go through `sessions`; `ip`, or by [a PPPoE session](access.md): `{pppoe: userland}`, `{pppoe: xdp}` or `{pppoe: kernel}`", "`ip`")
}

// concentratorField describes which of two end hosts on one cable is it.
func (r *reader) concentratorField(a *weir.Access) field {
	return oneOf("concentrator", &a.Concentrator, sides[:]...).checked(func(r *reader, n node) {
		if !r.cable {
			r.wrong(n, "the concentrator of sessions through a DUT is the DUT: that it is one of the end hosts is for a cable between them (dut: none); leave it out")
		}
		r.sessions(n, *a)
	}).means("which end of [one cable](access.md) is the concentrator of that session: `near` or `far`", "`far`; through a DUT, that is it")
}

// sessions checks that there can be some; n is where they are asked for.
func (r *reader) sessions(n node, a weir.Access) {
	if (a.PPPoE != "" || a.Concentrator != "") && !r.spaces {
		r.wrong(n, "PPPoE sessions are those of end hosts in network namespaces of this machine (testbed: {kind: %s})", NetNS)
	}
}

// pastSessions reports whether there are test frames that would go past the sessions that
// there are.
func (l Level) pastSessions() bool {
	return l.Condition.Access.PPPoE != "" && slices.ContainsFunc(l.Traffic, func(t weir.Traffic) bool { return !t.Application && t.Sessions == 0 })
}

// hasSessions reports whether its test frames go through sessions.
func (l Level) hasSessions() bool {
	return slices.ContainsFunc(l.Traffic, func(t weir.Traffic) bool { return t.Sessions > 0 })
}

// entered notes frames that are to go through sessions where nothing does.
func (r *reader) entered(p Plan) {
	switch at := r.inside; {
	case at.kind == empty || len(r.mistakes) > 0:
	case !slices.ContainsFunc(p.Levels, Level.hasSessions):
		r.wrong(at, "frames go through PPPoE sessions with the DUT, and it is no concentrator: say dut: {access: {pppoe: %s}}, or give that a level", weir.Userland)
	case slices.ContainsFunc(p.Traffic, func(t weir.Traffic) bool { return t.Application }):
		r.wrong(at, "test frames go through sessions of their own, and transfers through that of an end host: take a plan for each")
	}
}

// sessionless are traffics whose frames go through no session, each once.
func sessionless(all []weir.Traffic) []weir.Traffic {
	var out []weir.Traffic
	for _, t := range all {
		t.Sessions = 0
		if !slices.ContainsFunc(out, func(o weir.Traffic) bool { return TrafficKey(o) == TrafficKey(t) }) {
			out = append(out, t)
		}
	}
	return out
}

// served notes a concentrator where no level has a session.
func (r *reader) served(factors node, levels []Level) {
	at, said := factors.find("concentrator")
	if said && !slices.ContainsFunc(levels, func(l Level) bool { return l.Condition.Access.PPPoE != "" }) {
		r.wrong(at, "there is no PPPoE session that one of them could be the concentrator of: give access: {pppoe: %s} a level", weir.Userland)
	}
}

// subscribed checks that a method which takes an access line has one at some level.
func (r *reader) subscribed(n node, s Step, levels []Level) {
	if s.Method.Line && !slices.ContainsFunc(levels, func(l Level) bool { return l.Condition.Access.PPPoE != "" }) {
		r.wrong(n, "%s needs a PPPoE concentrator: give the end host access: {pppoe: %s} (dut: {access: {pppoe: %[2]s}})", s.Method.Name, weir.Userland)
	}
}
