package stats

import (
	"math"
	"slices"
)

// A Point is a value of a series over time, with the 95 % interval in which it is known.
type Point struct {
	Value        float64 // above 0
	Lower, Upper float64 // both 0: nobody knows it
}

// A Change is a place of a series from which on its values are others.
type Change struct {
	At          int      // index of the first point after it
	Effect      Interval // relative change, with its 95 % interval
	Superiority float64  // chance that a value after it is beyond one before it, in the direction of the effect: 0.5 to 1
	Suspected   bool     // too few points came after it to be sure
}

// LeastSeries is how many points of a series it takes to know its noise.
const LeastSeries = 8

// ChangesOptions are what counts as a change.
type ChangesOptions struct {
	Margin      float64 // smallest relative change, as 0.01; 0: any
	Superiority float64 // least Change.Superiority; 0: leastSuperiority
}

const (
	leastSuperiority = .8
	mostPoints       = 400 // of a series, its last ones
	leastSegment     = 3   // points between two changes
	suspectedLast    = 2   // points, of which none is sure
	outlier          = 5.  // deviations from which on a point is no further off
	penaltyScale     = 5.  // times the logarithm of the number of points, of each change
	meanSteps        = 8   // of a robust mean
)

// Changes finds where a series changes. It partitions the logarithms of the values so that the
// squared distances from the means of the parts, and a penalty for each part, are least over all
// partitions (optimal partitioning: Jackson and others 2005, "An Algorithm for Optimal Partitioning
// of Data on an Interval"). A point weighs by its interval, and counts for no more than an outlier
// does (Fearnhead and Rigaill 2019, "Changepoint Detection in the Presence of Outliers"), so that
// one that stands alone makes no change. Noise that lasts from point to point raises what a change
// takes. The result depends on the series alone.
func Changes(series []Point, o ChangesOptions) []Change {
	if o.Superiority == 0 {
		o.Superiority = leastSuperiority
	}
	first := max(0, len(series)-mostPoints)
	s := newSeries(series[first:])
	if s == nil {
		return nil
	}
	bounds := append(s.partition(), len(s.logs))
	for {
		changes, weakest := s.changes(bounds, o)
		if weakest < 0 {
			for i := range changes {
				changes[i].At += first
			}
			return changes
		}
		bounds = slices.Delete(bounds, weakest, weakest+1)
	}
}

// changes compares neighbouring parts, and returns the bound with the smallest difference of those
// that do not count, so that its parts become one: several steps of which none counts are a change
// together. -1: all of them count.
func (s *timeSeries) changes(bounds []int, o ChangesOptions) (out []Change, weakest int) {
	weakest, least := -1, math.Inf(1)
	for i := 1; i < len(bounds)-1; i++ {
		c := s.compare(s.part(bounds[i-1], bounds[i]), s.part(bounds[i], bounds[i+1]))
		c.At = bounds[i]
		c.Suspected = len(s.logs)-c.At <= suspectedLast
		out = append(out, c)
		if size := math.Abs(c.Effect.Estimate); !c.counts(o) && size < least {
			weakest, least = i, size
		}
	}
	return out, weakest
}

// counts reports whether a change is one by the options.
func (c Change) counts(o ChangesOptions) bool {
	return math.Abs(c.Effect.Estimate) >= o.Margin && c.Superiority >= o.Superiority && (c.Suspected || c.Effect.Lower > 0 || c.Effect.Upper < 0)
}

// A timeSeries is a series with what is known of its noise.
type timeSeries struct {
	logs, weights []float64 // weights: 1 / variance of a point
	lasting       float64   // by how much noise that lasts makes the variance of a mean greater, from 1 on
}

// newSeries finds out how noisy a series is; nil: it has too few points for that.
func newSeries(points []Point) *timeSeries {
	if len(points) < LeastSeries {
		return nil
	}
	s := &timeSeries{}
	var own []float64 // variances of points by their intervals
	for _, p := range points {
		if !(p.Value > 0) || math.IsInf(p.Value, 0) {
			return nil
		}
		s.logs = append(s.logs, math.Log(p.Value))
		v := 0.
		if p.Lower > 0 && p.Upper > p.Lower {
			v = math.Pow(math.Log(p.Upper/p.Lower)/(2*normal95), 2)
		}
		own = append(own, v)
	}
	near, far := deviationOfSteps(s.logs, 1), deviationOfSteps(s.logs, 2)
	// Of noise that keeps a share f of itself from point to point, with variance V, steps of one
	// point have the variance 2 V (1 - f), and those of two 2 V (1 - f f).
	f := 0.
	if near > 0 {
		f = min(max(far*far/(near*near)-1, 0), .9)
	}
	variance := near * near / 2 / (1 - f)
	s.lasting = (1 + f) / (1 - f)
	known := quantileOf(own, .5)
	for _, v := range own {
		// What the intervals say is in the steps already, but for points that are known less well.
		s.weights = append(s.weights, 1/max(variance+max(v-known, 0), 1e-12))
	}
	return s
}

