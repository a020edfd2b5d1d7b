package fib

import "weir"

// share is how many prefixes of a length a table has, among all of its shares.
type share struct {
	bits  int
	count int
}

// lengths4 are the prefixes of the IPv4 Internet by length. /16 to /24 are
// those that route collectors of RIPE RIS saw in September 2026, of 1.15
// million prefixes. /8 to /15 are rounded from the weekly Routing Table Report
// (thyme.apnic.net) of earlier years: they are few, and change little. Longer
// ones are filtered by most networks and left out.
var lengths4 = []share{
	{8, 16}, {9, 14}, {10, 40}, {11, 100}, {12, 300}, {13, 580}, {14, 1200}, {15, 2100},
	{16, 13979}, {17, 8682}, {18, 14046}, {19, 26750}, {20, 48463}, {21, 57238},
	{22, 118339}, {23, 121088}, {24, 734899},
}

// lengths6 are those of the IPv6 Internet, in thousandths. They are an
// approximation: the shares of /48, /44, /40, /36, /32 and /29 are rounded
// figures of the years 2024 and 2025, those between them are smoothed. The mean
// length is that of the table of AS131072 on 7 March 2025 (bgp.potaroo.net):
// 42.84 over 219,475 prefixes.
var lengths6 = []share{
	{20, 1}, {22, 1}, {24, 2}, {26, 1}, {27, 1}, {28, 5}, {29, 22}, {30, 4}, {31, 3},
	{32, 119}, {33, 10}, {34, 9}, {35, 6}, {36, 42}, {37, 5}, {38, 12}, {39, 5},
	{40, 84}, {41, 4}, {42, 26}, {43, 8}, {44, 92}, {45, 12}, {46, 30}, {47, 22}, {48, 474},
}

// nested is the share of prefixes that lie within a shorter one of the table:
// 57 % of the IPv6 table above. The IPv4 table has about as many.
const nested = 0.57

// pools are where prefixes come from. That of IPv6 is what the registries give
// out, without 2001::/16, in which the networks for tests and documents lie.
var pools = map[weir.Family][]string{
	weir.IPv4: {"0.0.0.0/0"},
	weir.IPv6: {"2400::/12", "2600::/12", "2800::/12", "2a00::/12", "2c00::/12"},
}

// martians are networks that are not, or not everywhere, routed (RFC 6890), and
// multicast. Those that labs use are among them.
var martians = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
}
