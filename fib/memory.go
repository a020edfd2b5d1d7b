package fib

import "weir"

// What a route takes of the kernel's memory, in octets, rounded up. Linux 6.18
// took 150 to 170 for one of a million IPv4 routes and 760 for one of 200,000
// IPv6 routes. Of an IPv6 route each CPU that forwards to it keeps a copy of a
// quarter of a kilooctet; there is room for three.
const (
	octets4 = 200
	octets6 = 1600
)

// spoken is what a route takes beside the kernel where it is learnt through BGP:
// in the daemon, in its neighbour and in what makes the announcements. A table of
// 200,000 took 180 MB in all.
const spoken = 800

// Memory estimates what the table of a set takes of a machine's memory, in
// octets: of its Linux kernel, and of who speaks BGP where it is learnt so.
func Memory(set weir.RouteSet) uint64 {
	each := uint64(octets4)
	if set.Family == weir.IPv6 {
		each = octets6
	}
	if set.Via == weir.ViaBGP {
		each += spoken
	}
	return uint64(set.Count) * each
}
