package dut

import (
	"context"
	"fmt"
	"net/netip"

	"weir"
	"weir/internal/settings"
)

const (
	filterTable = "weir_filter"
	// maxFilters is how many different deny rules there are in a test network.
	maxFilters = 10_000
	// denyRow is how many rules have the addresses of RFC 2544 section 11.4.1,
	// n.n to 100+n.n; it has 24 of them.
	denyRow = 155
)

// filters is a number of filter rules as a firewall: all but the last deny frames between
// addresses at one port, which no test frame has, the last permits, and what is left is
// denied. So is a stateless one. Section 11.4 wants that many conditions to be checked before
// a frame is forwarded, though the list of 11.4.1 has the permit in the middle.
func filters(rules int) (weir.Firewall, error) {
	if rules < 1 || rules > maxFilters {
		return weir.Firewall{}, weir.Wrong("%d filters", rules).Advise("it can be 1 to %d", maxFilters)
	}
	return weir.Firewall{Kind: weir.Stateless, Rules: rules - 1}, nil
}

// Filter puts the rules into a table of their own, beside that of a firewall.
func (linux) Filter(ctx context.Context, d weir.DUT, s Setup, rules int, anywhere bool) (func(context.Context) error, error) {
	firewall, err := filters(rules)
	if err != nil {
		return nil, err
	}
	undo := settings.Undo{Journal: s.Journal}
	if err := loadNFT(ctx, d, newRuleset(d, s, firewall, anywhere), filterTable, &undo); err != nil {
		return nil, fmt.Errorf("%d filters: %w", rules, err)
	}
	return undo.Run, nil
}

// networks are those of a family that lie behind the tester's ports.
func (s Setup) networks(is4 bool) []netip.Prefix {
	var out []netip.Prefix
	for _, port := range s.Route {
		for _, n := range port {
			if n.Addr().Is4() == is4 {
				out = append(out, n)
			}
		}
	}
	return out
}

// denied are the addresses of deny rule n, from 1: in 198.18.0.0/16 they are
// 198.18.n.n to 198.18.100+n.n, and further on in the same way.
func denied(network netip.Addr, n int) (from, to netip.Addr) {
	row, further := (n-1)%denyRow+1, (n-1)/denyRow
	return node(network, row, row+further), node(network, 100+row, row+further)
}

// node is an address of a network by its last two numbers.
func node(network netip.Addr, high, low int) netip.Addr {
	a := network.AsSlice()
	if network.Is4() {
		a[2], a[3] = byte(high), byte(low)
	} else {
		a[13], a[15] = byte(high), byte(low)
	}
	out, _ := netip.AddrFromSlice(a)
	return out
}

// filtered reads what the filters dropped.
func filtered(ctx context.Context, _ weir.DUT, s Setup, named *nftCounters) ([]weir.Drop, error) {
	var drops []weir.Drop
	for _, f := range []struct{ family, name string }{{"ip", "IPv4"}, {"ip6", "IPv6"}} {
		if len(s.networks(f.family == "ip")) == 0 {
			continue
		}
		counters, err := named.of(ctx, f.family, filterTable)
		if err != nil {
			return nil, err
		}
		for _, c := range counters {
			drops = append(drops, weir.Drop{Place: "dut " + f.name + " filters " + c.Name, Count: c.Packets, Kind: weir.DropDenied})
		}
	}
	return drops, nil
}
