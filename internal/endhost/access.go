package endhost

import (
	"net/netip"
	"time"

	"weir/internal/pppoe"
	"weir/internal/xdp"
)

// accessEcho is how often an end asks whether the other one is alive: one that is
// silent three times is not. An overload loses echoes, too.
const accessEcho = 30 * time.Second

// Access is where an end of an access line is, in the namespace of its process.
type Access struct {
	Port   string      `json:"port"`          // behind which the other end is
	Device string      `json:"device"`        // the tun device that the end makes, for the datagrams of the session; it goes with the process
	XDP    *PastAccess `json:"xdp,omitempty"` // the way of data frames past the process; nil: it moves them itself
}

// PastAccess has the kernel move the data frames of an end's session, by BPF programs that
// the end attaches, and that go with its process. What is none of a session's plain
// datagrams still goes to the process. Whoever sends to one of the ports over a virtual
// link has to write checksums itself.
type PastAccess struct {
	Port   string                `json:"port"`             // that frames arrive at: Access.Port, or the one below it
	Routed []string              `json:"routed,omitempty"` // the other ports of a router, for which it forwards them, too; none: the end is no router
	IPv6   map[string]netip.Addr `json:"ipv6,omitempty"`   // at a concentrator of one session the address of each user in IPv6, of which PPP says nothing
}

// AccessClient are the settings of the role "pppoe-client": it has a session when it is
// opened, tells of it (AccessSession), and ends with it. It can be asked for its "counts"
// (AccessCounts) from then on.
type AccessClient struct {
	Access
	User   string `json:"user"`
	Secret string `json:"secret"`
	Urgent bool   `json:"urgent,omitempty"` // as that of Subscribers
}

// AccessConcentrator are the settings of the role "pppoe-concentrator". It serves one
// session at a time, by a device for it, as a ppp(8) does, or many by one device. Beside
// "counts" it can be asked for the "session" that came up last, which it waits for.
type AccessConcentrator struct {
	Access
	Name    string     `json:"name"`    // of the concentrator
	Secrets string     `json:"secrets"` // of users, each with the address that is theirs, as ppp.secret has them
	Address netip.Addr `json:"address"` // its own
	// Sessions is how many there are at a time: 1. Of more each has the IPv6 address of its
	// identifier in Network, of 64 bits.
	Sessions int        `json:"sessions,omitempty"`
	Network  netip.Addr `json:"network,omitzero"`
	// Demand is by what a client proves who it is, the most wanted first; none: CHAP.
	Demand []pppoe.Protocol `json:"demand,omitempty"`
}

// AccessSession is a session that datagrams of both families can be sent through.
type AccessSession struct {
	pppoe.Agreed
	Peer string        `json:"peer"` // the Ethernet address of the other end
	ID   uint16        `json:"id"`
	Took time.Duration `json:"took"` // from the first packet of its discovery that this end knows of
}

// AccessCounts are what an end has come to since it was started.
type AccessCounts struct {
	Sessions int            `json:"sessions"`          // that datagrams of both families can be sent through, now
	Sent     uint64         `json:"sent"`              // datagrams, through the session
	Received uint64         `json:"received"`          // and from it
	XDP      *xdp.Accessed  `json:"xdp,omitempty"`     // of these, and of what came beside them, where data frames go past the process
	Unsent   uint64         `json:"unsent,omitempty"`  // that came when there was no session, or that the port did not take
	Untaken  uint64         `json:"untaken,omitempty"` // that the device did not take
	Missed   uint64         `json:"missed,omitempty"`  // frames that came faster than they were read
	Lost     map[string]int `json:"lost,omitempty"`    // sessions of many that ended by themselves, by the reason
	CPU      time.Duration  `json:"cpu"`               // of the process
	Protocol pppoe.Counts   `json:"protocol,omitzero"` // what of the line's other frames came to nothing, or to an end
}
