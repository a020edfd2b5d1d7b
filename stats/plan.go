package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// usualPower is how often an effect of the size that a plan was made for is
// seen, where nothing else is asked for.
const usualPower = 0.8

// Runs is how many blocks, each with every arm once, let a relative change of
// detect be told from 0 in a share power of cases (0: 0.8), with the confidence
// (0: 0.95), when runs of one arm within a block have the relative deviation.
// It is at least FewestRuns and at most MostRuns, which also is the answer
// where detect is 0. That the deviation is known is taken for granted: with one
// from a pilot, see Pilot.
func Runs(deviation, detect, confidence, power float64) int {
	alpha := Options{Confidence: confidence}.alpha()
	if power == 0 {
		power = usualPower
	}
	s, d := logDeviation(deviation), math.Log1p(detect)
	return fewest(func(n int) bool {
		return chance(d, s*math.Sqrt(2/float64(n)), float64(n-1), alpha) >= power
	})
}

// Pilot is what is known before the number of blocks is chosen: the first
// blocks of the campaign, which count with those that follow.
type Pilot struct {
	Deviation  float64 // Comparison.Deviation of its blocks; the largest one where there are several comparisons
	Freedom    float64 // Comparison.Freedom, likewise
	Blocks     int     // that it has
	Arms       int     // of a block, the A/A among them
	Effects    int     // that will be judged together, of all comparisons: Holm's limits for the first of them; 0: 1
	Same       bool    // whether there is an A/A, which vetoes all in 1 - Confidence of cases even though nothing is wrong
	Detect     float64 // the smallest relative change that matters
	Confidence float64 // 0: 0.95
	Power      float64 // how often a change of Detect is to be proven; 0: 0.8
}

// Needed is how many blocks, those of the pilot among them, prove a change of
// Detect in a share Power of campaigns. A pilot may by chance show less noise
// than there is: the number is raised so that the share holds on the average
// over the pilots that there might have been. It is at least FewestRuns and twice
// the pilot's own number, and at most MostRuns, which also is the answer where
// nothing can be known.
//
// Where noise comes in waves, how much runs differ within a block depends on
// whether a wave broke there: a pilot saw as many noises as it has blocks, and
// its degrees of freedom are counted as one less than that at most. At least half
// of the blocks are not the pilot's: a campaign that ends because its pilot was
// quiet would take that quiet for all there is, and its intervals be too narrow.
//
// Of a normal Z and the pilot's deviation s1 with f degrees of freedom,
// campaigns that continue until detect / error = c * sigma / s1 prove the effect
// when Z + t < c * s1 / sigma, t being the limit of the test. So c is the
// Power-quantile of the noncentral t with f degrees of freedom and the
// noncentrality t.
func Needed(p Pilot) int {
	alpha := Options{Confidence: p.Confidence}.alpha()
	want := p.Power
	if want == 0 {
		want = usualPower
	}
	if p.Same {
		want = min(want/(1-alpha), (1+want)/2)
	}
	least := max(FewestRuns, 2*p.Blocks)
	freedom := p.Freedom
	if p.Blocks > 1 {
		freedom = min(freedom, float64(p.Blocks-1))
	}
	if !(p.Freedom >= 1) || !(p.Detect > 0) || p.Arms < 2 {
		return MostRuns
	}
	variance := 2. // of a run and that of the baseline beside it
	if p.Same {
		variance = 1.5 // of a run and the mean of two
	}
	s, d := logDeviation(p.Deviation), math.Log1p(p.Detect)
	return min(MostRuns, max(least, fewest(func(n int) bool {
		if s < nothing {
			return true
		}
		reach := d / (s * math.Sqrt(variance/float64(n)))
		limit := critical(alpha/float64(max(p.Effects, 1)), float64(n-1))
		return reach > limit && noncentral(reach, freedom, limit) >= want
	})))
}

// fewest is the least number of runs from FewestRuns to MostRuns that is enough;
// MostRuns where none is.
func fewest(enough func(n int) bool) int {
	return FewestRuns + sort.Search(MostRuns-FewestRuns, func(i int) bool { return enough(FewestRuns + i) })
}

// logDeviation is the deviation of logarithms of values with that relative one.
func logDeviation(relative float64) float64 { return math.Sqrt(math.Log1p(relative * relative)) }

// chance is how often a difference d of logarithms is told from 0.
func chance(d, err, freedom, alpha float64) float64 {
	if err < nothing {
		return 1
	}
	limit := critical(alpha, freedom)
	return 1 - noncentral(limit, freedom, d/err) + noncentral(-limit, freedom, d/err)
}

// noncentral is the probability that the noncentral t is at most x. Far out it
// is that of the normal distribution with the same bulk, which has no series to
// run out of.
func noncentral(x, freedom, shift float64) float64 {
	const far = 30
	if math.Abs(shift) < far && math.Abs(x) < far && freedom < 1e5 {
		if p := (distuv.NoncentralT{Nu: freedom, Mu: shift}).CDF(x); p >= 0 && p <= 1 {
			return p
		}
	}
	return distuv.UnitNormal.CDF((x*(1-1/(4*freedom)) - shift) / math.Sqrt(1+x*x/(2*freedom)))
}
