package dut

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

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

// Filter puts the rules into the forward hook, in a table of its own for each
// family, so that no frame is held against rules of the other one. The permit
// is the last of them: section 11.4 wants that many conditions to be checked
// before a frame is forwarded, though the list of 11.4.1 has it in the middle.
// Like there, all else is denied.
func (linux) Filter(ctx context.Context, d weir.DUT, s Setup, rules int, anywhere bool) (func(context.Context) error, error) {
	if rules < 1 || rules > maxFilters {
		return nil, fmt.Errorf("%d filters: it can be 1 to %d", rules, maxFilters)
	}
	var script, remove strings.Builder
	for _, family := range []string{"ip", "ip6"} {
		networks := s.networks(family == "ip")
		if len(networks) == 0 {
			continue
		}
		others := ""
		if s.InService {
			others = nftOthers(portNames(d))
		}
		writeFilters(&script, family, others, networks, rules, anywhere)
		fmt.Fprintf(&remove, "delete table %s %s\n", family, filterTable)
	}
	undo := settings.Undo{Journal: s.Journal}
	if err := undo.Do(ctx, d.Host, nft(script.String()), nft(remove.String())); err != nil {
		return nil, fmt.Errorf("filter with nftables (Debian package nftables): %w", err)
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

// writeFilters writes the table of one family: rules - 1 that deny frames
// between addresses at one port, which no test frame has, then the permit. others is a
// rule before them.
func writeFilters(b *strings.Builder, family, others string, networks []netip.Prefix, rules int, anywhere bool) {
	fmt.Fprintf(b, "table %s %s {\n  counter denied { }\n  chain forward {\n", family, filterTable)
	b.WriteString("    type filter hook forward priority 0; policy accept;\n" + others)
	for n := 1; n < rules; n++ {
		from, to := denied(networks[0].Addr(), n)
		fmt.Fprintf(b, "    %s saddr %s %s daddr %s counter name denied drop\n", family, from, family, to)
	}
	var list []string
	for _, n := range networks {
		list = append(list, n.String())
	}
	set := "{ " + strings.Join(list, ", ") + " }"
	fmt.Fprintf(b, "    %s saddr %s", family, set)
	if !anywhere {
		fmt.Fprintf(b, " %s daddr %s", family, set)
	}
	b.WriteString(" accept\n    counter name denied drop\n  }\n}\n")
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
			drops = append(drops, weir.Drop{Place: "dut " + f.name + " filters " + c.Name, Count: c.Packets})
		}
	}
	return drops, nil
}
