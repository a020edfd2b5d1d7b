package search

import (
	"maps"
	"slices"
	"time"
)

// field is what the past of an MLRsearch means to one of its goals.
type field struct {
	ladder
	trials
	goal         MLRGoal
	rungs        []int        // that were measured, the lowest first
	kind, leans  map[int]kind // of these: as they are classified, and as they look; beyond the tester is an upper bound
	beyond       map[int]bool // of these: whether they are beyond the tester
	lower, upper int          // relevant bounds; -1 and top + 1 when there is none
	good, bad    int          // what looks like the bounds, within the relevant ones
}

func (l ladder) field(g MLRGoal, t trials) field {
	f := field{
		ladder: l, trials: t, goal: g, rungs: slices.Sorted(maps.Keys(t.at)),
		kind: make(map[int]kind), leans: make(map[int]kind), beyond: make(map[int]bool),
	}
	for _, rung := range f.rungs {
		s := g.standing(t.at[rung])
		f.kind[rung], f.leans[rung] = g.classify(s), g.leaning(s)
		if f.kind[rung] == undecided && beyond(g.attempts(t.at[rung]), len(g.told(t.at[rung]))) {
			f.kind[rung], f.leans[rung], f.beyond[rung] = upperBound, upperBound, true
		}
	}
	f.lower, f.upper = f.bounds(f.kind, -1, l.top+1)
	f.pool()
	f.good, f.bad = f.bounds(f.leans, f.lower, f.upper)
	return f
}

// bounds are the lowest upper bound within two rungs, and the highest lower
// bound below that: the relevant bounds (RFC 9971 section 4.8.1). Where there
// is none it is the rung given. A load beyond the tester is an upper bound
// unless a higher one is a lower bound.
func (f field) bounds(kinds map[int]kind, lower, upper int) (highest, lowest int) {
	highest, lowest = lower, upper
	out := upper // the lowest load beyond the tester that is above highest
	for _, rung := range f.rungs {
		switch {
		case rung <= lower || rung >= lowest:
		case f.beyond[rung]:
			out = min(out, rung)
		case kinds[rung] == upperBound:
			lowest = rung
		case kinds[rung] == lowerBound:
			highest, out = rung, upper
		}
	}
	return highest, min(lowest, out)
}

// done reports whether the goal needs no further trial.
func (f field) done() bool {
	return f.upper == 0 || f.lower == f.top || f.close(f.lower, f.upper)
}

// close reports whether two rungs are bounds that are close enough: within the
// goal's width, or less than one frame of a trial apart.
func (f field) close(lower, upper int) bool {
	if lower < 0 || upper > f.top {
		return false
	}
	gap := f.load(upper) - f.load(lower)
	return upper-lower <= f.apart(f.goal.width()) || gap*f.goal.Final.Seconds() < 1
}

// unstable reports whether the trials at a bound disagreed.
func (f field) unstable() bool {
	for _, rung := range []int{f.lower, f.upper} {
		s := f.goal.standing(f.at[rung])
		if s.low+s.shortLow > 0 && s.high+s.shortHigh > 0 {
			return true
		}
	}
	return false
}

// silenced is a load between the bounds of which no trial has said anything.
func (f field) silenced() (rung int, d time.Duration, ok bool) {
	for _, at := range f.rungs {
		if f.leans[at] == undecided && f.lower < at && at < f.upper {
			past := f.at[at]
			return at, past[len(past)-1].Duration, true
		}
	}
	return 0, 0, false
}

// begunMost is how many loads between the bounds may have been tried more than
// once: half as many are usual where the capacity varies by 1 %.
const begunMost = 10

// begun is the load that has the most trials of those that have more than one
// and are not settled, between the bounds, when there are too many of them. A
// DUT that loses frames at any load in half of its trials looks good here and
// bad there for ever: that ends where its loads are settled one by one.
func (f field) begun() (rung int, d time.Duration, ok bool) {
	most, n := 1, 0
	for _, at := range f.rungs {
		if f.kind[at] != undecided || at <= f.lower || at >= f.upper || len(f.at[at]) < 2 {
			continue
		}
		if n++; len(f.at[at]) > most {
			rung, most = at, len(f.at[at])
		}
	}
	return rung, f.goal.full(), n > begunMost
}

