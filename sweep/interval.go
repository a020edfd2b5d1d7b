package sweep

import "math"

// spans makes an interval of the logarithm of a rate: of its standard errors from
// blocks, drawn by neighbours and apart, of how far the wave that they show may
// have taken all of them, and of the logarithms of the rounds.
//
// The outer interval is the widest one of what blocks say that were independent,
// of the wave, and of Student's t over the rounds. A pass of two seconds does not
// know the minute, which rounds apart in time do; of rounds at once after each
// other only the wave in their blocks tells that they are alike.
func spans(value, then, blocks, wander float64, freedom int, rounds []float64) Interval {
	inner := critical(freedom) * then
	outer := max(inner, critical(freedom)*blocks, wander)
	low, high := value-outer, value+outer
	if n := len(rounds); n > 1 {
		half := critical(n-1) * spread(rounds) / math.Sqrt(float64(n))
		low, high = min(low, value-half), max(high, value+half)
		for _, r := range rounds {
			low, high = min(low, r), max(high, r)
		}
	}
	return Interval{
		Value: math.Exp(value),
		Lower: power(low), Upper: power(high),
		LowerThen: power(value - inner), UpperThen: power(value + inner),
	}
}

// power is the value with that logarithm, a finite one.
func power(l float64) float64 { return min(math.Exp(l), math.MaxFloat64) }

// uneven reports whether rounds differ by more than their blocks explain, at one
// of a hundred, by the ratio of the variances.
func uneven(blocks float64, rounds []float64) bool {
	n := len(rounds)
	if n < 2 {
		return false
	}
	// The error of one round is that of all times the root of their number.
	// chi-square / freedom of 2 exceeds 4.6 in one of a hundred cases.
	limit := map[int]float64{2: 6.6, 3: 4.6, 4: 3.8}[n]
	if limit == 0 {
		limit = 3.3
	}
	s := spread(rounds)
	return s > .01 && s*s > limit*blocks*blocks*float64(n)
}
