package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// MLRGoal is one search goal of an MLRsearch (RFC 9971 section 4.6).
type MLRGoal struct {
	LossRatio float64       // goal loss ratio: a trial that lost more has high loss, 0 to 1
	Exceed    float64       // goal exceed ratio: share of a lower bound's time that high loss may take, 0 to 1
	Initial   time.Duration // goal initial trial duration: of the first trial at a load; 0 means Final
	Final     time.Duration // goal final trial duration: shorter trials cannot make a lower bound
	Sum       time.Duration // goal duration sum: time that is enough at one load
	Width     float64       // goal width: (upper - lower) / upper is at most this, 0 to 1; 0 means 0.005
}

// What widths an MLRsearch works with.
const (
	usualWidth = 0.005
	leastWidth = 1e-6 // narrower than what a tester's clock can tell apart
)

func (g MLRGoal) width() float64 { return cmp.Or(g.Width, usualWidth) }

// initial is how long the first trial at a load lasts: as long as those after it
// where the goal has it so.
func (g MLRGoal) initial() time.Duration {
	if g.Initial == 0 || g.Initial == g.Final {
		return g.full()
	}
	return g.Initial
}

// decides is how much time of low loss makes a lower bound.
func (g MLRGoal) decides() time.Duration { return g.Sum - scaled(g.Sum, g.Exceed) }

// longest is by how much a full-length trial may be longer than the goal's final
// one, as a share of that: so that there are not much fewer trials.
const longest = .1

// full is how long a full-length trial lasts. 21 trials of 1 s, half of which may
// have high loss, are decided by 10.5 s of one kind: that takes 11 trials of 1 s,
// or 10 of 1.051 s, which are full-length as well (RFC 9971 section 4.7.1.4). It
// is the final one where that saves nothing, and where a lower bound takes other
// numbers of trials than an upper one: those are what the goal asks for.
func (g MLRGoal) full() time.Duration {
	unit := min(time.Millisecond, g.Final/1000) // finer than what a trial notices
	low, high := g.decides(), g.Sum-g.decides()
	fewer := low / g.Final
	if unit == 0 || fewer == 0 || low == fewer*g.Final || high/g.Final != fewer {
		return g.Final
	}
	d := (max(low, high)/fewer/unit + 1) * unit // more than the share of either
	if float64(d) > (1+longest)*float64(g.Final) {
		return g.Final
	}
	return d
}

// Validate reports what is wrong with a goal, or nil.
func (g MLRGoal) Validate() error {
	share := func(v float64) bool { return v >= 0 && v < 1 }
	switch {
	case !share(g.LossRatio):
		return fmt.Errorf("goal loss ratio %v is not in [0, 1)", g.LossRatio)
	case !share(g.Exceed):
		return fmt.Errorf("goal exceed ratio %v is not in [0, 1)", g.Exceed)
	case g.Width != 0 && !(g.Width >= leastWidth && g.Width < 1):
		return fmt.Errorf("goal width %v is not in [%v, 1)", g.Width, leastWidth)
	case g.Final <= 0:
		return fmt.Errorf("goal final trial duration %v is not positive", g.Final)
	case g.Initial < 0 || g.Initial > g.Final:
		return fmt.Errorf("goal initial trial duration %v is not between 0 and the final one, %v", g.Initial, g.Final)
	case g.Sum < g.Final:
		return fmt.Errorf("goal duration sum %v is less than one final trial, %v", g.Sum, g.Final)
	}
	return nil
}

// standing is what the trials at one load amount to for one goal: sums of
// trial durations. Trials of at least the final duration are full-length.
type standing struct {
	low, high           time.Duration // full-length, of low and of high loss
	shortLow, shortHigh time.Duration // shorter
}

func (g MLRGoal) standing(trials []Observation) (s standing) {
	for _, o := range g.told(trials) {
		to := &s.shortHigh
		switch low, full := o.Loss <= g.LossRatio, o.Duration >= g.Final; { // a loss that is not a number is high
		case low && full:
			to = &s.low
		case low:
			to = &s.shortLow
		case full:
			to = &s.high
		}
		*to += o.Duration
	}
	return s
}