// normal95 is the quantile of 97.5 % of the normal distribution.
const normal95 = 1.959963984540054

// deviationOfSteps is the standard deviation of the steps between points so far apart, by the
// median of their absolute values, or by the quartile where that has more: changes and outliers are
// few of them, and a machine that keeps one of several speeds for most steps has many small ones.
func deviationOfSteps(logs []float64, apart int) float64 {
	var steps []float64
	for i := apart; i < len(logs); i++ {
		steps = append(steps, math.Abs(logs[i]-logs[i-apart]))
	}
	return max(quantileOf(steps, .5)/.67449, quantileOf(steps, .75)/1.15035)
}

// quantileOf is a quantile of values, which stay in their order.
func quantileOf(values []float64, q float64) float64 {
	return quantileOfSorted(slices.Sorted(slices.Values(values)), q)
}

func quantileOfSorted(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// A part is a stretch of a series without a change.
type part struct {
	values []float64
	mean   float64
	weight float64 // 1 / variance of the mean, without noise that lasts
	cost   float64
}

// part describes the points from one to before another.
func (s *timeSeries) part(from, to int) part {
	return s.partAround(from, to, quantileOf(s.logs[from:to], .5))
}

// partAround is part with the median of the values, which is known.
func (s *timeSeries) partAround(from, to int, median float64) part {
	p := part{values: s.logs[from:to], mean: median}
	weights := s.weights[from:to]
	for range meanSteps {
		sum, all := 0., 0.
		for i, v := range p.values {
			if w := weights[i]; w*(v-p.mean)*(v-p.mean) < outlier*outlier {
				sum, all = sum+w*v, all+w
			}
		}
		if all == 0 {
			break
		}
		before := p.mean
		if p.mean, p.weight = sum/all, all; p.mean == before {
			break
		}
	}
	if p.weight == 0 {
		p.weight = weights[0]
	}
	for i, v := range p.values {
		p.cost += min(weights[i]*(v-p.mean)*(v-p.mean), outlier*outlier)
	}
	return p
}

// partition returns where the parts of the best partition begin.
func (s *timeSeries) partition() []int {
	n := len(s.logs)
	penalty := penaltyScale * math.Log(float64(n)) * s.lasting
	best, from := make([]float64, n+1), make([]int, n+1)
	best[0] = -penalty
	for to := 1; to <= n; to++ {
		best[to] = math.Inf(1)
	}
	sorted := make([]float64, 0, n)
	for at := range n { // what is best up to a point is known when it is reached
		if sorted = sorted[:0]; math.IsInf(best[at], 1) {
			continue
		}
		for to := at + 1; to <= n; to++ {
			v := s.logs[to-1]
			place, _ := slices.BinarySearch(sorted, v)
			if sorted = slices.Insert(sorted, place, v); to-at < leastSegment && to < n {
				continue
			}
			if cost := best[at] + s.partAround(at, to, quantileOfSorted(sorted, .5)).cost + penalty; cost < best[to] {
				best[to], from[to] = cost, at
			}
		}
	}
	var out []int
	for at := n; at > 0; at = from[at] {
		out = append(out, from[at])
	}
	slices.Reverse(out)
	return out
}

// compare says what changed from one part to the next.
func (s *timeSeries) compare(before, after part) Change {
	d := after.mean - before.mean
	half := normal95 * math.Sqrt(s.lasting*(1/before.weight+1/after.weight))
	wins := 0.
	for _, a := range after.values {
		for _, b := range before.values {
			switch {
			case (a > b) == (d > 0) && a != b:
				wins++
			case a == b:
				wins += .5
			}
		}
	}
	return Change{
		Effect:      Interval{Estimate: relative(d), Lower: relative(d - half), Upper: relative(d + half)},
		Superiority: wins / float64(len(before.values)*len(after.values)),
	}
}
