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
	factorUsual = .3 // of the logarithm of the factor: so much further from 1 is less likely by e
	strange     = 3  // nats: a speed that the neighbour did not meet
	jumpsKnown  = .5 // jumps that a neighbour's track counts as having, beside those that it shows
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
		if k := n.nearest(m.Capacity); k >= 0 {
			out = append(out, phase{m.At.Seconds(), m.Until.Seconds(), math.Log(n.Speeds[k].Capacity), false})
		}
	}
	for _, v := range visits {
		if v.shows() {
			last := samples[v.to-1]
			out = append(out, phase{samples[v.from].at.Seconds(), (last.at + last.window.Length()).Seconds(), v.log, true})
		}
	}
	slices.SortStableFunc(out, func(a, b phase) int { return cmp.Compare(a.from, b.from) })
	return out, min(jumps/over, trackJumps)
}

// nearest is the index of the speed that a moment has; -1: nothing tells which.
func (n Neighbour) nearest(capacity float64) int {
	return slices.IndexFunc(n.Speeds, func(s Speed) bool { return math.Abs(math.Log(capacity/s.Capacity)) < speedApart })
}

// fastest is the logarithm of what a sweep would show at the fastest speed of its
// neighbour. Of the factors between the two that make one of the speeds equal it takes the likeliest:
// where one follows the other at once both have the same speed, and a speed that one of them
// has the other one meets.
func (n Neighbour) fastest(visits []visit, samples []sample, own []speed) float64 {
	all, rate := n.phasesOfBoth(visits, samples)
	best, likeliest := math.Inf(-1), math.Inf(-1)
	for _, mine := range own {
		for _, other := range n.Speeds {
			factor := mine.log - math.Log(other.Capacity)
			likely := -math.Abs(factor) / factorUsual
			for i := 1; i < len(all); i++ {
				if a, b := all[i-1], all[i]; a.own != b.own {
					likely += n.follows(a, b, factor, rate)
				}
			}
			for _, s := range own {
				if n.nearest(math.Exp(s.log-factor)) < 0 {
					likely -= strange
				}
			}
			if likely > likeliest {
				best, likeliest = factor+math.Log(n.Speeds[0].Capacity), likely
			}
		}
	}
	return best
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

// heed finds whether neighbours met a faster speed than any of the sweep's own.
func (p *phases) heed(all []Neighbour, samples []sample) {
	for _, n := range all {
		if len(p.speeds) == 0 {
			return
		}
		if f := n.fastest(p.visits, samples, p.speeds); f > p.speeds[0].log+jumpLeast {
			p.faster = max(p.faster, f)
		}
	}
}
