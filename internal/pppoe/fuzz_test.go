package pppoe

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzFrame: what decodes encodes to the same, but for what stands behind it.
func FuzzFrame(f *testing.F) {
	w := join(f, clientConfig(PAP), concentratorConfig(PAP))
	w.start()
	w.run(time.Second)
	for _, frame := range append(w.sent, ofOthers(f)...) {
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		frame, err := DecodeFrame(b)
		if err != nil {
			return
		}
		if again := frame.Append(nil); !bytes.HasPrefix(b, again) {
			t.Fatalf("%x encodes to %x", b, again)
		}
		tags, err := DecodeTags(frame.Payload)
		if again := tags.Append(nil); err == nil && !bytes.HasPrefix(frame.Payload, again) {
			t.Fatalf("tags %x encode to %x", frame.Payload, again)
		}
	})
}

// state is what nobody but the peer may change.
type state struct {
	Phase             Phase
	LCP, IPCP, IPv6CP State
	Agreed            Agreed
}

func (l *Link) snapshot() state {
	return state{l.phase, l.lcp.state, l.ipcp.state, l.ipv6cp.state, l.Agreed()}
}

// mayChange tells whether RFC 1661's table has a transition for a packet when
// LCP and the NCPs are Opened: another Configure-Request, the Terminate-Request
// and -Ack, and the rejection of what nothing goes without. An Echo may tell of
// a loop.
func mayChange(b []byte) bool {
	if len(b) < 6 {
		return false
	}
	proto, code, data := binary.BigEndian.Uint16(b), b[2], b[6:]
	if proto != 0xc021 && proto != 0x8021 && proto != 0x8057 {
		return false
	}
	switch code {
	case 1, 5, 6:
		return true
	case 7:
		return len(data) >= 4 && data[0] >= 1 && data[0] <= 7
	case 8:
		return proto == 0xc021 && len(data) >= 2
	case 9, 10, 11:
		return proto == 0xc021 && len(data) >= 4
	}
	return false
}

// FuzzEnds gives an established session's ends octets that nobody meant: as
// they are, and as a PPP frame of the session. Nothing changes but by what the
// RFCs say, and the ends come to rest in a session or in none.
func FuzzEnds(f *testing.F) {
	for _, octets := range []string{
		"\xc0\x21\x01\x09\x00\x04", "\xc0\x21\x05\x01\x00\x04", "\xc0\x21\x06\x01\x00\x04", "\x80\x21\x05\x01\x00\x04",
		"\xc0\x21\x02\x01\x00\x04", "\xc0\x21\x08\x01\x00\x06\x80\x57", "\xc0\x21\x07\x01\x00\x08\x01\x01\x00\x04",
		"\xc0\x21\x09\x01\x00\x08\x00\x00\x00\x00", "\xc2\x23\x01\x01\x00\x07\x01\x01x", "\x80\x57\x03\x01\x00\x04",
		"\xc0\x21\x01\x09\x00\x0e\x03\x04\xc0\x23\x07\x02\x01\x04\xff\xff", "\x00\x21\x45", "\x40\x03abc",
	} {
		f.Add([]byte(octets))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		w := join(t, clientConfig(CHAP), concentratorConfig(CHAP))
		w.start()
		w.run(time.Second)
		w.mustBeUp()
		link := w.client.Link()
		other := w.ac.Link(hostMAC, w.client.session.id)
		ends := []struct {
			link    *Link
			receive func([]byte, time.Time) Output
			session session
		}{{link, w.client.Receive, w.client.session}, {other, w.ac.Receive, w.ac.find(hostMAC, w.client.session.id).session}}
		for i, end := range ends {
			before := end.link.snapshot()
			inside := session{own: end.session.peer, peer: end.session.own, id: end.session.id}
			w.does(i, end.receive(b, w.now))
			if diff := cmp.Diff(before, end.link.snapshot(), cmpopts.EquateComparable(netip.Addr{})); diff != "" && !bytes.Contains(b, inside.own[:]) {
				t.Fatalf("frame %x changed the session: %s", b, diff)
			}
			before = end.link.snapshot()
			w.does(i, end.receive(inside.frame(Session, b), w.now))
			if diff := cmp.Diff(before, end.link.snapshot(), cmpopts.EquateComparable(netip.Addr{})); diff != "" && !mayChange(b) {
				t.Fatalf("packet %x changed the session: %s", b, diff)
			}
		}
		w.run(3 * time.Minute)
		for _, end := range ends {
			if phase := end.link.Phase(); phase != Network && phase != Dead || end.link.counts.Illegal > 0 {
				t.Fatalf("%x left phase %d, %+v", b, phase, end.link.counts)
			}
		}
	})
}

// FuzzLink drives an end of a link by packets of any kind in any order, and by
// its timers. The automaton meets no event that cannot be, and a link to which
// nobody talks any more ends, or stays in the network phase.
func FuzzLink(f *testing.F) {
	f.Add([]byte("\x00\x01\x09\x06\x01\x04\x05\xd4\x00\x02\x01\x00\x06\x01\x00"))
	f.Add([]byte("\x01\x06\x06\x00\x01\x09\x00\x00\x02\x01\x0a\x05\x06\x01\x02\x03\x04\x02\x01\x01\x06"))
	f.Fuzz(func(t *testing.T, b []byte) {
		client, ac := clientConfig(PAP, CHAP).Link, concentratorConfig(CHAP, PAP).Link
		client.Echo, ac.Echo = 0, 0 // which would tell that the peer is dead
		var counts Counts
		l := NewLink(client, ethernetMax, nil, &counts)
		if len(b) > 0 && b[0]&1 != 0 {
			l = NewLink(ac, ethernetMax, func(string) (netip.Addr, bool) { return dns[0], true }, &counts)
		}
		protocols := []Protocol{LCP, LCP, LCP, PAP, CHAP, IPCP, IPv6CP, IPv4}
		now := start
		l.Open(now)
		for len(b) >= 4 {
			p := control{b[1], b[2], b[4:min(len(b), 4+int(b[3])%24)]}
			if p.code >= configureAck && p.code <= configureReject && b[3]&0x80 != 0 { // a reply that fits
				p.id, p.data = l.lcp.id, l.lcp.asked
			}
			packet := p.append(binary.BigEndian.AppendUint16(nil, uint16(protocols[b[0]>>1&7])))
			if b[0]&0x80 != 0 && !l.Next().IsZero() {
				now = l.Next()
				l.Advance(now)
			}
			b = b[min(len(b), 4+int(b[3])%24):]
			l.Receive(packet, now)
		}
		for range 100 {
			if now = l.Next(); now.IsZero() {
				break
			}
			l.Advance(now)
		}
		if !l.Next().IsZero() || l.phase != Dead && l.phase != Network || counts.Illegal > 0 {
			t.Fatalf("phase %d, LCP %d, next timer %v, %+v", l.phase, l.lcp.state, l.Next(), counts)
		}
	})
}
