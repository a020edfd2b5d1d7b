package plan

import "weir"

// byIP is how a plan says that an end host is connected by IP on Ethernet.
const byIP = "ip"

// access reads how the near end host is connected: a word, or an object.
func (r *reader) access(n node, a *weir.Access) {
	a.PPPoE = ""
	if n.kind == object {
		r.object(n, "an access", oneOf("pppoe", &a.PPPoE, weir.Userland, weir.KernelPPP))
		if _, ok := n.find("pppoe"); !ok {
			r.wrong(n, "by what? {pppoe: %s}, say, or %s", weir.Userland, byIP)
		}
	} else {
		way := byIP
		oneOf("access", &way, byIP).read(r, n)
	}
	r.sessions(n, *a)
}

// sessions checks that there can be some; n is where they are asked for.
func (r *reader) sessions(n node, a weir.Access) {
	if a.PPPoE != "" && !r.spaces {
		r.wrong(n, "PPPoE sessions are those of end hosts in network namespaces of this machine (testbed: {kind: %s})", NetNS)
	}
}
