package fib

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"testing"

	"weir"
)

func table(t testing.TB, set weir.RouteSet) []netip.Prefix {
	t.Helper()
	prefixes, err := Prefixes(set)
	if err != nil {
		t.Fatal(err)
	}
	if len(prefixes) != set.Count {
		t.Fatalf("%d prefixes, want %d", len(prefixes), set.Count)
	}
	return prefixes
}

// sets are tables of several sizes.
var sets = []weir.RouteSet{
	{Family: weir.IPv4, Count: 1, Seed: 3},
	{Family: weir.IPv4, Count: 1000, Seed: 1},
	{Family: weir.IPv4, Count: 200_000, Seed: 2},
	{Family: weir.IPv6, Count: 1, Seed: 3},
	{Family: weir.IPv6, Count: 50_000, Seed: 7},
}

// compare is the order of a table, which netip keeps to itself.
func compare(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}

func TestPrefixes(t *testing.T) {
	var never []netip.Prefix
	for _, m := range append([]string{"2001::/16", "fc00::/7", "fe80::/10", "ff00::/8", "3fff::/20"}, martians...) {
		never = append(never, netip.MustParsePrefix(m))
	}
	for _, set := range sets {
		prefixes := table(t, set)
		seen := make(map[netip.Prefix]bool, len(prefixes))
		for i, p := range prefixes {
			if p != p.Masked() || p.Addr().Is4() != (set.Family == weir.IPv4) {
				t.Fatalf("%v is no prefix of %s", p, set.Family)
			}
			if i > 0 && compare(prefixes[i-1], p) >= 0 {
				t.Fatalf("%v comes after %v", p, prefixes[i-1])
			}
			for _, m := range never {
				if p.Overlaps(m) {
					t.Fatalf("%v overlaps %v", p, m)
				}
			}
			seen[p] = true
		}
		for _, p := range prefixes {
			whole := netip.PrefixFrom(p.Addr(), p.Bits()-1).Masked()
			half := netip.PrefixFrom(whole.Addr(), p.Bits())
			if half != p && seen[half] {
				t.Fatalf("%v and %v merge into %v", half, p, whole)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	for _, set := range []weir.RouteSet{{Family: weir.IPv4, Count: 200_000}, {Family: weir.IPv6, Count: 50_000}} {
		bits := make(map[int]float64)
		mean := 0.0
		for _, p := range table(t, set) {
			bits[p.Bits()] += 1 / float64(set.Count)
			mean += float64(p.Bits()) / float64(set.Count)
		}
		// What the Internet's tables are known for.
		known := map[int]float64{24: 0.64, 23: 0.105, 22: 0.103, 21: 0.05, 16: 0.012}
		if set.Family == weir.IPv6 {
			known = map[int]float64{48: 0.474, 32: 0.119, 44: 0.092, 40: 0.084, 36: 0.042}
			if math.Abs(mean-42.84) > 0.1 {
				t.Errorf("the mean IPv6 prefix is /%.2f, want /42.84", mean)
			}
		}
		for length, share := range known {
			if math.Abs(bits[length]-share) > 0.005 {
				t.Errorf("%s: %.1f %% are /%d, want %.1f %%", set.Family, 100*bits[length], length, 100*share)
			}
		}
	}
}

func TestSeed(t *testing.T) {
	set := weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1}
	first, again := table(t, set), table(t, set)
	if !slices.Equal(first, again) {
		t.Error("one seed has two tables")
	}
	set.Seed = 2
	if slices.Equal(first, table(t, set)) {
		t.Error("two seeds have one table")
	}
}

// match looks an address up as a router does.
func match(prefixes map[netip.Prefix]bool, a netip.Addr) netip.Prefix {
	for bits := a.BitLen(); bits >= 0; bits-- {
		if p := netip.PrefixFrom(a, bits).Masked(); prefixes[p] {
			return p
		}
	}
	return netip.Prefix{}
}

func TestDestinations(t *testing.T) {
	for _, set := range sets {
		prefixes := table(t, set)
		lookup := make(map[netip.Prefix]bool, len(prefixes))
		covered := 0
		for _, p := range prefixes {
			lookup[p] = true
		}
		all, err := Destinations(set, set.Count)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range all {
			if got := match(lookup, a); got != prefixes[i] {
				t.Fatalf("%v is meant for %v and goes to %v", a, prefixes[i], got)
			}
			if a != prefixes[i].Addr().Next() {
				covered++ // a longer one begins where it does
			}
		}
		if set.Count > 1000 && covered == 0 {
			t.Errorf("%v: no prefix begins with a longer one; the test asks for nothing", set)
		}
	}
}

func TestSpread(t *testing.T) {
	set := weir.RouteSet{Family: weir.IPv4, Count: 1000, Seed: 1}
	prefixes := table(t, set)
	few, err := Destinations(set, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range few {
		if !prefixes[100*i].Contains(a) {
			t.Errorf("destination %d, %v, is not in prefix %d, %v", i, a, 100*i, prefixes[100*i])
		}
	}
	many, err := Destinations(set, 5500)
	if err != nil {
		t.Fatal(err)
	}
	lookup, count := make(map[netip.Prefix]bool), make(map[netip.Prefix]int)
	for _, p := range prefixes {
		lookup[p] = true
	}
	seen := make(map[netip.Addr]bool)
	for _, a := range many {
		if seen[a] {
			t.Fatalf("%v is there twice", a)
		}
		seen[a] = true
		count[match(lookup, a)]++
	}
	for _, p := range prefixes {
		if n := count[p]; n != 5 && n != 6 {
			t.Fatalf("%v has %d of 5500 destinations", p, n)
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, set := range []weir.RouteSet{
		{}, {Family: "ipx", Count: 1}, {Family: weir.IPv4}, {Family: weir.IPv4, Count: -1},
		{Family: weir.IPv4, Count: MaxIPv4 + 1}, {Family: weir.IPv6, Count: MaxIPv6 + 1},
	} {
		if _, err := Prefixes(set); err == nil {
			t.Errorf("%v is a table", set)
		}
	}
	one := weir.RouteSet{Family: weir.IPv4, Count: 1}
	for _, n := range []int{0, -1, perPrefix + 1} {
		if _, err := Destinations(one, n); err == nil {
			t.Errorf("one prefix has %d destinations", n)
		}
	}
}

func BenchmarkPrefixes(b *testing.B) {
	for _, set := range []weir.RouteSet{{Family: weir.IPv4, Count: MaxIPv4}, {Family: weir.IPv6, Count: MaxIPv6}} {
		b.Run(string(set.Family), func(b *testing.B) {
			for b.Loop() {
				table(b, set)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	for set, want := range map[weir.RouteSet]uint64{
		{Family: weir.IPv4, Count: 1000}:                   200_000,
		{Family: weir.IPv6, Count: 1000}:                   1_600_000,
		{Family: weir.IPv4, Count: 1000, Via: weir.ViaBGP}: 1_000_000,
	} {
		if got := Memory(set); got != want {
			t.Errorf("%+v takes %d octets, want %d", set, got, want)
		}
	}
}
