package pppoe

import (
	"bytes"
	"net/netip"
)

// Options of IPCP (RFC 1332 section 3.3, RFC 1877) and IPv6CP (RFC 5072 section
// 4.1). All others are rejected.
const (
	optionAddress = 3
	optionDNS1    = 129
	optionDNS2    = 131

	optionIdentifier = 1
)

func (l *Link) ipcpWishes() []wish {
	address := wish{kind: optionAddress, own: make([]byte, 4), needed: true, vital: true,
		judge: l.judgeAddress, adopt: l.adoptAddress}
	if l.c.Address.IsValid() {
		address.own = l.c.Address.AsSlice()
	}
	wishes := []wish{address}
	for i, kind := range []byte{optionDNS1, optionDNS2} {
		w := wish{kind: kind, adopt: adoptDNS, judge: func([]byte) []byte {
			if i >= len(l.c.DNS) {
				return nil
			}
			return l.c.DNS[i].AsSlice()
		}}
		if l.c.AskDNS {
			w.own = make([]byte, 4)
		}
		wishes = append(wishes, w)
	}
	return wishes
}

// judgeAddress accepts the address that the peer is to have, or, where this end
// gives none, any that it has.
func (l *Link) judgeAddress(asked []byte) []byte {
	switch a, ok := netip.AddrFromSlice(asked); {
	case l.remote.IsValid():
		return l.remote.AsSlice()
	case ok && a.Is4() && usable(a):
		return asked
	}
	return nil
}

// adoptAddress takes what the peer gives, where this end has no address of its
// own.
func (l *Link) adoptAddress(hint []byte) []byte {
	if a, ok := netip.AddrFromSlice(hint); ok && a.Is4() && usable(a) && !l.c.Address.IsValid() {
		return bytes.Clone(hint)
	}
	return l.ipcp.wish(optionAddress).own
}

func usable(a netip.Addr) bool {
	return !a.IsUnspecified() && !a.IsMulticast() && !a.IsLoopback() && a != netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

func adoptDNS(hint []byte) []byte {
	if a, ok := netip.AddrFromSlice(hint); ok && a.Is4() && usable(a) {
		return bytes.Clone(hint)
	}
	return nil
}

func (l *Link) ipv6cpWishes() []wish {
	own := l.c.Identifier
	if own == ([8]byte{}) {
		own = l.identifier64()
	}
	return []wish{{kind: optionIdentifier, own: own[:], needed: true, vital: true,
		judge: l.judgeIdentifier, adopt: l.adoptIdentifier}}
}

// identifier64 is random: its universal/local bit is zero (RFC 5072 section 4.1).
func (l *Link) identifier64() (id [8]byte) {
	l.c.Random(id[:])
	id[0] &^= 2
	id[7] |= 1 // never zero
	return id
}

// judgeIdentifier accepts what is not zero, not this end's, and not that of another peer.
func (l *Link) judgeIdentifier(asked []byte) []byte {
	own := l.ipv6cp.wish(optionIdentifier).own
	if len(asked) == 8 && !bytes.Equal(asked, own) && !bytes.Equal(asked, make([]byte, 8)) && (l.grant == nil || l.grant([8]byte(asked))) {
		return asked
	}
	if l.suggested == ([8]byte{}) || bytes.Equal(l.suggested[:], own) || bytes.Equal(l.suggested[:], asked) {
		l.suggested = l.identifier64()
	}
	return bytes.Clone(l.suggested[:])
}

// adoptIdentifier takes a hint, unless it is the one that this end gave: then
// both ends would have it, or they are the same.
func (l *Link) adoptIdentifier(hint []byte) []byte {
	if len(hint) == 8 && !bytes.Equal(hint, l.suggested[:]) && !bytes.Equal(hint, make([]byte, 8)) {
		return bytes.Clone(hint)
	}
	id := l.identifier64()
	return id[:]
}

// Agreed is what the ends have agreed on so far.
func (l *Link) Agreed() Agreed {
	mru := func(value []byte) uint16 {
		if value == nil {
			return min(defaultMRU, l.max)
		}
		return min(uint16(value[0])<<8|uint16(value[1]), l.max)
	}
	w := l.lcp.wish(optionMRU)
	a := Agreed{MRU: mru(w.peer), OwnMRU: mru(w.asked()), OwnProof: l.own.protocol, Auth: l.peer.protocol, User: l.user}
	if l.ipcp.state == Opened {
		a.Local, _ = netip.AddrFromSlice(l.ipcp.wish(optionAddress).own)
		a.Remote, _ = netip.AddrFromSlice(l.ipcp.wish(optionAddress).peer)
		for i, kind := range []byte{optionDNS1, optionDNS2} {
			if dns, ok := netip.AddrFromSlice(l.ipcp.wish(kind).asked()); ok && usable(dns) {
				a.DNS[i] = dns
			}
		}
	}
	if l.ipv6cp.state == Opened {
		copy(a.LocalID[:], l.ipv6cp.wish(optionIdentifier).own)
		copy(a.RemoteID[:], l.ipv6cp.wish(optionIdentifier).peer)
	}
	return a
}

// asked is what this end asks for, nil when nothing.
func (w *wish) asked() []byte {
	if w.rejected {
		return nil
	}
	return w.own
}
