package weir

import (
	"fmt"
	"net/netip"
	"strings"
)

// Size is a frame's size in octets with the FCS: 64 means 60 octets of data
// (RFC 2544 section 9).
type Size int

// Family is the network protocol of test frames.
type Family string

// Protocol is the transport protocol of test frames.
type Protocol string

// Order says how a set of addresses or ports is walked.
type Order string

// The families, protocols and orders that a tester can send.
const (
	IPv4 Family = "ipv4"
	IPv6 Family = "ipv6"

	UDP Protocol = "udp"
	TCP Protocol = "tcp"

	Fixed     Order = "fixed"     // always the first value
	Increment Order = "increment" // first, first+1, ... and again
	Random    Order = "random"    // drawn with Traffic.Seed, the same in every trial (RFC 4814)
)

// VLAN is one 802.1Q or 802.1ad tag, outermost first.
type VLAN struct {
	TPID uint16 `json:"tpid"` // 0x8100 or 0x88a8
	ID   uint16 `json:"id"`   // 0-4094
	PCP  uint8  `json:"pcp"`  // priority, 0-7
}

// AddressSet is a set of Count addresses from First on, Stride apart.
type AddressSet struct {
	First  netip.Addr `json:"first"`
	Count  int        `json:"count"` // >= 1
	Order  Order      `json:"order"`
	Stride int        `json:"stride,omitempty"` // distance of one address to the next; 0 means 1. 256: a network of /24 each (RFC 2544 section 12)
}

// PortSet is the set of ports from First to Last, both included.
type PortSet struct {
	First uint16 `json:"first"`
	Last  uint16 `json:"last"`
	Order Order  `json:"order"`
}

// Stream is the traffic of one direction: the headers that its frames carry.
// Addresses and ports of frame i are those of flow i modulo Traffic.Flows.
type Stream struct {
	Source          AddressSet `json:"source"`
	Destination     AddressSet `json:"destination"`
	SourcePort      PortSet    `json:"source_port"`
	DestinationPort PortSet    `json:"destination_port"`
}

// Traffic is what is sent in a trial. The zero value is not valid: at least a
// size, a family and a protocol are needed.
type Traffic struct {
	Name          string   `json:"name"`  // of the size or mix: "64", "imix"
	Sizes         []Size   `json:"sizes"` // in order of sending, walked again and again; one entry is a fixed size
	Family        Family   `json:"family"`
	Protocol      Protocol `json:"protocol"`
	VLANs         []VLAN   `json:"vlans,omitempty"`    // at most two
	Flows         int      `json:"flows"`              // distinct tuples of addresses and ports, >= 1
	Forward       Stream   `json:"forward"`            // from port 0 to port 1
	Reverse       Stream   `json:"reverse"`            // from port 1 to port 0
	Bidirectional bool     `json:"bidirectional"`      // both directions at the same rate (RFC 2544 section 14)
	Backward      bool     `json:"backward,omitempty"` // the one direction is Reverse; not with Bidirectional
	Seed          uint64   `json:"seed"`               // of every random choice
	Layer         int      `json:"layer,omitempty"`    // 2: frames have the Ethernet address of the port at the other side, as a switch needs it; 0: that of the DUT

	// Blend are frames of the other family among these (RFC 5180 section 5.3);
	// nil: none.
	Blend *Blend `json:"blend,omitempty"`
	// Extensions are the IPv6 extension headers of the frames that have any, in
	// order (RFC 5180 section 5.4.2).
	Extensions []Extension `json:"extensions,omitempty"`
	// Extended is the share of the IPv6 frames that have them, 0 to 1.
	Extended float64 `json:"extended,omitempty"`
	// Broadcast is the share of frames to the hardware broadcast address among
	// all that are sent (RFC 2544 section 11.1: 0.01); 0: none. These come in
	// addition to the load, are for no router to forward and count nowhere.
	Broadcast float64 `json:"broadcast,omitempty"`
	// Burst is the number of frames that leave at the least gap the tester can
	// leave, with pauses between such bursts that keep the load (RFC 2544
	// section 21: 16, 64, 256, 1024); 0: frames are evenly spread.
	Burst int `json:"burst,omitempty"`
	// Pairs is the number of port pairs (RFC 2544 section 16); 0 means 1. Pair p
	// is port 2p and 2p+1; the frames of each sending port go to all ports of
	// the other side in turn.
	Pairs int `json:"pairs,omitempty"`
	// Arms is the number of DUTs side by side, each behind a pair of ports of
	// its own; 0 means 1. Arm a is behind ports 2a and 2a+1; all of them get the
	// same frames, in one direction, but for the Ethernet addresses, and for the
	// destinations where they have routes of their own (Trial.Beside). Not with Pairs,
	// nor with Bidirectional.
	Arms int `json:"arms,omitempty"`
	// Sessions is the number of PPPoE sessions that the frames go through which leave
	// from port 0, and to whose clients those from port 1 go: flow i through session i
	// modulo their number, whose client's address takes the place of the stream's. The
	// DUT is the concentrator, which takes frames out of sessions and puts them in. 0:
	// none. Not with Pairs, Arms, Blend, Extensions, Broadcast, VLANs, nor with Replay.
	Sessions int `json:"sessions,omitempty"`
	// Routes are the prefixes over which destinations are spread, one flow to
	// each (RFC 3222); none: the destinations are those of the streams.
	Routes RouteSet `json:"routes,omitzero"`
	// Replay is a capture whose frames are sent instead; nil: none.
	Replay *Replay `json:"replay,omitempty"`
	// Application says that programs of end hosts talk (Trial.Transfer) and no
	// test frames are sent: of all above only the family, the direction and the
	// seed have a meaning.
	Application bool `json:"application,omitempty"`
	// Server is which side of a Transfer the server is; "": the one that the
	// program has by itself. Of both directions, each has it so.
	Server Side `json:"server,omitempty"`
}

