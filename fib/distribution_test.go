package fib

import (
	"slices"
	"testing"

	"weir"
)

// The distribution is that of the prefixes themselves.
func TestDistribution(t *testing.T) {
	for _, set := range []weir.RouteSet{{Family: weir.IPv4, Count: 5000, Seed: 1}, {Family: weir.IPv6, Count: 300, Seed: 7}} {
		prefixes, err := Prefixes(set)
		if err != nil {
			t.Fatal(err)
		}
		counts := make(map[int]int)
		for _, p := range prefixes {
			counts[p.Bits()]++
		}
		lengths := Lengths(set)
		for _, l := range lengths {
			if counts[l.Bits] != l.Count {
				t.Errorf("%s: %d prefixes of /%d, and there are %d", set.Family, l.Count, l.Bits, counts[l.Bits])
			}
		}
		if len(lengths) != len(counts) || !slices.IsSortedFunc(lengths, func(a, b Length) int { return a.Bits - b.Bits }) {
			t.Errorf("%s: %v for %v", set.Family, lengths, counts)
		}
	}
	if Lengths(weir.RouteSet{}) != nil {
		t.Error("no table has a distribution")
	}
}
