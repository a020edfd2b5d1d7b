// Package uplink says which ports of a machine lead to the networks that it lives
// on: test traffic there would hit what others use.
//
// It decides from links and routes that somebody has read, and reads nothing
// itself.
package uplink

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Link is a network device.
type Link struct {
	ID     string // its name; of one in another network namespace whatever tells it from others
	Name   string // as users know it; "": the ID
	Kind   string // as rtnetlink has it: veth, bridge, vrf; "": hardware
	Master string // the ID of the device that it is a port of: a bridge, a bond, a VRF; "": none
	Lower  string // the ID of the device below it, or of a veth's other end; "": none, or hidden
	Hidden bool   // what is below it is in a network namespace that cannot be looked at
	Far    bool   // it is in another network namespace than the ports that are asked about
}

// Route is one of any routing table, or the kernel's answer to the question where
// an address is reached.
type Route struct {
	To      netip.Prefix
	Through []string // IDs of links
}

// Reason says why a port leads out.
type Reason struct {
	Way []string     // names of devices that are joined with each other, from the port to the one with the route
	To  netip.Prefix // where the route leads; invalid where Way ends at a device of which that is not known
}

// String says it as the end of a sentence that begins with the port's name.
func (r Reason) String() string {
	end, what := r.Way[len(r.Way)-1], "default route"
	switch {
	case !r.To.IsValid() && len(r.Way) == 1:
		return "leads to where weir cannot look"
	case !r.To.IsValid():
		return fmt.Sprintf("is joined with %s (%s), which leads to where weir cannot look", end, strings.Join(r.Way, " - "))
	case r.To.Bits() > 0:
		what = "route to " + r.To.String()
	}
	if len(r.Way) == 1 {
		return "carries this machine's " + what
	}
	return fmt.Sprintf("is joined with %s (%s), which carries this machine's %s", end, strings.Join(r.Way, " - "), what)
}

// tunnels are kinds of devices whose frames leave inside of others, by the routes
// of the machine.
var tunnels = []string{"vxlan", "geneve", "gre", "gretap", "erspan", "ip6gre", "ip6gretap", "ip6erspan", "ipip", "ip6tnl", "sit",
	"vti", "vti6", "xfrm", "wireguard", "l2tp", "bareudp", "gtp", "amt", "ovpn", "ppp"}

// Ports are the links that lead out, by ID. One does through which a route to a
// public address leaves, of whatever table: rules choose among them by marks and
// sources that test traffic may have too. And one does that is joined with such a
// link: a port of its bridge or bond, a device above or below it, the other end of
// a veth, a VRF around it, a tunnel over it.
func Ports(links []Link, routes []Route) map[string]Reason {
	m := machine{links: map[string]Link{}, out: map[string]Reason{}, ports: map[string][]string{}, above: map[string][]string{}}
	for _, l := range links {
		m.links[l.ID] = l
		m.ports[l.Master] = append(m.ports[l.Master], l.ID)
		m.above[l.Lower] = append(m.above[l.Lower], l.ID)
	}
	for _, r := range routes {
		if Public(r.To) {
			for _, id := range r.Through {
				m.root(id, r.To)
			}
		}
	}
	for _, l := range links {
		if l.Hidden && l.Kind != "veth" && l.Kind != "netkit" {
			m.root(l.ID, netip.Prefix{})
		}
	}
	m.spread()
	if len(m.out) > 0 {
		for _, l := range links {
			if slices.Contains(tunnels, l.Kind) && l.Lower == "" {
				m.root(l.ID, netip.Prefix{})
			}
		}
		m.spread()
	}
	return m.out
}

// machine is what is known of the links so far.
type machine struct {
	links        map[string]Link
	ports, above map[string][]string // by the ID of the device that they are ports of, or lie above
	out          map[string]Reason
	next         []string // of out, those whose neighbours were not looked at
}

// root enters a link through which a route leaves. A veth of another namespace has
// its route to a router behind its other end, which is no way out yet.
func (m *machine) root(id string, to netip.Prefix) {
	l, known := m.links[id]
	if !known || l.Far && (l.Kind == "veth" || l.Kind == "netkit") {
		return
	}
	m.enter(id, Reason{Way: []string{l.name()}, To: to})
	if l.Kind == "vrf" { // it hands on to whichever of its ports its own table says
		for _, port := range m.ports[id] {
			m.enter(port, Reason{Way: []string{m.links[port].name(), l.name()}, To: to})
		}
	}
}

func (m *machine) enter(id string, why Reason) {
	if old, known := m.out[id]; known && len(old.Way) <= len(why.Way) {
		return
	}
	m.out[id] = why
	m.next = append(m.next, id)
}

// spread enters what is joined with what leads out.
func (m *machine) spread() {
	for len(m.next) > 0 {
		id := m.next[0]
		m.next = m.next[1:]
		for _, n := range m.joined(m.links[id]) {
			if l, known := m.links[n]; known {
				m.enter(n, Reason{Way: append([]string{l.name()}, m.out[id].Way...), To: m.out[id].To})
			}
		}
	}
}

// joined are the IDs of links that send to where a link leads. The ports of a VRF
// share its routes and no wire.
func (m *machine) joined(l Link) []string {
	all := append(slices.Clone(m.above[l.ID]), l.Lower, l.Master)
	if l.Kind != "vrf" {
		all = append(all, m.ports[l.ID]...)
	}
	return slices.DeleteFunc(all, func(id string) bool { return id == "" })
}

func (l Link) name() string {
	if l.Name != "" {
		return l.Name
	}
	return l.ID
}
