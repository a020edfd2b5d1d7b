package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactRanks is the size of a side from which on the distribution of ranks is
// taken to be normal.
const exactRanks = 50

// MannWhitney is the probability, both sides together, that the ranks of a
// and b differ as they do when nothing differs. It is exact for fewer than 50
// values a side, also with ties, which have the mean of their ranks; otherwise
// that of the normal distribution with the correction for ties and for
// continuity. 1 when a side has no value.
func MannWhitney(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	type value struct {
		v      float64
		ofMine bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v, true})
	}
	for _, v := range b {
		all = append(all, value{v, false})
	}
	slices.SortFunc(all, func(x, y value) int { return cmp.Compare(x.v, y.v) })
	ranks := make([]int, len(all)) // twice the rank, which is whole with ties too
	mine, ties := 0, 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		for k := i; k < j; k++ {
			ranks[k] = i + j + 1
			if all[k].ofMine {
				mine += i + j + 1
			}
		}
		i = j
	}
	na, nb := float64(len(a)), float64(len(b))
	if len(a) < exactRanks && len(b) < exactRanks {
		return exactRankP(ranks, len(a), mine)
	}
	u := float64(mine)/2 - na*(na+1)/2
	n := na + nb
	variance := na * nb / 12 * (n + 1 - ties/(n*(n-1)))
	if variance <= 0 {
		return 1
	}
	z := max(0, math.Abs(u-na*nb/2)-0.5) / math.Sqrt(variance)
	return min(1, 2*distuv.UnitNormal.CDF(-z))
}

// exactRankP is the share of all choices of n ranks whose sum is at least as far
// from the middle one as sum is.
func exactRankP(ranks []int, n, sum int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	// ways[j][s]: choices of j of the ranks so far whose sum is s.
	ways := make([][]float64, n+1)
	for j := range ways {
		ways[j] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for j := min(i+1, n); j >= 1; j-- {
			for s := total; s >= r; s-- {
				ways[j][s] += ways[j-1][s-r]
			}
		}
	}
	// The middle is n/len(ranks) of the total; all by len(ranks), so that it is whole.
	off := func(s int) int { return max(s*len(ranks)-n*total, n*total-s*len(ranks)) }
	far, all := 0.0, 0.0
	for s, w := range ways[n] {
		all += w
		if off(s) >= off(sum) {
			far += w
		}
	}
	return far / all
}
