package pppoe

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"
)

// LCP's options (RFC 1661 section 6). All others are rejected: a Quality-Protocol,
// which nobody here speaks, and those that RFC 2516 section 7 forbids.
const (
	optionMRU   = 1
	optionProof = 3 // Authentication-Protocol
	optionMagic = 5
)

const (
	defaultMRU  = 1500 // where none was agreed (section 6.1)
	smallestMRU = 128  // less is refused with this as the hint
	chapMD5     = 5    // the algorithm (RFC 1994 section 3)
)

func (l *Link) lcpWishes() []wish {
	mru := l.max
	if l.c.MRU != 0 {
		mru = min(mru, l.c.MRU)
	}
	wishes := []wish{
		{kind: optionMRU, judge: l.judgeMRU, adopt: l.adoptMRU},
		{kind: optionProof, judge: l.judgeProof, adopt: l.adoptProof, vital: true},
		{kind: optionMagic, judge: l.judgeMagic, adopt: func([]byte) []byte { return l.random(4) }, own: l.random(4)},
	}
	if mru != defaultMRU {
		wishes[0].own = binary.BigEndian.AppendUint16(nil, mru)
	}
	if len(l.c.Demand) > 0 {
		wishes[1].own = l.c.Demand[0].option()
	}
	return wishes
}

// judgeMRU accepts what the frames below can carry (RFC 2516 section 7, RFC
// 4638 section 5.1).
func (l *Link) judgeMRU(asked []byte) []byte {
	n := l.max
	if len(asked) == 2 {
		n = min(max(binary.BigEndian.Uint16(asked), smallestMRU), l.max)
	}
	return binary.BigEndian.AppendUint16(nil, n)
}

func (l *Link) adoptMRU(hint []byte) []byte { return l.judgeMRU(hint) }

// option is the Authentication-Protocol option for a protocol.
func (p Protocol) option() []byte {
	value := binary.BigEndian.AppendUint16(nil, uint16(p))
	if p == CHAP {
		value = append(value, chapMD5)
	}
	return value
}

// proofIn is the protocol of those listed that an option asks for; 0: none.
func proofIn(protocols []Protocol, value []byte) Protocol {
	i := slices.IndexFunc(protocols, func(p Protocol) bool { return bytes.Equal(p.option(), value) })
	if i < 0 {
		return 0
	}
	return protocols[i]
}

func (l *Link) judgeProof(asked []byte) []byte {
	if proofIn(l.c.Allow, asked) == 0 && len(l.c.Allow) > 0 {
		return l.c.Allow[0].option()
	} else if len(l.c.Allow) == 0 {
		return nil
	}
	return asked
}

// adoptProof takes a hint that this end would have asked for itself, if later.
func (l *Link) adoptProof(hint []byte) []byte {
	if proofIn(l.c.Demand, hint) == 0 {
		return l.lcp.wish(optionProof).own
	}
	return bytes.Clone(hint)
}

// judgeMagic refuses the magic number of this end itself: when that comes again
// and again, the link is looped back (section 6.4).
func (l *Link) judgeMagic(asked []byte) []byte {
	switch own := l.lcp.wish(optionMagic).own; {
	case bytes.Equal(asked, own):
		if l.loops++; l.loops >= l.c.MaxFailure {
			l.looped()
		}
		return l.random(4)
	case len(asked) != 4, bytes.Equal(asked, make([]byte, 4)):
		return l.random(4)
	}
	l.loops = 0
	return asked
}

func (l *Link) looped() {
	l.counts.Looped++
	l.close("the link is looped back: what this end sends comes back to it")
}

// receiveLCP takes the packets that LCP alone has; they have no meaning but in
// the Opened state (sections 5.7 to 5.9).
func (l *Link) receiveLCP(p control) {
	switch {
	case p.code < protocolReject || p.code > discardRequest:
		l.lcp.receive(p)
	case l.lcp.state != Opened:
		l.counts.OutOfState++
	case p.code == protocolReject:
		l.receiveProtocolReject(p)
	case len(p.data) < 4:
		l.counts.Malformed++
	default:
		l.receiveEcho(p)
	}
}

func (l *Link) receiveEcho(p control) {
	magic := l.lcp.wish(optionMagic)
	own, peer := make([]byte, 4), make([]byte, 4)
	if !magic.rejected {
		own = magic.own
	}
	copy(peer, magic.peer)
	switch received := p.data[:4]; {
	case !magic.rejected && bytes.Equal(received, own):
		l.looped()
		return
	case !bytes.Equal(received, peer):
		l.counts.BadMagic++
		return
	}
	switch {
	case p.code == echoRequest:
		l.lcp.event(evEcho, control{echoReply, p.id, append(bytes.Clone(own), p.data[4:]...)})
	case p.code == echoReply && l.echoes > 0 && p.id == l.echoID:
		l.echoes = 0
		l.counts.Echoed++
	case p.code == echoReply:
		l.counts.BadReply++
	}
}

// sendEcho asks whether the peer lives; after EchoFailures unanswered the link
// is closed (RFC 2516 section 7).
func (l *Link) sendEcho() {
	if l.noEcho {
		l.echoDue = time.Time{}
		return
	}
	if l.echoes > 0 {
		l.counts.Unechoed++
	}
	if l.echoes >= l.c.EchoFailures {
		l.counts.Dead++
		l.close("the peer does not answer echoes")
		return
	}
	l.echoes++
	l.counts.Echoes++
	l.echoID, l.echoDue = l.identifier(), l.now.Add(l.c.Echo)
	magic := make([]byte, 4)
	if w := l.lcp.wish(optionMagic); !w.rejected {
		copy(magic, w.own)
	}
	l.lcp.send(control{echoRequest, l.echoID, magic})
}

// receiveProtocolReject stops what the peer does not speak (section 5.7): an
// NCP is told that nothing is below it, since a Terminate-Request would be of
// the rejected protocol again.
func (l *Link) receiveProtocolReject(p control) {
	if len(p.data) < 2 {
		l.counts.Malformed++
		return
	}
	switch proto := Protocol(binary.BigEndian.Uint16(p.data)); proto {
	case LCP:
		l.lcp.event(evFatal, p)
	case PAP, CHAP:
		if l.phase == Authenticate {
			l.close("the peer does not speak the protocol of authentication that it agreed to")
		}
	case IPCP, IPv6CP:
		if y := l.ncp(proto); y != nil && y.state > Starting {
			y.event(evDown, control{})
			l.stillNeeded()
		}
	}
}
