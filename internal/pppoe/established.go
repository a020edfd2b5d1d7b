package pppoe

import (
	"iter"
	"net/netip"
)

// Established is a session of many: who its ends are, and what they have agreed on, as
// the one who lists it sees it.
type Established struct {
	Client, Concentrator MAC
	ID                   uint16
	Agreed               Agreed
}

// Each is each session of which a network protocol is up, in no order.
func (c *Concentrator) Each() iter.Seq[Established] {
	return func(yield func(Established) bool) {
		for _, s := range c.timers {
			if s.link.ipcp.state != Opened && s.link.ipv6cp.state != Opened {
				continue
			}
			if !yield(Established{Client: s.peer, Concentrator: s.own, ID: s.id, Agreed: s.link.Agreed()}) {
				return
			}
		}
	}
}

// Address6 is the address of an interface identifier in a network of 64 bits.
func Address6(network netip.Addr, identifier [8]byte) netip.Addr {
	a := network.As16()
	copy(a[8:], identifier[:])
	return netip.AddrFrom16(a)
}
