package stats

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactFlips is the number of blocks up to which all signs are tried: 2^12 of
// them take no time.
const exactFlips = 12

// flips is the probability, both sides together, of a mean of differences as
// far from 0 as theirs when each could as well have the other sign, as it could
// if the two arms of its block were the same. Beyond exactFlips the sum of so
// many signs is taken to be normal.
func flips(d []float64) float64 {
	sum, squares, size := 0.0, 0.0, 0.0
	for _, v := range d {
		sum += v
		squares += v * v
		size += math.Abs(v)
	}
	if squares == 0 {
		return 1
	}
	if len(d) > exactFlips {
		return min(1, 2*distuv.UnitNormal.CDF(-math.Abs(sum)/math.Sqrt(squares)))
	}
	// Signs in the order of Gray's code: each step turns one of them.
	limit := math.Abs(sum) - 1e-9*size // beyond the rounding of 2^12 sums
	far, all := 0, 1<<len(d)
	sign := make([]float64, len(d))
	for i := range sign {
		sign[i] = 1
	}
	s := sum
	for k := 1; k <= all; k++ {
		if math.Abs(s) >= limit {
			far++
		}
		if k < all {
			i := bits.TrailingZeros(uint(k))
			s -= 2 * sign[i] * d[i]
			sign[i] = -sign[i]
		}
	}
	return float64(far) / float64(all)
}
