package sweep

import (
	"cmp"
	"math"
	"slices"
)

// curve gives a point for each load of the samples.
func curve(samples []sample) []Point {
	all := columns(samples, func(*sample) bool { return true })
	out := make([]Point, 0, len(all))
	for _, c := range all {
		p := Point{Load: c.load, Windows: 0}
		var quiet, counted, rates []float64
		for _, s := range c.windows {
			if !s.counts() {
				p.LeftOut++
				continue
			}
			p.Windows++
			counted = append(counted, s.loss)
			if s.stall > 0 {
				p.Stalled++
				continue
			}
			quiet = append(quiet, s.loss)
			rates = append(rates, s.rate)
		}
		p.Loss, p.Disturbed, p.Forwarded = median(quiet), median(counted), median(rates)
		p.Lower, p.Upper = between(quiet)
		out = append(out, p)
	}
	return out
}

// rising gives points the losses that are nearest to theirs, by windows, of those that rise
// with the load: in terms of its capacity at that moment a DUT loses no less of more. Intervals
// become as wide as it takes to hold them.
func rising(points []Point) []Point {
	var losses, weights []float64
	for _, p := range points {
		if p.Windows > 0 {
			losses, weights = append(losses, p.Loss), append(weights, float64(p.Windows))
		}
	}
	losses = isotonic(losses, weights)
	for i := range points {
		if p := &points[i]; p.Windows > 0 {
			p.Loss, losses = losses[0], losses[1:]
			p.Lower, p.Upper = min(p.Lower, p.Loss), max(p.Upper, p.Loss)
		}
	}
	return points
}

// between is a 95 % interval of the median of sorted values: order statistics
// as far from the middle as a fair coin's heads are in 95 of 100 cases, by the
// normal approximation.
func between(values []float64) (lower, upper float64) {
	n := len(values)
	if n == 0 {
		return 0, 0
	}
	half := 1.96 * math.Sqrt(float64(n)) / 2
	low := max(0, int(math.Floor(float64(n)/2-half)))
	high := min(n-1, int(math.Ceil(float64(n)/2+half))-1)
	m := median(values)
	return min(values[low], m), max(values[max(high, 0)], m)
}

// join puts points of coarse loads below and above to those of fine ones.
func join(fine, coarse []Point) []Point {
	if len(fine) == 0 {
		return coarse
	}
	low, high := fine[0].Load, fine[len(fine)-1].Load
	out := slices.Clone(fine)
	for _, p := range coarse {
		if p.Load < low || p.Load > high {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b Point) int { return cmp.Compare(a.Load, b.Load) })
	return out
}

// most is the greatest of what is forwarded of a load, in the median of quiet
// windows, and in terms of the saturated rate of their blocks where these are
// given: a load that only a fast round had would be the greatest otherwise. For
// the same reason each is the middle one of three neighbours.
func most(samples []sample, blocks []saturation) float64 {
	unit := map[int]float64{}
	for _, b := range blocks {
		unit[b.block] = b.log
	}
	var loads, rates, windows []float64
	for _, c := range columns(samples, (*sample).quiet) {
		var of []float64
		for _, s := range c.windows {
			if u, ok := unit[s.block]; ok || len(blocks) == 0 {
				of = append(of, s.rate/math.Exp(u))
			}
		}
		if len(of) > 0 {
			loads, rates, windows = append(loads, c.load), append(rates, median(of)), append(windows, float64(len(of)))
		}
	}
	_, rates, _ = dense(loads, rates, windows)
	best := 0.
	for i := range rates {
		best = max(best, median(slices.Clone(rates[max(0, i-1):min(len(rates), i+2)])))
	}
	return best
}

// topmost is what is forwarded of the highest load of which some windows count,
// and of those within 5 % of it, as the windows are taken together. A load that
// the tester hardly sends says nothing.
func topmost(samples []sample, together func([]float64) float64) float64 {
	const some = 3
	highest := 0.
	for _, c := range columns(samples, (*sample).quiet) {
		if len(c.windows) >= some {
			highest = max(highest, c.load)
		}
	}
	var rates []float64
	for i := range samples {
		if s := &samples[i]; s.quiet() && s.load() >= .95*highest {
			rates = append(rates, s.rate)
		}
	}
	if len(rates) == 0 {
		return 0
	}
	return together(rates)
}

// bounded is the highest load up to which the median of a loss ratio over the
// windows of each load is within a limit, and what the median window forwarded
// there; 0 when there is none. A load with fewer windows than a block of each
// round has says nothing.
func bounded(samples []sample, limit float64, loss func(*sample) float64, test func(*sample) bool) (load, rate float64) {
	cs, most := columns(samples, test), 0
	for _, c := range cs {
		most = max(most, len(c.windows))
	}
	for _, c := range cs {
		if float64(len(c.windows)) < sparse*float64(most) {
			continue
		}
		var losses, rates []float64
		for _, s := range c.windows {
			losses, rates = append(losses, loss(s)), append(rates, s.rate)
		}
		// The upper one of the two in the middle: never more than half exceed.
		slices.Sort(losses)
		if losses[len(losses)/2] > limit {
			break
		}
		load, rate = c.load, median(rates)
	}
	return load, rate
}
