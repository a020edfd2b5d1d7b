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
		if f.kind[rung] == undecided && beyond(g.silences(t.at[rung]), len(g.told(t.at[rung]))) {
			f.kind[rung], f.leans[rung], f.beyond[rung] = upperBound, upperBound, true
		}
	}
	f.lower, f.upper = f.bounds(f.kind, -1, l.top+1)
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

// begun is the load that has the most trials of those that have more than one
// and are not settled, between the bounds.
func (f field) begun() (rung int, d time.Duration, ok bool) {
	most := 1
	for _, at := range f.rungs {
		if n := len(f.at[at]); f.kind[at] == undecided && f.lower < at && at < f.upper && n > most {
			rung, most = at, n
		}
	}
	return rung, f.goal.Final, most > 1
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

// hint is the load at which a DUT that forwards no more than it did at the
// lowest load that looks bad would just meet the loss ratio; -1 when none does.
func (f field) hint() int {
	if f.bad > f.top {
		return -1
	}
	rate := f.load(f.bad) * (1 - f.goal.quantile(f.at[f.bad], 0))
	return f.below(rate / (1 - f.goal.LossRatio))
}

// stride is how far to go from the load that looks good, or bad: as far as the
// width, and four times that for each load, not below the lowest that counts,
// by which the search came here from the same side in one go.
func (f field) stride(from, lowest int) int {
	far := f.apart(f.goal.width())
	side, at := f.leans[from], from
	for i := slices.Index(f.order, from) - 1; i >= 0; i-- {
		before := f.order[i]
		if f.leans[before] != side || (before > at) != (side == upperBound) || before < lowest {
			break
		}
		far, at = min(4*far, f.top), before
	}
	return far
}

// unsettled is a load that looks like a bound and needs more trials to be one.
// Where a DUT looks good at one load after the other in its first trials and in
// the end is not, or the other way round, it is one ever farther away from
// those that are settled.
func (f field) unsettled() (rung int, d time.Duration, ok bool) {
	middle := f.lower + (f.upper-f.lower)/2
	side, away := f.streak()
	switch {
	case f.bad < f.upper && side == lowerBound:
		rung = max(f.bad, min(f.lower+away, middle))
	case f.bad < f.upper:
		rung = f.bad
	case side == upperBound:
		rung = min(f.good, max(f.upper-away, middle))
	default:
		rung = f.good
	}
	return rung, f.goal.Final, rung > f.lower
}

// streak is the side on which the loads lie that were settled last, and how far
// to go from there: one rung, and twice as far for each load that was settled
// after one that had looked like the other side in its first trial.
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
	return side, 1 << min(since, 30)
}
