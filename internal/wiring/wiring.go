// Package wiring finds out what is connected with a tester's ports before test frames
// are sent: a few frames each way tell a router from a cable, and say what is wrong
// with it and how it is mended.
//
// It measures nothing: one frame that comes through is as good as all of them.
package wiring

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"weir"
)

// Port is a port of the tester's, paired with the next or the one before it.
type Port struct {
	Name    string
	MAC     net.HardwareAddr
	Tester  netip.Addr       // its address, to which probes of the other port go
	Router  netip.Addr       // the DUT's address at its link
	NextHop net.HardwareAddr // that its frames are sent to
}

// Asked is what is to be found out.
type Asked struct {
	Ports  []Port
	Bridge bool // the DUT forwards by Ethernet addresses: frames come through as they were
	Size   int  // of the largest frame that will be sent, octets with FCS
	// Traffic is what will be sent, of which some frames are sent as probes, too; none: those
	// of a service alone are.
	Traffic []weir.Traffic

	sent [][]string // by port, what those probes are; nil: there are none
}

// kind is what a frame is that was seen.
type kind int

const (
	probed  kind = iota // a probe
	refusal             // what a router says of one (RFC 792, RFC 4443)
	wanted              // somebody asks who has an address (RFC 826, RFC 4861)
	claimed             // somebody says that it has one
	tree                // a switch keeps a spanning tree
)

// sighting is a frame that arrived at a port.
type sighting struct {
	kind
	at    int // the port
	from  int // that sent the probe
	large bool
	own   bool             // the probe is a frame of the plan
	sent  uint8            // its hop limit as it was sent
	hops  uint8            // that are left to it
	mac   net.HardwareAddr // of the sender
	who   netip.Addr       // that is wanted or claimed
	by    netip.Addr       // who refuses it
	delay time.Duration    // the forward delay of a spanning tree
	answer
}

// unpassed reports whether no router has passed a probe on.
func (s sighting) unpassed() bool { return s.hops == s.sent }

// firstHops is how far a probe of a service may go.
const firstHops = 64

// WrongError says what is wrong with the wiring.
type WrongError struct {
	Findings []string
	// Delay is the forward delay of a switch with a spanning tree that was heard: its ports
	// forward nothing for twice as long after their links have come up. 0: none was, or
	// frames get somewhere, or are refused, between the ports of each pair: no wait mends that.
	Delay time.Duration
}

// wrong is the error of some findings, of what was seen when some ports sent.
func (a Asked) wrong(findings []string, seen []sighting, ports ...int) *WrongError {
	e := &WrongError{Findings: findings}
	silent := slices.ContainsFunc(ports, func(i int) bool {
		return !slices.ContainsFunc(seen, func(s sighting) bool { return a.hears(i, s) || a.hears(i^1, s) })
	})
	for _, s := range seen {
		if silent {
			e.Delay = max(e.Delay, s.delay)
		}
	}
	return e
}

// hears reports whether a sighting shows that frames get through what a port is connected with.
func (a Asked) hears(i int, s sighting) bool {
	own := a.Ports[i]
	switch s.kind {
	case probed, refusal:
		return s.from == i
	case claimed:
		return a.taken(i, s) || s.who == own.Router && s.at != i
	case wanted:
		return s.who == a.Ports[i^1].Tester && s.at == i || s.mac.String() == own.MAC.String()
	}
	return false
}

func (e *WrongError) Error() string { return strings.Join(e.Findings, "; ") }

// judge says what is wrong, of all that was seen after probes left every port.
func (a Asked) judge(all []sighting) (out []string) {
	for i := range a.Ports {
		out = append(out, a.judgePort(i, all)...)
	}
	return out
}

// judgePort says what became of the probes of a port.
func (a Asked) judgePort(i int, all []sighting) (out []string) {
	far := i ^ 1
	own, other := a.Ports[i], a.Ports[far]
	var small, large, unchanged, back, returned, planned, service bool
	var elsewhere []string
	for _, s := range all {
		switch {
		case a.taken(i, s):
			out = append(out, inUse(own, s))
		case s.kind != probed:
		case s.from == far && s.at == i && s.from != s.at:
			back = true
		case s.from != i:
		case s.at == i && s.own && !a.sends(i): // an answer, which may go another way: the plan has none
		case s.at == i && !s.unpassed():
			returned = true
			to := other.Tester
			if s.own {
				to = a.ownDestination(i)
			}
			out = append(out, fmt.Sprintf("a router sends what leaves through %s back there: its route to %v leads to where the frames come from; give it one through the port that %s is connected with", own.Name, to, other.Name))
		case s.at == i:
			returned = true
			out = append(out, fmt.Sprintf("what leaves through %s comes back there: there is a loop behind it; look for a cable between two ports of the box or the switch", own.Name))
		case s.own && s.at%2 == i%2:
		case s.at != far && !s.own: // frames of the plan go to all ports of the other side
			elsewhere = appendNew(elsewhere, a.Ports[s.at].Name)
		default:
			small, large = small || !s.large, large || s.large
			planned, service = planned || s.own, service || !s.own
			unchanged = unchanged || !s.large && s.unpassed() && s.mac.String() == own.MAC.String()
		}
	}
	if slices.Sort(elsewhere); len(elsewhere) > 0 {
		out = append(out, fmt.Sprintf("what leaves through %s for %s arrives at %s, too: something floods it; a switch that does not know where %s is, or a hub", own.Name, other.Name, strings.Join(elsewhere, " and "), other.Name))
	}
	switch {
	case small && unchanged && !a.Bridge:
		out = append(out, fmt.Sprintf("what leaves through %s arrives at %s as it was: there is a cable or a switch between them, and no router; connect them with the box, or say dut: {layer: 2}", own.Name, other.Name))
	case !small && !large && returned:
	case !small && !large:
		out = append(out, a.reason(i, back, all))
	case !large:
		out = append(out, fmt.Sprintf("frames of %d octets do not get from %s to %s, and small ones do%s: give the box an MTU of %d at both ports, or take smaller frames",
			a.Size, own.Name, other.Name, a.saidOfLarge(i, all), a.Size-18))
	case service && !planned && a.sends(i):
		out = append(out, a.onlyService(i, all))
	}
	return unique(out)
}