// told are the trials that say something of their load for this goal.
func (g MLRGoal) told(trials []Observation) []Observation {
	inconclusive := func(o Observation) bool { return o.inconclusive(g.LossRatio) }
	if !slices.ContainsFunc(trials, inconclusive) {
		return trials // as nearly always
	}
	return slices.DeleteFunc(slices.Clone(trials), inconclusive)
}

// attempts is how many trials said nothing of their load for this goal, all
// attempts of each counted.
func (g MLRGoal) attempts(trials []Observation) (n int) {
	for _, o := range trials {
		if o.inconclusive(g.LossRatio) {
			n += o.attempts()
		}
	}
	return n
}

// exceeding are the time that counts as one of high loss, and the time of
// which it is a part. Short trials never count for a load. Those of high loss
// count against it, but for the time that those of low loss balance: in the
// proportion that the exceed ratio allows (RFC 9971 section 6.1).
func (g MLRGoal) exceeding(s standing) (high, whole time.Duration) {
	balancing := scaled(s.shortLow, g.Exceed/(1-g.Exceed))
	high = s.high + max(0, s.shortHigh-balancing)
	return high, max(s.low+high, g.Sum)
}

// classify is the load classification of RFC 9971 section 6.1 and appendix A.
//
// The example in appendix C calls a load a lower bound for its goal of 20 %
// exceed ratio where, by its own figures, 42.857 % and 27.273 % of the time
// exceed the loss (points 5 and 6). By the rule it is an upper bound, as here.
func (g MLRGoal) classify(s standing) kind {
	high, whole := g.exceeding(s)
	allowed := scaled(whole, g.Exceed) // whole nanoseconds: sums that are equal compare as equal
	switch {
	case whole-s.low <= allowed:
		return lowerBound
	case high > allowed:
		return upperBound
	}
	return undecided
}

// leaning is what a load looks like from the trials that there are, whatever
// their durations.
func (g MLRGoal) leaning(s standing) kind {
	switch k := g.classify(s); {
	case k != undecided:
		return k
	case s == standing{}:
		return undecided
	case s.high+s.shortHigh > scaled(s.low+s.high+s.shortLow+s.shortHigh, g.Exceed):
		return upperBound
	}
	return lowerBound
}

// conditional is the conditional throughput at a load, in its units: the rate
// that full-length trials forward for all of the time but the exceed ratio of
// it. Of the duration sum, what is missing counts as lost (RFC 9971 appendix B,
// by which section 4.8.3 defines it; section 6.2 leaves the sum out, with which
// a load that was settled early would look better than it may be).
func (g MLRGoal) conditional(load float64, trials []Observation) float64 {
	full := slices.DeleteFunc(slices.Clone(g.told(trials)), func(o Observation) bool { return o.Duration < g.Final })
	return load * (1 - g.quantile(full, g.Sum))
}

// quantile is the loss ratio that trials exceed for no more than the exceed
// ratio of their time, or of a sum where that is more; 1 of none.
func (g MLRGoal) quantile(trials []Observation, whole time.Duration) float64 {
	var measured time.Duration
	for _, o := range trials {
		measured += o.Duration
	}
	whole = max(whole, measured)
	sorted := slices.SortedStableFunc(slices.Values(trials), func(a, b Observation) int { return cmp.Compare(losing(a), losing(b)) })
	remaining := whole - scaled(whole, g.Exceed)
	for _, o := range sorted {
		if remaining -= o.Duration; remaining <= 0 {
			return losing(o)
		}
	}
	return 1
}

// losing is the loss ratio of a trial; one that is not a number is all.
func losing(o Observation) float64 {
	if math.IsNaN(o.Loss) {
		return 1
	}
	return min(max(o.Loss, 0), 1)
}

func scaled(d time.Duration, by float64) time.Duration {
	return time.Duration(math.Round(float64(d) * by))
}
