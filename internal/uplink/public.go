package uplink

import "net/netip"

// Asked are public addresses all over both address families, for asking the kernel
// which port it takes.
var Asked = []netip.Addr{
	netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("80.81.192.1"),
	netip.MustParseAddr("130.89.1.1"), netip.MustParseAddr("193.0.14.129"), netip.MustParseAddr("216.58.212.1"),
	netip.MustParseAddr("2001:4860::1"), netip.MustParseAddr("2400:cb00::1"), netip.MustParseAddr("2a00:1450::1"),
}

// local are networks that no router of the Internet forwards to (RFC 6890 and its
// registries), with those for benchmarks (RFC 2544, RFC 5180).
var local = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/3"),
	netip.MustParsePrefix("2001:2::/48"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("3fff::/20"),
}

// global is what of IPv6 is public (RFC 4291 section 2.4).
var global = netip.MustParsePrefix("2000::/3")

// Public reports whether a network has public addresses in it.
func Public(p netip.Prefix) bool {
	if !p.IsValid() || p.Addr().Is6() && !p.Overlaps(global) {
		return false
	}
	for _, l := range local {
		if l.Bits() <= p.Bits() && l.Contains(p.Addr()) {
			return false
		}
	}
	return true
}
