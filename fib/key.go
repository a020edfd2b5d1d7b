package fib

import (
	"encoding/binary"
	"net/netip"

	"weir"
)

// key is a prefix in one word: the first 48 bits of its address, then 8 bits
// for its length. Keys sort as prefixes do, and much faster.
type key uint64

// width is how many bits of an address a key holds: no prefix is longer.
const width = 48

func keyFrom(value uint64, bits int) key { return key(value<<8 | uint64(bits)) }

func keysOf(prefixes []string) []key {
	out := make([]key, len(prefixes))
	for i, text := range prefixes {
		p := netip.MustParsePrefix(text)
		var octets [8]byte
		copy(octets[:width/8], p.Addr().AsSlice())
		out[i] = keyFrom(binary.BigEndian.Uint64(octets[:])>>(64-width), p.Bits())
	}
	return out
}

// bits is the length of the prefix.
func (k key) bits() int { return int(k & 0xff) }

// first and last are the ends of the prefix, as addresses of 48 bits.
func (k key) first() uint64 { return uint64(k >> 8) }
func (k key) last() uint64  { return k.first() | k.mask() }

// mask has the bits of an address that are the prefix's own to use.
func (k key) mask() uint64 { return 1<<(width-k.bits()) - 1 }

// sibling is the other half of the prefix that is one bit shorter.
func (k key) sibling() key { return keyFrom(k.first()^(k.mask()+1), k.bits()) }

// contains reports whether o lies within k.
func (k key) contains(o key) bool { return o.first() >= k.first() && o.last() <= k.last() }

// within is a prefix of a length in k, chosen by a random number.
func (k key) within(random uint64, bits int) key {
	longer := keyFrom(0, bits).mask()
	return keyFrom(k.first()|random&k.mask()&^longer, bits)
}

// addr is the first address of the prefix.
func (k key) addr(family weir.Family) netip.Addr { return addrOf(k.first(), 0, family) }

// addrOf is the address of 48 bits, and of a number of hosts after it.
func addrOf(value, host uint64, family weir.Family) netip.Addr {
	if family == weir.IPv4 {
		var a [4]byte
		binary.BigEndian.PutUint32(a[:], uint32(value>>(width-32))+uint32(host))
		return netip.AddrFrom4(a)
	}
	var a [16]byte
	binary.BigEndian.PutUint64(a[:8], value<<(64-width))
	binary.BigEndian.PutUint64(a[8:], host)
	return netip.AddrFrom16(a)
}
