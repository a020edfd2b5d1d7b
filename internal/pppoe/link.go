package pppoe

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// Phase is where a link stands (RFC 1661 section 3.2).
type Phase uint8

// The phases, in their order.
const (
	Dead Phase = iota
	Establish
	Authenticate
	Network
	Terminate
)

// Link is one end of a PPP link, of a client or of a concentrator. It is used
// once: when it has Ended, a new session has a new one.
type Link struct {
	c      *Config
	max    uint16 // what the frames below can carry
	assign func(user string) (netip.Addr, bool)
	grant  func(identifier [8]byte) bool // whether the peer may have it; nil: it may
	counts *Counts

	phase             Phase
	lcp, ipcp, ipv6cp layer
	own, peer         proof
	user              string
	remote            netip.Addr // the peer's, where this end gives it
	suggested         [8]byte    // the identifier that the peer was told to take

	ident, echoID byte
	noEcho        bool // the peer rejects echoes
	echoes        int  // that were not answered
	echoDue       time.Time
	loops         int // how often the peer's magic number was this end's
	reason        string

	now time.Time // of the call that is under way
	out Output
}

// NewLink makes an end of a link through frames that carry up to carried
// octets. assign gives the peer's IPv4 address, when its name is known; nil: the
// peer brings its own. What comes to nothing is counted in counts.
func NewLink(c Config, carried uint16, assign func(user string) (netip.Addr, bool), counts *Counts) *Link {
	return newLink(c.withDefaults(), carried, assign, counts)
}

func newLink(c *Config, carried uint16, assign func(user string) (netip.Addr, bool), counts *Counts) *Link {
	l := &Link{c: c, max: carried, assign: assign, counts: counts}
	l.lcp = layer{link: l, proto: LCP, wishes: l.lcpWishes()}
	l.ipcp = layer{link: l, proto: IPCP, wishes: l.ipcpWishes()}
	l.ipv6cp = layer{link: l, proto: IPv6CP, wishes: l.ipv6cpWishes()}
	return l
}

// Phase is where the link stands now.
func (l *Link) Phase() Phase { return l.phase }

// Open begins the link.
func (l *Link) Open(now time.Time) Output {
	l.now = now
	if l.phase == Dead && l.lcp.state == Initial && l.reason == "" {
		l.phase = Establish
		l.lcp.event(evOpen, control{})
		for _, y := range l.ncps() {
			y.event(evOpen, control{})
		}
		l.lcp.event(evUp, control{})
	}
	return l.take()
}

// Close ends the link by terminating LCP; it has Ended when the peer has agreed
// or does not answer.
func (l *Link) Close(reason string, now time.Time) Output {
	l.now = now
	l.close(reason)
	return l.take()
}

// Down ends the link at once: nothing more can be sent.
func (l *Link) Down(reason string, now time.Time) Output {
	l.now = now
	if l.phase != Dead {
		l.lcp.event(evDown, control{})
		l.end(reason)
	}
	return l.take()
}

// Next is when Advance has something to do; zero: never, as it is now.
func (l *Link) Next() (next time.Time) {
	for _, due := range []time.Time{l.lcp.due, l.ipcp.due, l.ipv6cp.due, l.own.due, l.peer.due, l.echoDue} {
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return next
}

// Advance does what timers have come to.
func (l *Link) Advance(now time.Time) Output {
	l.now = now
	is := func(due time.Time) bool { return !due.IsZero() && !due.After(now) }
	for _, y := range []*layer{&l.lcp, &l.ipcp, &l.ipv6cp} {
		if is(y.due) {
			y.advance()
		}
	}
	for _, p := range []*proof{&l.own, &l.peer} {
		if is(p.due) {
			l.advanceProof(p)
		}
	}
	if is(l.echoDue) {
		l.sendEcho()
	}
	return l.take()
}

// Receive takes a PPP frame from its protocol field on. What is unknown is
// rejected, and what comes in another phase than its own is discarded, as RFC
// 1661 sections 3.4, 3.5, 3.6 and 5.7 say.
func (l *Link) Receive(b []byte, now time.Time) Output {
	l.now = now
	if len(b) < 2 {
		l.counts.Malformed++
		return l.take()
	}
	proto, ready := Protocol(binary.BigEndian.Uint16(b)), l.phase == Network
	y := l.ncp(proto)
	switch {
	case l.phase == Dead:
		l.counts.OutOfState++
	case proto == LCP:
		l.decoded(b[2:], l.receiveLCP)
	case proto == PAP && (ready || l.phase == Authenticate):
		l.decoded(b[2:], l.receivePAP)
	case proto == CHAP && (ready || l.phase == Authenticate):
		l.decoded(b[2:], l.receiveCHAP)
	case !ready:
		l.counts.OutOfState++
	case y != nil:
		l.decoded(b[2:], y.receive)
	case proto == IPv4 && l.ipcp.state == Opened, proto == IPv6 && l.ipv6cp.state == Opened:
		l.out.Datagram = Datagram{Protocol: proto, Octets: b[2:]}
	case proto == IPv4 && l.c.IPv4, proto == IPv6 && l.c.IPv6:
		l.counts.OutOfState++
	default:
		l.counts.Rejected++
		l.lcp.send(control{protocolReject, l.identifier(), l.truncated(b, 4)})
	}
	return l.take()
}

func (l *Link) decoded(b []byte, receive func(control)) {
	p, err := decodeControl(b)
	if err != nil {
		l.counts.Malformed++
		return
	}
	receive(p)
}

func (l *Link) take() Output {
	out := l.out
	l.out = Output{}
	return out
}

func (l *Link) send(proto Protocol, packet []byte) {
	b := make([]byte, 0, 2+len(packet))
	l.out.Packets = append(l.out.Packets, append(binary.BigEndian.AppendUint16(b, uint16(proto)), packet...))
}

// truncated is as much of b as fits the peer's MRU behind some octets.
func (l *Link) truncated(b []byte, behind int) []byte {
	return b[:min(len(b), int(l.Agreed().MRU)-behind)]
}

func (l *Link) identifier() byte {
	if l.ident++; l.ident == 0 {
		l.ident++
	}
	return l.ident
}

func (l *Link) random(n int) []byte {
	b := make([]byte, n)
	l.c.Random(b)
	return b
}
