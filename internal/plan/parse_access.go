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
		r.hold(afterAccess, &draft{at: n, access: *a})
	}).means("how the near end host of transfers is connected, or the tester whose frames go through `sessions`; `ip`, or by [a PPPoE session](access.md): `{pppoe: userland}`, `{pppoe: xdp}` or `{pppoe: kernel}`", "`ip`")
}

// concentratorField describes which of two end hosts on one cable is it.
func (r *reader) concentratorField(a *weir.Access) field {
	return oneOf("concentrator", &a.Concentrator, sides[:]...).checked(func(r *reader, n node) {
		if !r.cable {
			r.wrong(n, "the concentrator of sessions through a DUT is the DUT: that it is one of the end hosts is for a cable between them (dut: none); leave it out")
		}
		r.hold(afterAccess, &draft{at: n, access: *a})
	}).means("which end of [one cable](access.md) is the concentrator of that session: `near` or `far`", "`far`; through a DUT, that is it")
}

// sessionless are traffics whose frames go through no session, each once.
func sessionless(all []weir.Traffic) []weir.Traffic {
	all = slices.Clone(all)
	for i := range all {
		all[i].Sessions = 0
	}
	return once(all)
}
