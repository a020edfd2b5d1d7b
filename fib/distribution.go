package fib

import "weir"

// Length is how many prefixes of a table have a length.
type Length struct {
	Bits  int // of the prefixes
	Count int // of them
}

// Lengths is the distribution of the prefix lengths of a set's table (RFC 3222
// section 5.7), the shortest first, without those of which there is none; nil
// for a set that Check refuses.
func Lengths(set weir.RouteSet) []Length {
	if Check(set) != nil {
		return nil
	}
	var out []Length
	for _, q := range quotas(set) {
		if q.count > 0 {
			out = append(out, Length{Bits: q.bits, Count: q.count})
		}
	}
	return out
}
