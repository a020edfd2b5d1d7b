package sweep

import (
	"cmp"
	"math"
	"slices"
)

// Neighbour is what another sweep on the same machine showed by now: of another frame
// size, or of another DUT on the same CPUs. A machine that changes its speed changes it
// for all of them, so that what a DUT forwards differs from what its neighbour forwards
// by one factor at any moment.
type Neighbour struct {
	Speeds []Speed  // the fastest first
	Track  []Moment // At and Until count from the begin of this sweep's first pass, and are negative before that
}

// What tells the factor between two neighbours.
const (
	factorUsual  = .1  // of the logarithm of the factor, which is as likely as of a Cauchy distribution
	factorMost   = 1.5 // logarithm of the factor, at most
	factorStep   = .01 // of the factors that are tried, of their logarithm
	factorShares = 4   // moments of each of two neighbours that tell the factor by how often they have which speed
	jumpsKnown   = .5  // jumps that a neighbour's track counts as having, beside those that it shows
	jumpsMissed  = 3   // jumps of a neighbour, in the time of the sweep, that it does not miss if it has them, too
)

// phase is a time for which one of two neighbours had a speed.
type phase struct {
	from, until float64 // s
	log         float64 // of its capacity
	own         bool
}

// phasesOfBoth are those of a sweep and of its neighbour whose speed is known, in their order.
func (n Neighbour) phasesOfBoth(visits []visit, samples []sample) (out []phase, rate float64) {
	jumps, over := jumpsKnown, 1.
	for i, m := range n.Track {
		over += (m.Until - m.At).Seconds()
		if i > 0 && m.At-n.Track[i-1].Until <= DefaultSilence && math.Abs(math.Log(m.Capacity/n.Track[i-1].Capacity)) > jumpLeast {
			jumps++
		}
		if k := n.nearest(m); k >= 0 {
			out = append(out, phase{m.At.Seconds(), m.Until.Seconds(), math.Log(n.Speeds[k].Capacity), false})
		}
	}
	for _, v := range visits {
		if v.shows() {
			from := samples[v.from].at.Seconds()
			out = append(out, phase{from, from + v.length(samples), v.log, true})
		}
	}
	slices.SortStableFunc(out, func(a, b phase) int { return cmp.Compare(a.from, b.from) })
	return out, min(jumps/over, trackJumps)
}

// nearest is the index of the speed that a moment has; -1: nothing tells which.
func (n Neighbour) nearest(m Moment) int {
	if m.AtLeast {
		return -1
	}
	return slices.IndexFunc(n.Speeds, func(s Speed) bool { return math.Abs(math.Log(m.Capacity/s.Capacity)) < speedApart })
}

// shares reports whether a sweep may have the same speeds as its neighbour: not where the
// neighbour's changed many times over as long, and the sweep's own did not.
func (n Neighbour) shares(rate float64, own []stay, jumps bool) bool {
	time := 0.
	for _, s := range own {
		time += s.time
	}
	return jumps || rate*time < jumpsMissed
}

// factor is the logarithm of what a sweep forwards in terms of its neighbour at any
// moment: the one by which both spend their time at the same speeds, and by which phases
// that follow each other at once have the same speed.
func (n Neighbour) factor(all []phase, rate float64, own []stay) (likeliest float64) {
	most := math.Inf(-1)
	overlap := n.overlap(own)
	for f := -factorMost; f <= factorMost; f += factorStep {
		likely := factorShares*math.Log(overlap(f)+1e-9) - math.Log1p(math.Pow(f/factorUsual, 2))
		for i := 1; i < len(all); i++ {
			if a, b := all[i-1], all[i]; a.own != b.own {
				likely += n.follows(a, b, f, rate)
			}
		}
		if likely > most {
			most, likeliest = likely, f
		}
	}
	return likeliest
}

// overlap returns how much of the time two neighbours have the same speed at a factor, if
// moments of both are drawn at random.
func (n Neighbour) overlap(own []stay) func(factor float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, s := range own {
		low, high = min(low, s.log), max(high, s.log)
	}
	const beyond = 6 * speedBlur
	low -= beyond
	near := make([]float64, int((high+beyond-low)/factorStep)+1) // of a capacity, the time at a speed that is as good as that
	all := 0.
	for _, s := range own {
		all += s.time
		for k := range near {
			z := (low + float64(k)*factorStep - s.log) / speedBlur
			near[k] += s.time * math.Exp(-z*z/4)
		}
	}
	type moment struct{ log, time float64 }
	var moments []moment
	time := 0.
	for _, m := range n.Track {
		if n.nearest(m) >= 0 {
			moments = append(moments, moment{math.Log(m.Capacity), (m.Until - m.At).Seconds()})
			time += moments[len(moments)-1].time
		}
	}
	return func(factor float64) (same float64) {
		for _, m := range moments {
			if k := int(math.Round((m.log + factor - low) / factorStep)); k >= 0 && k < len(near) {
				same += m.time * near[k]
			}
		}
		return same / max(time*all, 1e-9)
	}
}

// join returns the phases of neighbours in terms of a sweep's own capacity: those
// whose speed is known, and those of which only a lower bound is known.
func (p *phases) join(neighbours []Neighbour, samples []sample, own []stay, jumps bool) (known, bounds []stay) {
	for _, n := range neighbours {
		all, rate := n.phasesOfBoth(p.visits, samples)
		if !n.shares(rate, own, jumps) {
			continue
		}
		factor := n.factor(all, rate, own)
		for _, m := range n.Track {
			round := samples[0].round
			for i := range samples {
				if samples[i].at <= m.At {
					round = samples[i].round
				}
			}
			s := stay{log: math.Log(m.Capacity) + factor, time: (m.Until - m.At).Seconds(), round: round, visit: -1}
			switch {
			case m.AtLeast:
				bounds = append(bounds, s)
			case n.nearest(m) >= 0:
				known = append(known, s)
			}
		}
	}
	return known, bounds
}

// follows is the logarithm of how likely a phase of one neighbour is to follow one of
// the other at a factor, where the machine jumps so often a second.
func (n Neighbour) follows(a, b phase, factor, rate float64) float64 {
	if !a.own {
		factor = -factor
	}
	gone := -math.Expm1(-rate * max(b.from-a.until, 0))
	elsewhere := max(gone/float64(len(n.Speeds)), 1e-3)
	if math.Abs(a.log-b.log-factor) < speedApart {
		return math.Log(1 - gone + elsewhere)
	}
	return math.Log(elsewhere)
}
