package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// driftUnits is how many blocks, or runs of an arm, a drift is told from at
// least: two in each third.
const driftUnits = 6

// drift is the change from the first third of the runs to the last with its
// interval, and the probability of none. Within blocks it is told from the
// levels of the blocks, the arms' effects taken off: runs of a block are not
// independent of each other. Without blocks it is the mean of the changes
// within the arms, so that arms measured one after the other are no drift.
func (a *analysis) drift() (Interval, float64) {
	if !a.s.ordered {
		return Interval{}, 1
	}
	series := a.logs
	if a.s.blocks > 0 {
		series = [][]float64{a.levels()}
	}
	squares, freedom, value, weight, inverse := 0.0, 0.0, 0.0, 0.0, 0.0
	for _, x := range series {
		k := len(x) / 3
		if len(x) < driftUnits {
			continue
		}
		first, vFirst := stat.MeanVariance(x[:k], nil)
		last, vLast := stat.MeanVariance(x[len(x)-k:], nil)
		squares += (vFirst + vLast) * float64(k-1)
		freedom += 2 * float64(k-1)
		value += float64(k) * (last - first)
		weight += float64(k)
		inverse += 2 * float64(k) // the variance of k times a difference of two means of k
	}
	if freedom == 0 {
		return Interval{}, 1
	}
	e := estimate{value: value / weight, err: math.Sqrt(squares/freedom*inverse) / weight, freedom: freedom}
	if math.Abs(e.value) < nothing {
		e.value = 0
	}
	return e.change(a.alpha), e.p()
}

// levels are those of the blocks, in the order of measuring.
func (a *analysis) levels() []float64 {
	seen := make([]bool, len(a.m.block))
	out := make([]float64, 0, len(a.m.block))
	for _, r := range a.s.runs {
		if !seen[r.block] {
			seen[r.block] = true
			out = append(out, a.m.block[r.block])
		}
	}
	return out
}

// The limits of the search for a stretch.
const (
	stretchShare  = 0.25 // of all blocks or runs, that it has at least
	stretchBins   = 120  // that are looked at at most: more are taken together
	stretchFewest = 6    // blocks or runs in which one is looked for
)

// stretch is the part in a row, of a quarter to a half of the campaign, that
// differs most from the rest, the arms' effects taken off: where something came
// and went that a drift from the first third to the last need not see. Its P
// allows for the number of stretches that were tried.
func (a *analysis) stretch() *Stretch {
	if !a.s.ordered {
		return nil
	}
	bins := a.bins()
	n := len(bins)
	if n < stretchFewest {
		return nil
	}
	sum, square := make([]float64, n+1), make([]float64, n+1)
	middle := 0.0
	for _, b := range bins {
		middle += b.level / float64(n)
	}
	for i, b := range bins {
		sum[i+1] = sum[i] + b.level - middle
		square[i+1] = square[i] + (b.level-middle)*(b.level-middle)
	}
	var best *Stretch
	var clearest estimate
	tried := 0
	shortest := max(2, int(math.Ceil(stretchShare*float64(n))))
	for from := 0; from < n; from++ {
		for to := from + shortest; to <= n && to-from <= n/2; to++ {
			tried++
			k, rest := float64(to-from), float64(n-to+from)
			in := (sum[to] - sum[from]) / k
			out := (sum[n] - sum[to] + sum[from]) / rest
			left := max(0, square[n]-k*in*in-rest*out*out)
			e := estimate{value: in - out, err: math.Sqrt(left / float64(n-2) * (1/k + 1/rest)), freedom: float64(n - 2)}
			if best == nil || math.Abs(e.value)*clearest.err > math.Abs(clearest.value)*e.err {
				clearest = e
				best = &Stretch{First: bins[from].first, Last: bins[to-1].last}
			}
		}
	}
	if best != nil {
		best.Change, best.P = relative(clearest.value), min(1, clearest.p()*float64(tried))
	}
	return best
}

// bin is a block, a run, or several of them in a row.
type bin struct {
	level       float64
	first, last int // order of its runs
}

// bins are the levels of the campaign in its order.
func (a *analysis) bins() []bin {
	var all []bin
	if a.s.blocks > 0 {
		at := make([]int, a.s.blocks)
		for _, r := range a.s.runs {
			if at[r.block] == 0 {
				all = append(all, bin{a.m.block[r.block], r.order, r.order})
				at[r.block] = len(all)
			}
			all[at[r.block]-1].last = r.order
		}
	} else {
		for _, r := range a.s.runs {
			all = append(all, bin{r.log - a.m.arm[r.arm], r.order, r.order})
		}
	}
	each := (len(all) + stretchBins - 1) / stretchBins
	if each < 2 {
		return all
	}
	var out []bin
	for part := range slices.Chunk(all, each) {
		b := bin{first: part[0].first, last: part[len(part)-1].last}
		for _, p := range part {
			b.level += p.level / float64(len(part))
		}
		out = append(out, b)
	}
	return out
}
