package endhost

import (
	"net/netip"
	"time"

	"weir/internal/pppoe"
)

// accessEcho is how often an end asks whether the other one is alive: one that is
// silent three times is not. An overload loses echoes, too.
const accessEcho = 30 * time.Second

// Access is where an end of an access line is, in the namespace of its process.
type Access struct {
	Port   string `json:"port"`   // behind which the other end is
	Device string `json:"device"` // the tun device that the end makes, for the datagrams of the session; it goes with the process
}

// AccessClient are the settings of the role "pppoe-client": it has a session when it is
// opened, tells of it (AccessSession), and ends with it. It can be asked for its "counts"
// (AccessCounts) from then on.
type AccessClient struct {
	Access
	User   string `json:"user"`
	Secret string `json:"secret"`
}

// AccessConcentrator are the settings of the role "pppoe-concentrator". It serves one
// session at a time, by a device for it, as a ppp(8) does. Beside "counts" it can be asked
// for the "session", which it waits for.
type AccessConcentrator struct {
	Access
	Name    string     `json:"name"`    // of the concentrator
	Secrets string     `json:"secrets"` // of users, each with the address that is theirs, as ppp.secret has them
	Address netip.Addr `json:"address"` // its own
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
	Sent     uint64        `json:"sent"`              // datagrams, through the session
	Received uint64        `json:"received"`          // and from it
	Unsent   uint64        `json:"unsent,omitempty"`  // that came when there was no session, or that the port did not take
	Untaken  uint64        `json:"untaken,omitempty"` // that the device did not take
	Missed   uint64        `json:"missed,omitempty"`  // frames that came faster than they were read
	CPU      time.Duration `json:"cpu"`               // of the process
	Protocol pppoe.Counts  `json:"protocol,omitzero"` // what of the line's other frames came to nothing, or to an end
}
