package sweep

import "math"

// What is known beforehand of a machine that others share, in terms of how much
// the saturated rates of its blocks scatter (of the standard deviation of their
// logarithms). Measured with 65 benches of a minute, blocks of which scatter by
// 10 to 18 %: their rounds, a quarter of a minute apart, by 9 %, and the benches,
// beyond what their rounds explain, by 6 to 10 %.
const (
	sharedRounds  = .6 // deviation of rounds
	sharedFreedom = 3  // how many more rounds that is worth
	sharedMinutes = .5 // deviation of the minute in which all rounds are from the hour

	// What blocks scatter by where fewer than that say it (degrees of freedom).
	sharedScatter = .12
	sharedKnown   = 3
)

// spans makes an interval of the logarithm of a rate: of its standard errors from
// blocks, drawn by neighbours and apart, of how far the wave that they show may
// have taken all of them, of the logarithms of the rounds, and of how much the
// blocks of a machine that others share scatter (0: nobody shares it).
//
// The outer interval is the widest one of what blocks say that were independent,
// of the wave, and of Student's t over the rounds. A pass of two seconds does not
// know the minute, which rounds apart in time do; of rounds at once after each
// other only the wave in their blocks tells that they are alike.
//
// Two or three rounds say little of their own spread: two that happen to agree
// claim to know the rate to one per cent, two that do not leave it open by a factor.
// Of a machine that is shared, how far rounds differ is known beforehand, and counts
// as rounds do (a conjugate prior of the variance: Gelman and others, "Bayesian
// Data Analysis", section 2.6); the minute that they have in common comes to that.
func spans(value, then, blocks, wander float64, freedom int, rounds []float64, shared float64) Interval {
	inner := critical(freedom) * then
	outer := max(inner, critical(freedom)*blocks, wander)
	low, high := value-outer, value+outer
	if n := len(rounds); n > 1 || n == 1 && shared > 0 {
		free, variance, minute := n-1, spread(rounds)*spread(rounds), 0.
		if shared > 0 {
			free += sharedFreedom
			variance = (float64(n-1)*variance + sharedFreedom*math.Pow(sharedRounds*shared, 2)) / float64(free)
			minute = sharedMinutes * shared
		}
		half := critical(free) * math.Sqrt(variance/float64(n)+minute*minute)
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