// scouted is a load between those that look good and those that do not, which
// was not measured yet.
func (f field) scouted() (rung int, d time.Duration, ok bool) {
	if f.bad-f.good < 2 || f.close(f.good, f.bad) {
		return 0, 0, false
	}
	middle := f.good + (f.bad-f.good)/2
	hint := f.hint()
	switch {
	case f.bad < f.upper && f.bad <= hint && len(f.at[f.bad]) == 1: // once, against what it forwarded
		rung = f.bad
	case f.bad > f.top && f.overload() >= f.good:
		rung = min(f.overload()+f.apart(f.goal.width()), f.top)
	case f.bad > f.top:
		rung = min(f.good+f.stride(f.good, 0), f.top)
	case hint > f.good:
		rung = min(hint, max(f.bad-f.stride(f.bad, 0), middle))
	case f.good < 0: // nothing is known from below, and little from above
		rung = middle
	default:
		rung = min(f.good+f.stride(f.good, hint), middle)
	}
	return rung, f.goal.initial(), true
}

// hint is the load at which a DUT that forwards no more than it did at a load
// that looks bad would just meet the loss ratio; -1 when none does. It is that
// of the load at which the DUT forwarded the most: where it forwarded less at a
// lower one, something disturbed that.
func (f field) hint() int {
	most := 0.
	for _, at := range f.rungs {
		if at >= f.bad && f.leans[at] == upperBound {
			most = max(most, f.load(at)*(1-f.goal.quantile(f.at[at], 0)))
		}
	}
	return f.below(most / (1 - f.goal.LossRatio))
}

// steady is how many loads in a row may look bad before the steps down grow:
// what is disturbed now and then is so many times in a row in one of a hundred
// searches, and a DUT that loses a little at all loads costs so many trials more.
const steady = 4

// overload is the load at which a DUT that forwards no more than it did where
// it lost frames, if fewer than this goal allows, would just meet the loss
// ratio; -1 when it lost none. So what a stricter goal found serves this one.
func (f field) overload() int {
	most := 0.
	for _, at := range f.rungs {
		if loss := f.goal.quantile(f.at[at], 0); loss > 0 {
			most = max(most, f.load(at)*(1-loss))
		}
	}
	return f.below(most / (1 - f.goal.LossRatio))
}

// stride is how far to go from the load that looks good, or bad, by how often
// the search came here from the same side in one go, over loads not below the
// lowest that counts: up as far as the width, and four times that each time;
// down as far as the width, and from the steady-th time on twice that each time.
func (f field) stride(from, lowest int) int {
	side, at := f.leans[from], from
	times := 0
	for i := slices.Index(f.order, from) - 1; i >= 0; i-- {
		before := f.order[i]
		if f.leans[before] != side || (before > at) != (side == upperBound) || before < lowest {
			break
		}
		times, at = times+1, before
	}
	doublings := 2 * times
	if side == upperBound {
		doublings = max(0, times-steady)
	}
	return min(f.apart(f.goal.width())<<min(doublings, 30), f.top)
}

// unsettled is a load that looks like a bound and needs more trials to be one:
// of the two the one of which the trials say less, so that neither is settled
// while the next trial of the other may show that the bounds are elsewhere.
// Where a DUT looks good at one load after the other in its first trials and in
// the end is not, or the other way round, it is one ever farther away from
// those that are settled.
func (f field) unsettled() (rung int, d time.Duration, ok bool) {
	middle := f.lower + (f.upper-f.lower)/2
	side, away := f.streak()
	good, bad := f.good, f.bad
	if side == upperBound {
		good = min(good, max(f.upper-away, middle))
	}
	if side == lowerBound {
		bad = max(bad, min(f.lower+away, middle))
	}
	rung = bad
	if f.bad == f.upper || f.good > f.lower && f.lead(good) < f.lead(bad) {
		rung = good
	}
	return rung, f.goal.full(), rung > f.lower
}

// lead is by how much time the trials of low loss at a load outweigh those of
// high loss, or the other way round.
func (f field) lead(rung int) time.Duration {
	s := f.goal.standing(f.at[rung])
	return (s.low + s.shortLow - s.high - s.shortHigh).Abs()
}

// streak is the side on which the loads lie that were settled last, and how far
// to go from there: one rung, and from the steady-th time on twice as far for
// each load that was settled after one that had looked like the other side in
// its first trial.
func (f field) streak() (side kind, away int) {
	settled := slices.DeleteFunc(slices.Clone(f.rungs), func(rung int) bool { return f.kind[rung] == undecided })
	slices.SortFunc(settled, func(a, b int) int { return f.last[b] - f.last[a] })
	if len(settled) == 0 {
		return undecided, 1
	}
	side = f.kind[settled[0]]
	since := 0
	for i, rung := range settled {
		if f.kind[rung] != side {
			break
		}
		if f.goal.leaning(f.goal.standing(f.at[rung][:1])) != side {
			since = i
		}
	}
	return side, 1 << min(max(0, since-steady), 30)
}
