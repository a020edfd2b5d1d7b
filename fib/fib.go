package fib

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"

	"weir"
)

// The largest tables, about today's Internet.
const (
	MaxIPv4 = 1_000_000
	MaxIPv6 = 200_000
)

// Prefixes is the table of a set: distinct prefixes, sorted by address and then
// by length, with the lengths of the Internet's. It is an error when the set
// has no family, or its Count is not 1 to MaxIPv4 or MaxIPv6.
//
// No two of them are the halves of one shorter prefix, so that they cannot be
// merged into it where all have the same next hop (RFC 3222). As in the
// Internet, many lie within a shorter one; no prefix is wholly covered by
// longer ones.
func Prefixes(set weir.RouteSet) ([]netip.Prefix, error) {
	keys, err := draw(set)
	if err != nil {
		return nil, err
	}
	table := make([]netip.Prefix, len(keys))
	for i, k := range keys {
		table[i] = netip.PrefixFrom(k.addr(set.Family), k.bits())
	}
	return table, nil
}

// Check reports what is wrong with a set.
func Check(set weir.RouteSet) error {
	limit := MaxIPv4
	switch set.Family {
	case weir.IPv4:
	case weir.IPv6:
		limit = MaxIPv6
	default:
		return fmt.Errorf("routes need a family, ipv4 or ipv6, not %q", set.Family)
	}
	if set.Count < 1 || set.Count > limit {
		return fmt.Errorf("%d %s routes: it can be 1 to %d", set.Count, set.Family, limit)
	}
	return nil
}

// draw makes the sorted keys of a set. Short prefixes come first, so that
// longer ones find one to lie in.
func draw(set weir.RouteSet) ([]key, error) {
	if err := Check(set); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(set.Seed, uint64(len(set.Family))<<32|uint64(set.Family[3])))
	from, not := keysOf(pools[set.Family]), martianKeys(set.Family)
	keys := make([]key, 0, set.Count)
	seen := make(map[key]bool, set.Count)
	for _, want := range quotas(set) {
		shorter := len(keys)
		for range want.count {
			k := drawOne(rng, want.bits, keys[:shorter], from)
			for seen[k] || seen[k.sibling()] || overlaps(k, not) {
				k = drawOne(rng, want.bits, keys[:shorter], from)
			}
			seen[k] = true
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// drawOne draws a prefix of a length, in one of the shorter ones or anywhere in
// the pools.
func drawOne(rng *rand.Rand, bits int, shorter, pools []key) key {
	in := pools[rng.IntN(len(pools))]
	if len(shorter) > 0 && rng.Float64() < nested {
		in = shorter[rng.IntN(len(shorter))]
	}
	return in.within(rng.Uint64(), bits)
}

// quotas are how many prefixes of each length a set has: its count divided as
// the table of lengths says, with the remainders going to those that come
// nearest to one more.
func quotas(set weir.RouteSet) []share {
	lengths := lengths4
	if set.Family == weir.IPv6 {
		lengths = lengths6
	}
	total := 0
	for _, s := range lengths {
		total += s.count
	}
	out := make([]share, len(lengths))
	order := make([]int, len(lengths))
	left := set.Count
	for i, s := range lengths {
		out[i] = share{s.bits, set.Count * s.count / total}
		left -= out[i].count
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return set.Count*lengths[b].count%total - set.Count*lengths[a].count%total
	})
	for _, i := range order[:left] {
		out[i].count++
	}
	return out
}

func overlaps(k key, others []key) bool {
	for _, o := range others {
		if k.first() <= o.last() && o.first() <= k.last() {
			return true
		}
	}
	return false
}

func martianKeys(family weir.Family) []key {
	if family != weir.IPv4 {
		return nil // the pools have none
	}
	return keysOf(martians)
}
