package weir

import "net/netip"

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

// AddressSet is a set of Count addresses from First on.
type AddressSet struct {
	First netip.Addr `json:"first"`
	Count int        `json:"count"` // >= 1
	Order Order      `json:"order"`
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
	VLANs         []VLAN   `json:"vlans,omitempty"` // at most two
	Flows         int      `json:"flows"`           // distinct tuples of addresses and ports, >= 1
	Forward       Stream   `json:"forward"`         // from port 0 to port 1
	Reverse       Stream   `json:"reverse"`         // from port 1 to port 0
	Bidirectional bool     `json:"bidirectional"`   // both directions at the same rate (RFC 2544 section 14)
	Seed          uint64   `json:"seed"`            // of every random choice
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

// Ports is how many ports send: 1, or 2 when the traffic is bidirectional.
func (t Traffic) Ports() int {
	if t.Bidirectional {
		return 2
	}
	return 1
}
