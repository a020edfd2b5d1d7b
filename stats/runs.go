package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// run is an observation that counts: with the number of its arm, that of its
// block (both from 0), its value and the logarithm of that.
type run struct {
	arm, block, order int
	value, log        float64
}

// sample is what is analysed.
type sample struct {
	arms    []string // the baseline first, then its A/A
	again   bool     // whether arms[1] is the A/A
	runs    []run    // in the order of measuring where it is known
	blocks  int      // that count; 0: none
	left    int      // blocks that do not, or runs where there are no blocks
	ordered bool     // whether the order of measuring is known
}

// gather sorts out what counts. A block with a run in doubt is left out whole:
// what disturbed that run may have disturbed its neighbours, and what is left
// of the block would be compared without it. A block in which runs are missing,
// as the last one of an interrupted campaign, counts with those that there are;
// one with a single arm says nothing about differences and is left out.
func gather(obs []Observation, o Options) (sample, error) {
	s := sample{ordered: true}
	blocked := slices.ContainsFunc(obs, func(x Observation) bool { return x.Block > 0 })
	if o.Baseline == "" && len(obs) > 0 {
		o.Baseline = obs[0].Arm
	}
	number := map[string]int{o.Baseline: 0}
	s.arms = []string{o.Baseline}
	if o.Again != "" && slices.ContainsFunc(obs, func(x Observation) bool { return x.Arm == o.Again }) {
		s.again = true
		number[o.Again], s.arms = 1, append(s.arms, o.Again)
	}
	for _, name := range o.Arms {
		_, known := number[name]
		if !known && slices.ContainsFunc(obs, func(x Observation) bool { return x.Arm == name }) {
			number[name] = len(s.arms)
			s.arms = append(s.arms, name)
		}
	}
	first := map[int]string{} // arm that a block began with
	several := map[int]bool{} // blocks with more than one arm
	doubted := map[int]bool{}
	for _, x := range obs {
		if _, known := number[x.Arm]; !known {
			number[x.Arm] = len(s.arms)
			s.arms = append(s.arms, x.Arm)
		}
		if arm, known := first[x.Block]; !known {
			first[x.Block] = x.Arm
		} else if arm != x.Arm {
			several[x.Block] = true
		}
		doubted[x.Block] = doubted[x.Block] || x.Doubt != ""
	}
	counts := func(x Observation) bool {
		if !blocked {
			return x.Doubt == ""
		}
		return x.Block > 0 && several[x.Block] && !doubted[x.Block]
	}
	block := map[int]int{}
	n, left := make([]int, len(s.arms)), make([]int, len(s.arms))
	for _, x := range obs {
		arm := number[x.Arm]
		if !counts(x) {
			left[arm]++
			continue
		}
		if !positive(x.Value) {
			return s, &ValueError{x}
		}
		if _, known := block[x.Block]; !known {
			block[x.Block] = len(block)
		}
		s.ordered = s.ordered && x.Order > 0
		s.runs = append(s.runs, run{arm: arm, block: block[x.Block], order: x.Order, value: x.Value, log: math.Log(x.Value)})
		n[arm]++
	}
	if blocked {
		s.blocks, s.left = len(block), len(first)-len(block)
	} else {
		s.left = len(obs) - len(s.runs)
	}
	for arm, name := range s.arms {
		if n[arm] < FewestRuns {
			return s, &TooFewError{Arm: name, Runs: n[arm], Left: left[arm]}
		}
	}
	if s.ordered {
		slices.SortStableFunc(s.runs, func(a, b run) int { return cmp.Compare(a.order, b.order) })
	}
	return s, nil
}

// logs are the logarithms of the runs of each arm.
func (s sample) logs() [][]float64 {
	out := make([][]float64, len(s.arms))
	for _, r := range s.runs {
		out[r.arm] = append(out[r.arm], r.log)
	}
	return out
}

// pairs are by how much an arm is above the baseline, in each block that has both.
// Where the baseline was measured twice that is the mean of the two, but for the
// second itself.
func (s sample) pairs(arm int) []float64 {
	type sums struct{ arm, arms, base, bases float64 }
	in := make([]sums, s.blocks)
	for _, r := range s.runs {
		b := &in[r.block]
		switch {
		case r.arm == arm:
			b.arm, b.arms = b.arm+r.log, b.arms+1
		case r.arm == 0, s.again && r.arm == 1:
			b.base, b.bases = b.base+r.log, b.bases+1
		}
	}
	var out []float64
	for _, b := range in {
		if b.arms > 0 && b.bases > 0 {
			out = append(out, b.arm/b.arms-b.base/b.bases)
		}
	}
	return out
}

// values are those of an arm.
func (s sample) values(arm int) (out []float64) {
	for _, r := range s.runs {
		if r.arm == arm {
			out = append(out, r.value)
		}
	}
	return out
}

// Median returns the median of values: the mean of the middle two of an even number, and 0 of
// none.
func Median(values []float64) float64 { return middle(slices.Sorted(slices.Values(values))) }

// middle returns the median of values that are sorted.
func middle(sorted []float64) float64 {
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 0:
		return sorted[n/2-1]/2 + sorted[n/2]/2
	}
	return sorted[n/2]
}

// summary describes the values of an arm.
func summary(arm string, values []float64, rate Interval) Summary {
	slices.Sort(values)
	n := len(values)
	out := Summary{Arm: arm, N: n, Min: values[0], Max: values[n-1], Median: middle(values), Interval: rate}
	// Taken by the median, so that no square overflows or is lost.
	scale := out.Median
	for i := range values {
		values[i] /= scale
	}
	out.Mean, out.Deviation = stat.MeanStdDev(values, nil)
	if n == 1 {
		out.Deviation = 0 // of one value there is none
	}
	out.Mean, out.Deviation = finite(out.Mean*scale), finite(out.Deviation*scale)
	return out
}

// finite is v, or the largest number there is where v left what numbers can say.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return math.MaxFloat64
	}
	return min(v, math.MaxFloat64)
}
