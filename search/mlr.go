package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// MLR is an MLRsearch (RFC 9971): the controller, which looks for the bounds
// of several goals at once. Every trial counts for every goal.
//
// Loads lie on a ladder from Minimum to Maximum whose steps are as wide as the
// narrowest goal, so that two neighbours are bounds that are close enough, and
// goals meet at the same loads. The next trial is, for the first goal that has
// use for one of the kind, and then of the next kind:
//
//   - one of the initial duration between the loads that look good so far and
//     those that look bad, while these are more than the width apart. It is at a
//     hint: the most that the DUT forwarded at a load that looks bad, of which
//     Maximum is often the first. A load below that which looks bad is tried once
//     more. Where a hint does not help go ever greater steps, and at last the
//     middle;
//   - one of the final duration at the lowest load that looks bad or at the
//     highest that looks good, until both are settled: a lower bound, or an upper
//     one, whatever further trials would bring. It is at the one of which the
//     trials say less so far. When one turns out to be the other, all of this
//     begins anew, unless that has begun at too many loads: then these are
//     settled first.
//
// Loads look good or bad by their trials and by those of the loads beside them: a
// DUT that loses nothing at a load was disturbed where it did at a lower one, and
// what it forwarded at a higher load it forwards at a lower one as well.
//
// A trial says nothing where the tester sent less than the load, and no more
// was lost of what it sent than the goal allows: it is performed again, and a
// load of which too many are so is beyond the tester, as for a Binary search.
//
// So all goals are narrowed down by a few trials before any load is settled,
// which takes many, and few loads are. Goals of the least loss ratio are narrowed
// down first: what the DUT forwarded at a load that is bad for them says where the
// bounds of the others are. They are settled last: by then the trials at the higher
// loads of the others say whether their own upper bound was only disturbed.
type MLR struct {
	Goals   []MLRGoal
	Minimum float64 // lowest load to try, at least one frame per trial
	Maximum float64 // highest load to try
	Start   float64 // a guess, where one is at hand: the first load is a little above; 0 means Maximum
}

// Validate reports what is wrong with the search or a goal, or nil.
func (m MLR) Validate() error {
	if len(m.Goals) == 0 {
		return errors.New("a search without goals")
	}
	for i, g := range m.Goals {
		if err := g.Validate(); err != nil {
			return fmt.Errorf("goal %d: %w", i+1, err)
		}
	}
	finite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	switch {
	case !finite(m.Minimum) || !finite(m.Maximum) || !finite(m.Start):
		return fmt.Errorf("minimum %v, maximum %v and start %v have to be finite and not negative", m.Minimum, m.Maximum, m.Start)
	case m.Maximum < m.minimum():
		return fmt.Errorf("maximum load %s frames/s is below the minimum %s", rate(m.Maximum), rate(m.minimum()))
	}
	return nil
}

func (m MLR) minimum() float64 {
	lowest := m.Minimum
	for _, g := range m.Goals {
		lowest = max(lowest, 1/g.initial().Seconds())
	}
	return lowest
}

// Next is the trial to perform after the past: its load and its duration;
// false when the search is done, or after 300 loads, and always for one that is not
// valid.
func (m MLR) Next(past []Observation) (load float64, duration time.Duration, ok bool) {
	if m.Validate() != nil {
		return 0, 0, false
	}
	r := m.ladder()
	t := r.sort(past)
	if len(t.order) == 0 {
		return r.load(m.first(r)), m.strictest()[0].initial(), true
	}
	if m.exhausted(t) {
		return 0, 0, false
	}
	var open []field
	for _, g := range m.strictest() {
		if f := r.field(g, t); !f.done() {
			open = append(open, f)
		}
	}
	loosest := slices.Clone(open)
	slices.Reverse(loosest)
	for _, next := range []struct {
		pick func(field) (int, time.Duration, bool)
		of   []field
	}{{field.silenced, open}, {field.begun, open}, {field.scouted, open}, {field.unsettled, loosest}} {
		for _, f := range next.of {
			if at, d, ok := next.pick(f); ok {
				return r.load(at), d, true
			}
		}
	}
	return 0, 0, false
}

// mostLoads is after how many loads a search ends without a result: some 30 are
// usual, and trials that contradict each other all the way down lead on and on.
const mostLoads = 300

func (m MLR) exhausted(t trials) bool { return len(t.order) >= mostLoads }

// ahead is how far above the guess the first trial is, as a share of it: as far
// as a guess may be off. A load that is too high says how much the DUT forwards,
// and one that is too low only that this is more.
const ahead = .02

// first is the rung of the first trial.
func (m MLR) first(l ladder) int {
	if m.Start == 0 {
		return l.top
	}
	return max(l.below(m.Start*(1+ahead)), 0)
}

// strictest are the goals, those of the least loss ratio first.
func (m MLR) strictest() []MLRGoal {
	return slices.SortedStableFunc(slices.Values(m.Goals), func(a, b MLRGoal) int {
		return cmp.Or(cmp.Compare(a.LossRatio, b.LossRatio), cmp.Compare(a.Exceed, b.Exceed))
	})
}

// Outcomes are what the past amounts to, for each goal. One that is Limited is
// an irregular goal result (RFC 9971 section 4.8.4.2); where Maximum met the
// goal, Lower is Maximum all the same.
func (m MLR) Outcomes(past []Observation) []Outcome {
	out := make([]Outcome, len(m.Goals))
	if m.Validate() != nil {
		return out
	}
	r := m.ladder()
	t := r.sort(past)
	for i, g := range m.Goals {
		f := r.field(g, t)
		o := Outcome{Upper: m.Maximum, Trials: len(past), Done: f.done(), Unstable: f.unstable() || m.exhausted(t) && !f.done()}
		if f.lower >= 0 {
			o.Lower = r.load(f.lower)
			o.Conditional = g.conditional(o.Lower, t.at[f.lower])
		}
		if f.upper <= r.top {
			o.Upper = r.load(f.upper)
		}
		switch {
		case f.beyond[f.upper]:
			o.Limited = ByTester
		case f.upper == 0:
			o.Limited = ByMinimum
		case f.lower == r.top:
			o.Limited = ByMaximum
		}
		out[i] = o
	}
	return out
}

// Run performs the search: it measures the trials that Next asks for. It
// returns the outcomes so far, also together with the error of measure, of the
// context, or of a search that is not valid.
func (m MLR) Run(ctx context.Context, measure func(ctx context.Context, load float64, duration time.Duration) (Observation, error)) ([]Outcome, error) {
	if err := m.Validate(); err != nil {
		return m.Outcomes(nil), fmt.Errorf("MLRsearch: %w", err)
	}
	var past []Observation
	for {
		load, duration, ok := m.Next(past)
		if !ok {
			return m.Outcomes(past), nil
		}
		if err := ctx.Err(); err != nil {
			return m.Outcomes(past), err
		}
		o, err := measure(ctx, load, duration)
		if err != nil {
			return m.Outcomes(past), err
		}
		o.Load, o.Duration = load, duration // what was asked, to the bit: the past must lead here again
		past = append(past, o)
	}
}
