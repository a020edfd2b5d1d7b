package pppoe

import (
	"encoding/binary"
	"time"
)

// network begins the Network-Layer Protocol phase (RFC 1661 section 3.6).
func (l *Link) network() {
	l.phase = Network
	if l.c.IPv4 && l.assign != nil && !l.remote.IsValid() {
		a, ok := l.assign(l.user)
		if !ok {
			l.counts.Refused++
			l.close("no address is left for this user")
			return
		}
		l.remote = a
	}
	for _, y := range l.ncps() {
		y.event(evUp, control{})
	}
	l.stillNeeded()
}

// layerUp is This-Layer-Up.
func (l *Link) layerUp(y *layer) {
	agreed := l.Agreed()
	switch {
	case y == &l.ipcp && !usable(agreed.Local): // the peer acknowledged that there is none
		y.event(evClose, control{})
		return
	case y != &l.lcp:
		y.up = true
		l.out.Events = append(l.out.Events, Event{Kind: NetworkUp, Protocol: y.carries(), Agreed: agreed})
		return
	}
	l.counts.Established++
	l.loops, l.echoes, l.reason = 0, 0, ""
	if l.c.Echo > 0 && !l.noEcho {
		l.echoDue = l.now.Add(l.firstEcho())
	}
	l.authenticate()
}

// firstEcho is how long the first question waits, by chance: many that came together are not
// to ask together for as long as they live. It is an eighth of the time at least, in which the
// peer's LCP opens, too.
func (l *Link) firstEcho() time.Duration {
	least := l.c.Echo / 8
	part := time.Duration(binary.BigEndian.Uint16(l.random(2)))
	return least + (l.c.Echo-least)*part/(1<<16)
}

// layerDown is This-Layer-Down. Without LCP there is nothing above it.
func (l *Link) layerDown(y *layer) {
	if y != &l.lcp {
		if y.up {
			l.out.Events = append(l.out.Events, Event{Kind: NetworkDown, Protocol: y.carries()})
		}
		y.up = false
		return
	}
	l.phase = Establish
	if y.state < ReqSent {
		l.phase = Terminate
	}
	l.own, l.peer, l.echoDue = proof{}, proof{}, time.Time{}
	for _, ncp := range l.ncps() {
		if ncp.state > Starting {
			ncp.event(evDown, control{})
		}
	}
}

// layerFinished is This-Layer-Finished.
func (l *Link) layerFinished(y *layer) {
	if y != &l.lcp {
		l.stillNeeded()
		return
	}
	l.end("the peer does not answer")
}

// abandon gives a layer up of which the peer rejects what it cannot be without.
func (l *Link) abandon(y *layer) {
	if y == &l.lcp {
		l.close("the peer refuses to prove who it is")
		return
	}
	y.event(evClose, control{})
}

// stillNeeded closes a link that has no network protocol left.
func (l *Link) stillNeeded() {
	if l.phase != Network {
		return
	}
	for _, y := range l.ncps() {
		if y.state >= Closing {
			return
		}
	}
	l.close("the ends have no network protocol in common")
}

// close terminates LCP; the first reason is the one that is told.
func (l *Link) close(reason string) {
	if l.phase == Dead {
		return
	}
	if l.reason == "" {
		l.reason = reason
	}
	l.phase = Terminate
	l.lcp.event(evClose, control{})
	if l.lcp.state <= Stopped {
		l.end(reason)
	}
}

func (l *Link) end(reason string) {
	if l.phase == Dead {
		return
	}
	if l.reason == "" {
		l.reason = reason
	}
	l.phase = Dead
	l.counts.Disconnected++
	l.own, l.peer, l.echoDue, l.lcp.due = proof{}, proof{}, time.Time{}, time.Time{}
	l.out.Events = append(l.out.Events, Event{Kind: Ended, Reason: l.reason})
}

// ncps are the network protocols that this end wants.
func (l *Link) ncps() (wanted []*layer) {
	if l.c.IPv4 {
		wanted = append(wanted, &l.ipcp)
	}
	if l.c.IPv6 {
		wanted = append(wanted, &l.ipv6cp)
	}
	return wanted
}

// ncp is the one of a protocol number; nil: this end does not want it.
func (l *Link) ncp(proto Protocol) *layer {
	switch {
	case proto == IPCP && l.c.IPv4:
		return &l.ipcp
	case proto == IPv6CP && l.c.IPv6:
		return &l.ipv6cp
	}
	return nil
}

// carries is the protocol of the datagrams that an NCP is for: its number
// without the bit that makes it a control protocol.
func (y *layer) carries() Protocol { return y.proto &^ 0x8000 }
