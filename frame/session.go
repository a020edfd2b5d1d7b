package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"weir"
)

// MaxSessions is how many PPPoE sessions one port can have: those of the
// identifiers that there are, but for 0 and 0xffff (RFC 2516 section 4).
const MaxSessions = 65534

const (
	etherSession = 0x8864
	pppoeHeader  = 6 + 2  // of PPPoE, and the protocol of PPP
	pppoeSession = 0x1100 // version, type and code of a frame in a session
	pppIPv4      = 0x0021
	pppIPv6      = 0x0057

	// Where its fields lie, in octets from the start of the header.
	pppoeID       = 2
	pppoeLength   = 4
	pppoeProtocol = 6

	// sessionMTU is what a session carries of an MTU of 1500 (RFC 2516 section 7).
	sessionMTU = 1492
)

// Session is a PPPoE session between a client behind the tester's port 0 and
// the DUT, which is the concentrator.
type Session struct {
	ID                   uint16
	Client, Concentrator net.HardwareAddr
	IPv4, IPv6           netip.Addr // of the client; the zero Addr where it has none of that family
}

// Address is the client's address of a family.
func (s Session) Address(family weir.Family) netip.Addr {
	if family == weir.IPv6 {
		return s.IPv6
	}
	return s.IPv4
}

// SessionEntry is what the frames of one flow have in common that leave inside
// a session.
type SessionEntry struct {
	Ethernet [12]byte // the addresses of concentrator and client, as on the wire
	ID       uint16   // host order
}

// CheckSessions says what keeps test frames of a family from being told apart
// by their sessions; nil: nothing.
func CheckSessions(sessions []Session, family weir.Family) error {
	seen := make(map[uint16]bool, len(sessions))
	for _, s := range sessions {
		switch {
		case s.ID == 0 || s.ID > MaxSessions:
			return fmt.Errorf("a session has the id %#04x, which RFC 2516 gives to none", s.ID)
		case seen[s.ID]:
			return fmt.Errorf("two sessions have the id %#04x: frames are told apart by it", s.ID)
		case len(s.Client) != 6 || len(s.Concentrator) != 6:
			return fmt.Errorf("session %#04x is between %q and %q, which are not Ethernet addresses of 6 octets", s.ID, s.Client, s.Concentrator)
		case !ofFamily(s.Address(family), family):
			return fmt.Errorf("session %#04x has no address of family %s", s.ID, family)
		}
		seen[s.ID] = true
	}
	return nil
}

// UnopenedSessions are n sessions that nobody has opened, for frames that meet
// no concentrator: of a tester that measures itself. Their clients have one
// Ethernet address.
func UnopenedSessions(n int, client, concentrator net.HardwareAddr) []Session {
	all := make([]Session, n)
	for i := range all {
		all[i] = Session{
			ID: uint16(i + 1), Client: client, Concentrator: concentrator,
			IPv4: later(TesterAddr(weir.IPv4, 0), uint64(i), 1), IPv6: later(TesterAddr(weir.IPv6, 0), uint64(i), 1),
		}
	}
	return all
}

// through has flow i of those that leave from a side go through session i
// modulo their number, from its client's address or to that, and returns what
// the frames of each flow have of it: from side 1 they leave in none.
func through(flows []Flow, sessions []Session, family weir.Family, side int) []SessionEntry {
	if len(sessions) == 0 {
		return nil
	}
	var entries []SessionEntry
	for i := range flows {
		s := &sessions[i%len(sessions)]
		if side == 1 {
			flows[i].Destination = s.Address(family)
			continue
		}
		flows[i].Source = s.Address(family)
		e := SessionEntry{ID: s.ID}
		copy(e.Ethernet[copy(e.Ethernet[:], s.Concentrator):], s.Client)
		entries = append(entries, e)
	}
	return entries
}

// put writes to a frame what it has of its session, but for lengths.
func (e *SessionEntry) put(frame []byte) {
	copy(frame, e.Ethernet[:])
	binary.BigEndian.PutUint16(frame[ethernetHeader+pppoeID:], e.ID)
}

// appendSession appends the header of a packet of so many octets in a session.
func appendSession(b []byte, family weir.Family, ipLength uint16) []byte {
	protocol := uint16(pppIPv4)
	if family == weir.IPv6 {
		protocol = pppIPv6
	}
	return append16(b, etherSession, pppoeSession, 0, ipLength+2, protocol)
}

// parseSession is the session of a frame whose PPPoE header begins b, and the
// type of the packet behind that. It is not ok when that is not IP, or not as
// long as the header says.
func parseSession(b []byte) (id, etherType uint16, ok bool) {
	if len(b) < pppoeHeader || binary.BigEndian.Uint16(b) != pppoeSession {
		return 0, 0, false
	}
	switch binary.BigEndian.Uint16(b[pppoeProtocol:]) {
	case pppIPv4:
		etherType = etherIPv4
	case pppIPv6:
		etherType = etherIPv6
	}
	length := int(binary.BigEndian.Uint16(b[pppoeLength:]))
	return binary.BigEndian.Uint16(b[pppoeID:]), etherType, etherType != 0 && length <= len(b)-pppoeHeader+2
}

// LargestSize is the largest frame of t, in octets with FCS, that can be sent
// by any tester. Frames in sessions of 1492 octets have 1518, and frames to such
// sessions 1510: they become eight octets longer on their way.
func LargestSize(t weir.Traffic) weir.Size {
	switch {
	case t.Sessions == 0:
		return MaxSize
	case t.Backward || t.Bidirectional:
		return sessionMTU + ethernetHeader + FCS
	}
	return sessionMTU + pppoeHeader + ethernetHeader + FCS
}

// validateSessions checks what does not go with sessions, or into them.
func validateSessions(t weir.Traffic) error {
	switch {
	case t.Sessions == 0:
		return nil
	case t.Sessions < 0 || t.Sessions > MaxSessions:
		return fmt.Errorf("sessions: %d is not between 1 and %d", t.Sessions, MaxSessions)
	case t.Pairs > 1 || t.Arms > 1 || t.Layer == 2:
		return errors.New("sessions: they are those of one port with a router: leave pairs, DUTs side by side and switches out")
	case len(t.VLANs) > 0 || t.Blend != nil || len(t.Extensions) > 0 || t.Broadcast > 0 || t.Replay != nil:
		return errors.New("sessions: frames of one kind go through them: leave vlans, blend, extensions, broadcast and replay out")
	case t.Flows < t.Sessions:
		return fmt.Errorf("sessions: each of %d needs a flow, and there are %d flows: leave flows out, or ask for as many at least", t.Sessions, t.Flows)
	}
	for _, s := range t.Sizes {
		if s > LargestSize(t) {
			return fmt.Errorf("frame size %d does not fit into a session, whose MTU is %d (RFC 2516 section 7): at most %d inside, and %d where frames go there in reverse, as they become eight octets longer on the way",
				s, sessionMTU, LargestSize(weir.Traffic{Sessions: 1}), LargestSize(weir.Traffic{Sessions: 1, Backward: true}))
		}
	}
	return nil
}
