package search

import (
	"math"
	"slices"
)

// Binary is a binary search for the highest load that meets its goal.
//
// Of the Trials that one load may have, each is good (it lost no more than
// LossRatio) or bad. The load is a lower bound as soon as the share of bad
// trials would be within Exceed even if all remaining trials were bad, and an
// upper bound as soon as it would be above Exceed even if all remaining ones
// were good: with 3 trials and Exceed 0.5 two of a kind decide. Trials that a
// past holds beyond Trials count as well.
//
// A trial says nothing where the tester sent less than the load, and no more
// was lost of what it sent than the goal allows. A load of which too many are so
// is beyond the tester: the search does not go there again, as if it were an
// upper bound, unless a higher load is a lower bound.
//
// The lowest upper bound is believed, and a lower bound only when it lies
// below that: where a DUT loses frames at one load and none at a higher one,
// the result is the conservative one and the bounds never cross.
//
// An upper bound far below a load that met the goal, or below what was forwarded
// at a higher one, is doubtful: it is tried again, up to twice, and the majority
// of its trials decides.
//
// The loads asked for are, in this order:
//
//   - the lowest upper bound, while it is doubtful;
//   - the load of the last trial, until it is decided;
//   - first Start, or Maximum without it;
//   - the hint of the last load when it failed: the load of which its
//     forwarding rate would be the permitted share. Never two hints in a row,
//     and only one well inside of the bounds. When a hint meets the goal, the
//     load just above is tried, which often ends the search;
//   - while only one bound is known, steps away from it that double each time;
//   - the middle of the bounds.
//
// The search ends when the bounds are within Width or less than one frame per
// trial apart, when Maximum meets the goal, or when Minimum does not. Where the
// tester could not offer the upper one, that is what limits the outcome.
type Binary struct{ Goal }

// firstStep is the least first step away from a single bound, relative to it.
const firstStep = 1.0 / 64

// Next is the load to try after the past; false when the search is done, and
// always for a goal that is not valid.
func (b Binary) Next(past []Observation) (load float64, ok bool) {
	if b.Validate() != nil {
		return 0, false
	}
	v := b.review(past)
	if b.doubtful(past, v) {
		return v.upper, true
	}
	if b.done(v) {
		return 0, false
	}
	if len(past) == 0 {
		return b.first(), true
	}
	last := past[len(past)-1]
	if v.kind[last.Load] == undecided && v.lower < last.Load && last.Load < v.upper {
		return last.Load, true
	}
	// A hint nearer than the step that would be taken anyway is none: a DUT that
	// loses a little at many loads would be felt down inch by inch.
	far := v.lowers > 0 || b.hint(last) < v.upper/(1+b.step(v.uppers))
	if h := b.hint(last); far && !b.hinted(past, last.Load) && b.inside(v, h) && !b.Good(last.Loss) {
		return h, true
	}
	switch {
	case v.lowers == 0 && v.uppers == 0:
		return b.first(), true // the past holds no load of this range
	case v.uppers == 0:
		return min(v.lower*(1+b.step(v.lowers)), b.Maximum), true
	case v.lowers == 0:
		step := b.step(v.uppers)
		if b.hint(last) < v.upper/2 {
			step = 1 // far too much: little steps would be wasted
		}
		return min(max(v.upper/(1+step), b.minimum()), b.Maximum), true
	}
	mid := min(v.mid(), b.Maximum)
	if last.Load == v.lower && b.hinted(past, v.lower) {
		if next := v.lower * (1 + b.Width); v.lower < next && next < mid {
			return next, true
		}
	}
	return mid, true
}

// Outcome is what the past amounts to.
func (b Binary) Outcome(past []Observation) Outcome {
	if b.Validate() != nil {
		return Outcome{}
	}
	v := b.review(past)
	o := Outcome{Lower: v.lower, Upper: min(v.upper, b.Maximum), Trials: len(past), Unstable: v.unstable || b.torn(past, v), Done: b.done(v) && !b.doubtful(past, v)}
	switch {
	case v.kind[v.upper] == beyondTester:
		o.Limited = ByTester
	case v.uppers > 0 && v.upper <= b.minimum():
		o.Limited = ByMinimum
	case v.lowers > 0 && v.lower >= b.Maximum:
		o.Limited = ByMaximum
	}
	return o
}

