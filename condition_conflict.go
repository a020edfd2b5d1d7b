package weir

import (
	"errors"
	"fmt"
	"slices"
)

// Conflict says which parts of a condition do not go together, all of them, and
// what to do; nil when they do. A part that would have no effect beside another
// one is such: a level of that name would be a comparison of nothing.
func (c Condition) Conflict() error {
	var errs []error
	add := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if way := c.InDriver(); way != "" {
		for _, what := range c.behindDriver() {
			add("%s takes a frame at the driver, before %s: leave one of the two out", way, what)
		}
	}
	switch {
	case c.Path == PathXDP && c.Access.PPPoE == XDP:
		add("access by pppoe xdp has its own way of forwarding, in the drivers of all ports: leave forwarding out")
	case c.Path == PathXDP && c.Access.PPPoE != "":
		add("forwarding by xdp takes IP on Ethernet alone, and frames of PPPoE sessions would go the kernel's way: leave one of the two out")
	}
	if c.Firewall.Kind == "" && c.Firewall != (Firewall{}) {
		add("a firewall of no kind has rules: give it one of %s, %s and %s", Stateless, Stateful, NAT)
	}
	for i, t := range c.Tunings {
		if slices.ContainsFunc(c.Tunings[:i], func(o Tuning) bool { return o.Name == t.Name && t.Name != commandTuning }) {
			add("%s is set twice: leave one of them out", t.Name)
		}
	}
	return errors.Join(errs...)
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

// ConflictWith says why a traffic cannot be measured under a condition, and
// what to do; nil when it can.
func (c Condition) ConflictWith(t Traffic) error {
	if c.Firewall.Kind != NAT {
		return nil
	}
	switch {
	case t.Bidirectional:
		return errors.New("nat hides the addresses that the frames of the other direction are sent to, and denies these: send in direction forward")
	case t.Backward:
		return errors.New("nat denies frames from the outside that begin a connection: send in direction forward")
	}
	return nil
}
