package sweep

import (
	"cmp"
	"math"
	"slices"
)

// relativeGroups is into about how many groups the windows of relative loads are
// put: as wide as half of a step of loads.
const relativeGroups = 32

// better is how much less the knee of relative loads has to scatter to be taken:
// where nothing waves, the loads as they were sent say it more exactly.
const better = .8

// relation holds windows by their load in terms of what the DUT forwarded of
// overloads in the same block.
//
// A machine that is slower for a second shifts all loads of a block alike. In
// terms of the block's own saturated rate the knee stays where it is, so that
// the median of the windows around it does not scatter by the wave; times the
// mean of the saturated rates it is the knee again (a ratio estimator: Cochran,
// "Sampling Techniques", chapter 6).
type relation struct {
	columns []column
	logs    []float64 // by block: the logarithm of its saturated rate; NaN: not known
}

// relate makes a relation of samples, with the overloads beyond a knee. It is nil
// where fewer than half of the blocks have overloads.
func relate(samples []sample, knee float64, test func(*sample) bool) *relation {
	if len(samples) == 0 {
		return nil
	}
	r := &relation{logs: make([]float64, samples[len(samples)-1].block+1)}
	for i := range r.logs {
		r.logs[i] = math.NaN()
	}
	known := saturations(samples, knee, (*sample).quiet)
	blocks := 0
	for _, b := range blocksOf(samples) {
		blocks += len(b)
	}
	if 2*len(known) < blocks || len(known) == 0 {
		return nil
	}
	for _, s := range known {
		r.logs[s.block] = s.log
	}
	type placed struct {
		at float64
		s  *sample
	}
	var all []placed
	for i := range samples {
		s := &samples[i]
		if test(s) && !math.IsNaN(r.logs[s.block]) {
			all = append(all, placed{math.Log(s.load()) - r.logs[s.block], s})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	size := max(1, (len(all)+relativeGroups/2)/relativeGroups)
	for group := range slices.Chunk(all, size) {
		c := column{}
		sum := 0.
		for _, p := range group {
			sum += p.at
			c.windows = append(c.windows, p.s)
		}
		c.load = math.Exp(sum / float64(len(group)))
		slices.SortStableFunc(c.windows, func(a, b *sample) int { return cmp.Compare(a.loss, b.loss) })
		r.columns = append(r.columns, c)
	}
	return r
}

// knee is as that of columns, in frames/s again.
func (r *relation) knee(ratio float64, weights []int) crossing {
	k := knee(r.columns, ratio, weights)
	sum, n := 0., 0.
	for b, l := range r.logs {
		w := 1.
		if weights != nil {
			w = float64(weights[b])
		}
		if !math.IsNaN(l) {
			sum, n = sum+w*l, n+w
		}
	}
	if n == 0 {
		return crossing{below: true}
	}
	k.load *= math.Exp(sum / n)
	return k
}
