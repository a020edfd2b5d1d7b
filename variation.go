package weir

import "math"

// Absolute is the distribution of the changes without their sign: the jitter
// of RFC 4689 section 3.2.5.
func (v Variation) Absolute() Histogram {
	var h Histogram
	h.Merge(v.Longer)
	h.Merge(v.Shorter)
	return h
}

// Quantile is the change of delay in seconds that a share q (0 to 1) of the
// frames did not exceed, negative where the delay shrank; NaN when there is
// none.
func (v Variation) Quantile(q float64) float64 {
	n := v.Shorter.N + v.Longer.N
	if n == 0 {
		return math.NaN()
	}
	rank := min(max(math.Ceil(q*float64(n)), 1), float64(n))
	if shrank := float64(v.Shorter.N); rank <= shrank {
		// The most negative changes come first.
		return -v.Shorter.Quantile((shrank - rank + 1) / shrank)
	}
	return v.Longer.Quantile((rank - float64(v.Shorter.N)) / float64(v.Longer.N))
}
