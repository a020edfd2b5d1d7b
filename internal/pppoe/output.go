package pppoe

import "net/netip"

// Output is what a call has led to.
type Output struct {
	Packets  [][]byte // to be sent in this order: Ethernet frames of a Client or a Concentrator, PPP frames of a Link
	Events   []Event
	Datagram Datagram // what the packet that was received brought for the network layer
}

// Datagram is a packet of a network protocol that is up. Its octets are a part
// of the frame that brought them.
type Datagram struct {
	Peer     MAC
	ID       uint16
	Protocol Protocol // 0: none; IPv4 or IPv6
	Octets   []byte
}

// EventKind is what has happened.
type EventKind uint8

// The kinds of events.
const (
	Discovered  EventKind = iota // there is a session id
	NetworkUp                    // datagrams of a protocol may be sent
	NetworkDown                  // they may not any more
	Ended                        // the session is over, or could not be had
)

// Event is what has happened to a session.
type Event struct {
	Kind     EventKind
	Peer     MAC      // the other end; zero from a Link
	ID       uint16   // of the session
	Protocol Protocol // of NetworkUp and NetworkDown: IPv4 or IPv6
	Agreed   Agreed   // of NetworkUp
	Reason   string   // of Ended. What is quoted in it the peer has sent
}

// Agreed is what the ends of a link have agreed on.
type Agreed struct {
	MRU            uint16        // what the peer receives: the longest datagram that may be sent
	OwnMRU         uint16        // what the peer may send
	OwnProof, Auth Protocol      // how this end proved itself, and how the peer did; 0: not
	User           string        // the peer's name, where it was to prove it
	Local, Remote  netip.Addr    // of IPCP
	DNS            [2]netip.Addr // as this end was told (RFC 1877)
	LocalID        [8]byte       // interface identifiers of IPv6CP
	RemoteID       [8]byte
}
