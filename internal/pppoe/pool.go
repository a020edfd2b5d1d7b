package pppoe

import "net/netip"

// Pool are the addresses that a concentrator gives to its clients.
type Pool struct {
	first netip.Addr
	size  int
	next  int // where the search goes on, so that an address rests before it is given again
	used  map[netip.Addr]bool
}

// NewPool has size addresses from first on, an IPv4 address. With none, users
// have those that their secrets name.
func NewPool(first netip.Addr, size int) *Pool {
	return &Pool{first: first, size: size, used: make(map[netip.Addr]bool)}
}

// Take gives an address, the wanted one if it is valid. It gives none when all
// are in use, or the wanted one is.
func (p *Pool) Take(wanted netip.Addr) (netip.Addr, bool) {
	if wanted.IsValid() {
		if p.used[wanted] {
			return netip.Addr{}, false
		}
		p.used[wanted] = true
		return wanted, true
	}
	for range p.size {
		a := p.at(p.next)
		p.next = (p.next + 1) % p.size
		if !p.used[a] {
			p.used[a] = true
			return a, true
		}
	}
	return netip.Addr{}, false
}

// Give takes an address back.
func (p *Pool) Give(a netip.Addr) { delete(p.used, a) }

func (p *Pool) at(i int) netip.Addr {
	b := p.first.As4()
	n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	n += uint32(i)
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
}
