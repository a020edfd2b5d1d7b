package fib

import (
	"fmt"
	"net/netip"

	"weir"
)

// perPrefix is how many destinations one prefix can have: an address that no
// longer prefix covers always has 255 more behind it.
const perPrefix = 254

// MostDestinations is how many destinations the table of a set has.
func MostDestinations(set weir.RouteSet) int { return perPrefix * set.Count }

// Destinations are n addresses spread evenly over the table of a set, in its
// order: one in each prefix when n is its Count, one in every tenth when n is a
// tenth of it. The longest match of each is the prefix that it is meant for
// (RFC 3222). It is an error when the set is wrong, or n is not 1 to 254 for
// each prefix.
//
// Neighbours in the table are neighbours here, which is kind to the caches of
// the one who looks them up: send to them in another order.
func Destinations(set weir.RouteSet, n int) ([]netip.Addr, error) {
	keys, err := draw(set)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > MostDestinations(set) {
		return nil, fmt.Errorf("%d destinations in %d prefixes: it can be 1 to %d", n, len(keys), MostDestinations(set))
	}
	out := make([]netip.Addr, n)
	last, host := -1, uint64(0)
	for j := range out {
		i := int(int64(j) * int64(len(keys)) / int64(n))
		host++
		if i != last {
			last, host = i, 1
		}
		out[j] = addrOf(own(keys, i), host, set.Family)
	}
	return out, nil
}

// own is the first address of prefix i that no longer prefix of the table
// covers. There is one: the longest of those that would cover it all together
// would need its other half among them.
func own(keys []key, i int) uint64 {
	at := keys[i].first()
	for j := i + 1; j < len(keys) && keys[i].contains(keys[j]) && keys[j].first() <= at; j++ {
		at = max(at, keys[j].last()+1)
	}
	return at
}