// kind is what the trials at one load say of it.
type kind int

const (
	undecided kind = iota
	lowerBound
	upperBound
	beyondTester
)

// view is a past by loads.
type view struct {
	kind           map[float64]kind
	lower, upper   float64 // 0 and +Inf when there is none
	lowers, uppers int     // loads that are such bounds, those beyond the tester among the upper ones
	unstable       bool
}

func (b Binary) review(past []Observation) view {
	type tally struct{ good, bad, inconclusive int }
	tallies := make(map[float64]tally)
	for _, o := range past {
		if !(o.Load > 0) || math.IsInf(o.Load, 1) {
			continue // not a load, and no key either when NaN
		}
		t := tallies[o.Load]
		switch {
		case b.Good(o.Loss):
			t.good++
		case o.inconclusive(b.LossRatio):
			t.inconclusive += o.attempts()
		default:
			t.bad++
		}
		tallies[o.Load] = t
	}
	v := view{kind: make(map[float64]kind), upper: math.Inf(1)}
	for load, t := range tallies {
		v.kind[load] = b.classify(t.good, t.bad)
		if v.kind[load] == undecided && beyond(t.inconclusive, t.good+t.bad) {
			v.kind[load] = beyondTester
		}
		if v.kind[load] == upperBound && t.good > t.bad && b.verdict(past, load) == refuted {
			v.kind[load] = lowerBound
		}
		v.unstable = v.unstable || t.good > 0 && t.bad > 0
		switch v.kind[load] {
		case lowerBound:
			v.lowers++
		case upperBound:
			v.uppers++
			v.upper = min(v.upper, load)
		}
	}
	for load, k := range v.kind {
		if k == lowerBound && load < v.upper {
			v.lower = max(v.lower, load)
		}
	}
	if v.lower == 0 {
		v.lowers = 0 // none that counts
	}
	for load, k := range v.kind {
		if k == beyondTester && load > v.lower { // else it was a disturbance
			v.uppers++
			v.upper = min(v.upper, load)
		}
	}
	return v
}

func (b Binary) classify(good, bad int) kind {
	total := max(b.trials(), good+bad)
	remaining := total - good - bad
	switch {
	case float64(bad+remaining)/float64(total) <= b.Exceed:
		return lowerBound
	case float64(bad)/float64(total) > b.Exceed:
		return upperBound
	}
	return undecided
}

func (b Binary) done(v view) bool {
	if v.upper <= b.minimum() || v.lower >= b.Maximum {
		return true
	}
	if v.lowers == 0 || v.uppers == 0 {
		return false
	}
	gap := v.upper - v.lower
	apart := v.lower < v.mid() && v.mid() < v.upper // as far as a float64 can tell
	return gap/v.upper <= b.Width || gap*b.Trial.Seconds() < 1 || !apart
}

func (v view) mid() float64 { return v.lower + (v.upper-v.lower)/2 }

func (b Binary) first() float64 {
	if b.Start == 0 {
		return b.Maximum
	}
	return min(max(b.Start, b.minimum()), b.Maximum)
}

// step is the n-th step away from a single bound, relative to it.
func (b Binary) step(n int) float64 {
	return min(math.Ldexp(max(2*b.Width, firstStep), n-1), 1)
}

// hint is the load at which a DUT that forwards no more than it did in this
// trial would just meet the loss ratio. Where the tester sent too little, it is
// a width below that: what it could just send this time, it may not the next.
func (b Binary) hint(o Observation) float64 {
	h := o.Forwarded / (1 - b.LossRatio)
	if o.Unsent > 0 {
		h *= 1 - b.Width
	}
	return h
}

// hinted reports whether the load was a hint of the past.
func (b Binary) hinted(past []Observation, load float64) bool {
	return slices.ContainsFunc(past, func(o Observation) bool { return !b.Good(o.Loss) && b.hint(o) == load })
}

// inside reports whether a hint is so far from both bounds that it is worth a
// trial.
func (b Binary) inside(v view, hint float64) bool {
	low, high := max(v.lower, b.minimum()), min(v.upper, b.Maximum)
	margin := high * b.Width / 2
	return low+margin < hint && hint < high-margin
}
