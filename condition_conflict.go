package weir

import "slices"

// Conflict says which parts of a condition do not go together. A part that would have no effect
// beside another one is such: a level of that name would be a comparison of nothing.
func (c Condition) Conflict() (out Problems) {
	if way := c.InDriver(); way != "" {
		for _, what := range c.behindDriver() {
			out = append(out, Wrong("%s takes a frame at the driver, before %s", way, what).Advise("leave one of the two out")...)
		}
	}
	xdp, session := c.Path == PathXDP, c.Access.PPPoE
	out = slices.Concat(out,
		When(xdp && session == XDP, "access by pppoe xdp has its own way of forwarding, in the drivers of all ports").Advise("leave forwarding out"),
		When(xdp && session != "" && session != XDP, "forwarding by xdp takes IP on Ethernet alone, and frames of PPPoE sessions would go the kernel's way").Advise("leave one of the two out"),
		When(c.Firewall.Kind == "" && c.Firewall != (Firewall{}), "a firewall of no kind has rules").Advise("give it one of %s, %s and %s", Stateless, Stateful, NAT))
	for i, t := range c.Tunings {
		twice := slices.ContainsFunc(c.Tunings[:i], func(o Tuning) bool { return o.Name == t.Name && t.Name != commandTuning })
		out = append(out, When(twice, "%s is set twice", t.Name).Advise("leave one of them out")...)
	}
	return out
}

// commandTuning is the tuning that there can be several of.
const commandTuning = "command"

// InDriver is what takes frames in the drivers of the DUT's ports, before all that is
// behind these; "": nothing does.
func (c Condition) InDriver() string {
	switch {
	case c.Path == PathXDP:
		return "forwarding by xdp"
	case c.Access.PPPoE == XDP:
		return "access by pppoe xdp"
	}
	return ""
}

// behindDriver is what of a condition a frame passes behind the driver of its
// port.
func (c Condition) behindDriver() []string {
	var out []string
	if c.Firewall.Kind != "" {
		out = append(out, "the firewall sees it")
	}
	if c.Filters > 0 {
		out = append(out, "the filters see it")
	}
	for _, t := range c.Tunings {
		switch t.Name {
		case "rps":
			if t.Value != "off" {
				out = append(out, "receive packet steering (rps)")
			}
		case "qdisc":
			out = append(out, "a queueing discipline (qdisc)")
		case "conntrack":
			out = append(out, "connections are tracked (conntrack)")
		}
	}
	return out
}

// ConflictWith says why a traffic cannot be measured under a condition.
func (c Condition) ConflictWith(t Traffic) Problems {
	nat := c.Firewall.Kind == NAT
	return slices.Concat(
		When(nat && t.Bidirectional, "nat hides the addresses that the frames of the other direction are sent to, and denies these").Advise("send in direction forward"),
		When(nat && t.Backward && !t.Bidirectional, "nat denies frames from the outside that begin a connection").Advise("send in direction forward"))
}
