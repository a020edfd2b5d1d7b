package search

import "time"

// pooled are neighbouring loads that are judged together.
type pooled struct {
	rungs      []int
	high, told time.Duration // of high loss, and in all
}

// share is that of the time with high loss.
func (p pooled) share() float64 { return float64(p.high) / float64(p.told) }

// pool makes the loads between the bounds lean as their trials say together.
// What a DUT forwards without loss it forwards at a lower load, too: so where a
// load has a greater share of high loss than the next one, both have the share
// of all their trials (isotonic regression). A load that was disturbed once does
// not look bad when higher ones look good.
func (f field) pool() {
	var groups []pooled
	for _, rung := range f.rungs {
		s := f.goal.standing(f.at[rung])
		g := pooled{[]int{rung}, s.high + s.shortHigh, s.low + s.high + s.shortLow + s.shortHigh}
		if rung <= f.lower || rung >= f.upper || g.told == 0 {
			continue
		}
		if f.goal.Exceed > 0 && f.goal.decides() > f.goal.Final {
			high, told := f.above(rung)
			g.high, g.told = g.high+high/2, g.told+told/2
		}
		for n := len(groups) - 1; n >= 0 && groups[n].share() > g.share(); n-- {
			below := groups[n]
			g = pooled{append(below.rungs, g.rungs...), below.high + g.high, below.told + g.told}
			groups = groups[:n]
		}
		groups = append(groups, g)
	}
	for _, g := range groups {
		side := lowerBound
		if g.high > scaled(g.told, f.goal.Exceed) {
			side = upperBound
		}
		for _, rung := range g.rungs {
			f.leans[rung] = side
		}
	}
}

// near is how far above a load others say something of it, as a share of the
// load: no farther, as many a DUT forwards less the more it is overloaded.
const near = .04

// above is what the full-length trials at higher loads make of a load: how much
// of their time it would have had high loss, and that time. A trial in which the
// DUT forwarded less than the goal asks of the lower load counts against it, and
// any other for it.
func (f field) above(rung int) (high, told time.Duration) {
	for _, at := range f.rungs {
		if at <= rung || at > rung+f.apart(near) {
			continue
		}
		for _, o := range f.goal.told(f.at[at]) {
			if o.Duration < f.goal.Final {
				continue
			}
			told += o.Duration
			if !(o.Loss <= f.goal.LossRatio) && !(f.load(at)*(1-o.Loss) >= f.load(rung)*(1-f.goal.LossRatio)) {
				high += o.Duration
			}
		}
	}
	return high, told
}
