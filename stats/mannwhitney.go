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
// values a side without ties; otherwise that of the normal distribution with
// the correction for ties and for continuity. 1 when a side has no value.
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
	ranks, ties := 0.0, 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		for k := i; k < j; k++ {
			if all[k].ofMine {
				ranks += float64(i+j+1) / 2
			}
		}
		i = j
	}
	na, nb := float64(len(a)), float64(len(b))
	u := ranks - na*(na+1)/2
	if ties == 0 && len(a) < exactRanks && len(b) < exactRanks {
		return exactRankP(len(a), len(b), int(math.Round(min(u, na*nb-u))))
	}
	n := na + nb
	variance := na * nb / 12 * (n + 1 - ties/(n*(n-1)))
	if variance <= 0 {
		return 1
	}
	z := max(0, math.Abs(u-na*nb/2)-0.5) / math.Sqrt(variance)
	return min(1, 2*distuv.UnitNormal.CDF(-z))
}

// exactRankP is twice the probability of a U of at most u, at most 1.
func exactRankP(na, nb, u int) float64 {
	// ways[j][s]: subsets of j of the ranks so far whose U is s. Each further
	// rank r adds r-1-(how many are chosen before) to U, so counting sums of
	// ranks and taking off the least sum is the same.
	least := na * (na + 1) / 2
	most := least + u
	ways := make([][]float64, na+1)
	for j := range ways {
		ways[j] = make([]float64, most+1)
	}
	ways[0][0] = 1
	for r := 1; r <= na+nb; r++ {
		for j := min(r, na); j >= 1; j-- {
			for s := most; s >= r; s-- {
				ways[j][s] += ways[j-1][s-r]
			}
		}
	}
	few := 0.0
	for s := least; s <= most; s++ {
		few += ways[na][s]
	}
	lgAll, _ := math.Lgamma(float64(na + nb + 1))
	lgA, _ := math.Lgamma(float64(na + 1))
	lgB, _ := math.Lgamma(float64(nb + 1))
	return min(1, 2*few*math.Exp(lgA+lgB-lgAll))
}
