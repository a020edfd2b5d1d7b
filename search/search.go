// Package search decides which load to try next. A search is a pure function
// of the past: given the same observations it asks for the same load, so that
// it can be tested with tables and resumed by replaying what was recorded.
//
// The package sends no frames, waits for nothing and keeps no state; Run is
// the loop around a search for those who do. Loads are in frames/s; whether
// they count one port or all of them is the caller's choice, as long as it is
// always the same.
package search

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Goal says when a load is good enough and how exactly the highest such load
// is wanted.
type Goal struct {
	LossRatio float64       // highest loss ratio at which a trial is good, 0 to 1 (RFC 1242 3.6)
	Exceed    float64       // share of the trials at one load that may be bad, 0 to 1; 0: every trial must be good
	Trial     time.Duration // duration of one trial; loads less than one frame per trial apart are the same load
	Trials    int           // trials that may be spent at one load; 0 means 1
	Width     float64       // stop when (upper - lower) / upper is at most this, 0 to 1
	Minimum   float64       // lowest load to try, at least one frame per trial
	Maximum   float64       // highest load to try
	Start     float64       // first load, where a guess is at hand; 0 means Maximum
}

// Observation is one trial of the past.
type Observation struct {
	Load      float64       // the intended load
	Loss      float64       // loss ratio, of all frames that were intended
	Unsent    float64       // share of these that never left the tester, a part of Loss
	Forwarded float64       // forwarding rate (RFC 2285 3.6.1), in the units of Load
	Duration  time.Duration // how long it sent; a search whose trials are all alike does not look at it
	Attempts  int           // how often it was measured until it counted, the last time included; 0: once
}

// Outcome is what a past amounts to.
type Outcome struct {
	// Lower is the highest load that met the goal below every load that did
	// not; 0 when there is none.
	Lower float64
	// Upper is the lowest load that did not meet the goal; the goal's Maximum
	// when there is none.
	Upper    float64
	Trials   int    // in the past
	Limited  string // one of those below, or ""
	Unstable bool   // trials at one load disagreed, or those of a Binary search at Upper and at a load far above it
	Done     bool   // no further trial is needed
	// Conditional is the conditional throughput at Lower (RFC 9971 section
	// 4.8.3), of an MLRsearch; 0 when there is no Lower.
	Conditional float64
}

// What limits an outcome.
const (
	ByMinimum = "minimum" // not even that met the goal
	ByMaximum = "maximum" // even that met the goal
	ByTester  = "tester"  // could not offer Upper: nobody knows whether it meets the goal
)

// patience is how many trials at one load may say nothing of it at least, as
// the tester sent too little.
const patience = 3

// inconclusive reports whether a trial says nothing of its load for a goal of a loss
// ratio, as weir.TrialResult.Inconclusive does: the tester sent less than was asked,
// and of what it did send no more was lost than the goal allows.
func (o Observation) inconclusive(ratio float64) bool {
	if !(o.Unsent > 0) || o.Loss <= ratio {
		return false
	}
	return o.Unsent >= 1 || (o.Loss-o.Unsent)/(1-o.Unsent) <= ratio
}

// attempts is how many trials an inconclusive one stands for: in its other attempts
// the tester, or its machine, failed as well.
func (o Observation) attempts() int { return max(o.Attempts, 1) }

// beyond reports whether so many inconclusive trials beside so many others show a
// load to be more than the tester can offer.
func beyond(inconclusive, others int) bool { return inconclusive >= patience && inconclusive > others }

// Validate reports what is wrong with a goal, or nil.
func (g Goal) Validate() error {
	share := func(v float64) bool { return v >= 0 && v < 1 }
	finite := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	switch {
	case !share(g.LossRatio):
		return fmt.Errorf("loss ratio %v is not in [0, 1)", g.LossRatio)
	case !share(g.Exceed):
		return fmt.Errorf("exceed ratio %v is not in [0, 1)", g.Exceed)
	case !share(g.Width):
		return fmt.Errorf("width %v is not in [0, 1)", g.Width)
	case g.Trial <= 0:
		return fmt.Errorf("trial duration %v is not positive", g.Trial)
	case g.Trials < 0:
		return fmt.Errorf("%d trials at one load are less than none", g.Trials)
	case !finite(g.Minimum) || !finite(g.Maximum) || !finite(g.Start):
		return fmt.Errorf("minimum %v, maximum %v and start %v have to be finite and not negative", g.Minimum, g.Maximum, g.Start)
	case g.Maximum < g.minimum():
		return fmt.Errorf("maximum load %s frames/s is below the minimum %s", rate(g.Maximum), rate(g.minimum()))
	}
	return nil
}

// rate is a load as people write it, without an exponent or digits that say
// nothing.
func rate(v float64) string {
	if v >= 1 {
		v = math.Round(100*v) / 100
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Good reports whether a trial of this loss ratio meets the goal by itself.
func (g Goal) Good(loss float64) bool { return loss <= g.LossRatio }

func (g Goal) trials() int { return max(g.Trials, 1) }

func (g Goal) minimum() float64 { return max(g.Minimum, 1/g.Trial.Seconds()) }

// Run searches until it is done: it measures the loads that Binary asks for.
// It returns what the trials so far amount to, also together with the error
// of measure, of the context, or of an invalid goal.
func Run(ctx context.Context, goal Goal, measure func(ctx context.Context, load float64) (Observation, error)) (Outcome, error) {
	if err := goal.Validate(); err != nil {
		return Outcome{}, fmt.Errorf("search goal: %w", err)
	}
	b := Binary{goal}
	var past []Observation
	for {
		load, ok := b.Next(past)
		if !ok {
			return b.Outcome(past), nil
		}
		if err := ctx.Err(); err != nil {
			return b.Outcome(past), err
		}
		o, err := measure(ctx, load)
		if err != nil {
			return b.Outcome(past), err
		}
		o.Load = load // what was asked, to the bit: the past must lead here again
		past = append(past, o)
	}
}
