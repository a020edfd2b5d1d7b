package endhost

import (
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"weir/internal/pppoe"
)

// accessFamilies is how many network protocols are up in a session that datagrams can be
// sent through.
const accessFamilies = 2

// sessionKey is what tells a session of an end from its others.
type sessionKey struct {
	peer pppoe.MAC
	id   uint16
}

// accessSession is a session of an end, from its discovery on.
type accessSession struct {
	AccessSession
	frame *pppoe.Frame // that its datagrams are sent in
	began time.Time
	up    int // network protocols
}

// ledSessions are the sessions that datagrams can be sent through, by where they lead.
type ledSessions struct {
	many    bool                  // whether the destination of a datagram chooses; all goes through one otherwise
	network netip.Addr            // of the IPv6 addresses of clients, by their identifiers; not valid: there is none
	ipv6    map[string]netip.Addr // addresses of users, in its place
	only    atomic.Pointer[pppoe.Frame]
	by      sync.Map // *pppoe.Frame by netip.Addr
}

// destination is where a datagram is to go; the zero Addr: it is none.
func destination(datagram []byte) netip.Addr {
	switch {
	case len(datagram) >= 20 && datagram[0]>>4 == 4:
		return netip.AddrFrom4([4]byte(datagram[16:]))
	case len(datagram) >= 40 && datagram[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(datagram[24:]))
	}
	return netip.Addr{}
}

// to is the session that a datagram to an address goes through; nil: there is none.
func (l *ledSessions) to(a netip.Addr) *pppoe.Frame {
	if !l.many {
		return l.only.Load()
	}
	frame, _ := l.by.Load(a)
	session, _ := frame.(*pppoe.Frame)
	return session
}

// addresses are those that lead to the client of a session.
func (l *ledSessions) addresses(s AccessSession) []netip.Addr {
	all := []netip.Addr{s.Remote}
	if six, ok := l.ipv6[s.User]; ok {
		return append(all, six)
	}
	if l.network.IsValid() {
		all = append(all, pppoe.Address6(l.network, s.RemoteID))
	}
	return all
}

// begin has datagrams go through a session.
func (l *ledSessions) begin(s *accessSession) {
	if !l.many {
		l.only.Store(s.frame)
		return
	}
	for _, a := range l.addresses(s.AccessSession) {
		l.by.Store(a, s.frame)
	}
}

// end has none go there any more. An address that leads elsewhere by now still does.
func (l *ledSessions) end(s *accessSession) {
	l.only.CompareAndSwap(s.frame, nil)
	for _, a := range l.addresses(s.AccessSession) {
		l.by.CompareAndDelete(a, s.frame)
	}
}

// happened takes in what has become of a session.
func (e *accessEnd) happened(event pppoe.Event) {
	key := sessionKey{event.Peer, event.ID}
	s := e.sessions[key]
	switch {
	case event.Kind == pppoe.Discovered:
		s = &accessSession{AccessSession: AccessSession{Peer: event.Peer.String(), ID: event.ID}, began: e.began}
		if !e.client {
			s.began = time.Now()
		}
		s.frame = &pppoe.Frame{Dst: event.Peer, Src: pppoe.MAC(e.port.HardwareAddr), Code: pppoe.Session, ID: event.ID}
		e.sessions[key] = s
	case event.Kind == pppoe.NetworkUp && s != nil:
		s.Agreed = event.Agreed
		if s.up++; s.up == accessFamilies {
			e.opens(s)
		}
	case s != nil: // a network is down, or all of it is over
		if s.up == accessFamilies {
			e.closes(s)
		}
		s.up = max(0, s.up-1)
	}
	if event.Kind == pppoe.Ended {
		delete(e.sessions, key)
		if e.client {
			e.ended = event.Reason
		}
	}
}

// opens has a session carry datagrams.
func (e *accessEnd) opens(s *accessSession) {
	s.Took = time.Since(s.began)
	e.led.begin(s)
	e.must(e.past.begin(s.frame, e.led.addresses(s.AccessSession)))
	e.latest = s
	if e.up++; e.up == 1 {
		close(e.ready)
	}
}

// closes has it carry none any more.
func (e *accessEnd) closes(s *accessSession) {
	e.led.end(s)
	e.must(e.past.end(s.frame, e.led.addresses(s.AccessSession)))
	if e.latest == s {
		e.latest = nil
	}
	if e.up--; e.up == 0 {
		e.ready = make(chan struct{})
	}
}