// taken reports whether somebody else has the tester's address at a port.
func (a Asked) taken(i int, s sighting) bool {
	return s.kind == claimed && s.at == i && s.who == a.Ports[i].Tester && !a.ours(s.mac)
}

func inUse(own Port, by sighting) string {
	return fmt.Sprintf("%v, which the tester has at %s, is in use by %v: take another address (networks), or find out who that is", own.Tester, own.Name, by.mac)
}

// ours reports whether an Ethernet address is that of a port of the tester's.
func (a Asked) ours(mac net.HardwareAddr) bool {
	return slices.ContainsFunc(a.Ports, func(p Port) bool { return slices.Equal(p.MAC, mac) })
}

// reason is why nothing gets from a port to its pair; back says whether anything
// comes the other way.
func (a Asked) reason(i int, back bool, all []sighting) string {
	own, other := a.Ports[i], a.Ports[i^1]
	asks := false
	for _, s := range all {
		if s.kind == wanted && s.who == other.Tester && s.mac.String() != own.MAC.String() && s.mac.String() != other.MAC.String() {
			if s.at == i {
				return fmt.Sprintf("the box looks for %v, the tester's address at %s, behind %s: the cables of %s and %s are swapped; swap them, or their names in ports", other.Tester, other.Name, own.Name, own.Name, other.Name)
			}
			asks = asks || s.at == i^1
		}
	}
	text := fmt.Sprintf("nothing gets from %s to %s", own.Name, other.Name)
	if said := a.explain(i, false, other.Tester, all); said != "" && !a.Bridge {
		return text + said
	}
	if said := a.explain(i, true, a.ownDestination(i), all); said != "" && !a.Bridge {
		return text + said
	}
	if a.sends(i) {
		text += fmt.Sprintf(", neither frames of the plan (%s) nor datagrams to UDP port %d", a.ownWords(i), discard)
	}
	switch {
	case a.Bridge:
		return text + ": does the switch forward between these ports (same VLAN, no blocked port, no port security)?"
	case asks:
		return fmt.Sprintf("%s, although the box has asked for %v there: does a filter of the box drop it?", text, other.Tester)
	case back:
		return fmt.Sprintf("%s, and what leaves through %s comes through: has the box a route to %v, and no filter of sources (rp_filter) or firewall for that way?", text, other.Name, other.Tester)
	}
	return fmt.Sprintf("%s: does the box forward at all (sysctl net.ipv4.ip_forward=1, or its equal), and has it a route to %v?", text, a.ownDestination(i))
}

// sends reports whether frames of the plan leave from a port as probes.
func (a Asked) sends(i int) bool { return i < len(a.sent) && len(a.sent[i]) > 0 }

// saidOfLarge is what routers said of a port's probes, of the large ones first.
func (a Asked) saidOfLarge(i int, all []sighting) string {
	said := ""
	for _, s := range all {
		if s.kind == refusal && s.from == i && (said == "" || s.large) {
			said = " (the box says: " + s.says + ")"
		}
	}
	return said
}

// unanswered says why nobody answers for the router of a port, of what was seen when
// all ports asked for it.
func (a Asked) unanswered(i int, all []sighting) string {
	own := a.Ports[i]
	for _, s := range all { // a box does not answer to its own address
		if a.taken(i, s) {
			return inUse(own, s)
		}
	}
	for _, s := range all {
		switch {
		case s.kind == claimed && s.who == own.Router && s.at != i:
			return fmt.Sprintf("%v answers at %s, and was to be behind %s: the cables are swapped; swap them, or the names in ports", own.Router, a.Ports[s.at].Name, own.Name)
		case s.kind == wanted && s.who == own.Router && s.at == i && s.mac.String() == own.MAC.String():
			return fmt.Sprintf("what leaves through %s comes back there: there is a loop behind it, and no router", own.Name)
		case s.kind == wanted && s.who == own.Router && s.at != i && s.mac.String() == own.MAC.String():
			return fmt.Sprintf("what leaves through %s arrives at %s as it was: there is a cable or a switch between them, and no router; connect them with the box, or say dut: {layer: 2}", own.Name, a.Ports[s.at].Name)
		}
	}
	return fmt.Sprintf("nobody answers for %v behind %s: is that the box's address there (networks), the port up, and in the right VLAN?", own.Router, own.Name)
}

func appendNew(list []string, text string) []string {
	for _, o := range list {
		if o == text {
			return list
		}
	}
	return append(list, text)
}

func unique(list []string) (out []string) {
	for _, text := range list {
		out = appendNew(out, text)
	}
	return out
}