// Blend is a share of frames of the other family.
type Blend struct {
	Share   float64 `json:"share"` // of all frames, 0 to 1
	Forward Stream  `json:"forward"`
	Reverse Stream  `json:"reverse"`
}

// Extension is an IPv6 extension header (RFC 8200 section 4).
type Extension string

// The extension headers that a tester can send.
const (
	HopByHop           Extension = "hop-by-hop"
	DestinationOptions Extension = "destination"
	RoutingHeader      Extension = "routing"
)

// Replay is a capture file whose frames are sent in its order, at the trial's
// load. Their Ethernet addresses and the beginning of their payloads are
// replaced; frames that have no room for a signature are left out.
type Replay struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"` // of the file, so that a record says what was sent
	Frames int    `json:"frames"` // of the file that are sent
	Left   int    `json:"left"`   // of the file that are left out
	// Flows is how many distinct tuples of addresses and ports the frames have that are sent; 0:
	// a record of an older version does not say.
	Flows int `json:"flows,omitempty"`
	// Reasons are why frames are left out; empty in records of older versions.
	Reasons []Unsent `json:"reasons,omitempty"`
}

// Unsent is how many frames of a capture cannot be sent for one reason.
type Unsent struct {
	Reason string `json:"reason"` // as what follows "12 frames are": "not IP"
	Frames int    `json:"frames"`
}

// WhyLeft returns which frames are left out, for people, with some reasons where there are many:
// "3 fragments, 12 not IP".
func (r *Replay) WhyLeft() string {
	const most = 8
	var parts []string
	others := 0
	for i, l := range r.Reasons {
		if i >= most {
			others += l.Frames
			continue
		}
		parts = append(parts, fmt.Sprintf("%d %s", l.Frames, l.Reason))
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("and %d others", others))
	}
	return strings.Join(parts, ", ")
}

// Directions are the names of those of StreamResult, by their numbers: 0 is of
// what leaves from even ports, 1 of what leaves from odd ones.
var Directions = [2]string{"forward", "reverse"}

// Direction is the number of the one direction of a traffic that is not
// bidirectional.
func (t Traffic) Direction() int {
	if t.Backward {
		return 1
	}
	return 0
}

// MeanSize is the mean of the sizes, in octets with FCS; 0 without sizes.
func (t Traffic) MeanSize() float64 {
	if len(t.Sizes) == 0 {
		return 0
	}
	sum := 0
	for _, s := range t.Sizes {
		sum += int(s)
	}
	return float64(sum) / float64(len(t.Sizes))
}

// PortPairs is how many pairs of ports the traffic is for: its Pairs, or one for
// each of its Arms.
func (t Traffic) PortPairs() int { return max(t.Pairs, t.Arms, 1) }

// Ports is how many ports send: one of each pair, or both when the traffic is
// bidirectional.
func (t Traffic) Ports() int {
	if t.Bidirectional {
		return 2 * t.PortPairs()
	}
	return t.PortPairs()
}
