package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/search"
)

// throughputName is how results of other methods find those of this one.
const throughputName = "throughput"

// throughput searches for the highest load at which no more frames are lost
// than the goal allows: none for the throughput of RFC 2544 section 26.1. The
// value is that load, which is also the lower bound; the upper bound is the
// lowest load that missed the goal. The ledger, the latency and the CPU time
// are those of a trial at the lower bound, or, where no load met the goal, at
// the lowest load that was tried.
var throughput = Method{
	Name:     throughputName,
	RFC:      "RFC 2544 section 26.1",
	Summary:  "highest load without loss, or within a stated loss ratio",
	Kind:     Rate,
	Check:    claim.CheckThroughput,
	Takes:    []string{"loss", "exceed", "width", "trial", "minimum", "maximum"},
	Defaults: throughputDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Width: 0.05},
	Book:     Params{Trial: fullTrial},
	Measure:  single(runThroughput),
}

var throughputDefaults = Params{Trial: time.Second, Trials: 1, Width: 0.01}

func runThroughput(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	maximum, limit := s.limit()
	if maximum == 0 {
		return weir.Result{}, errors.New("nothing limits the search: give a maximum in the plan, or measure the tester alone first")
	}
	if err := s.outOfRange(maximum, limit); err != nil {
		return weir.Result{}, err
	}
	goal := search.Goal{
		LossRatio: s.params.Loss, Exceed: s.params.Exceed, Width: s.params.Width,
		Trial: s.params.Trial, Trials: s.params.Trials,
		Minimum: s.minimum(maximum, s.params.Trial), Maximum: maximum, Start: knownRate(env.Past, s.params.Loss) / s.ports(),
	}
	measure := func(ctx context.Context, load float64) (search.Observation, error) {
		if s.farBelow(load) {
			return search.Observation{}, errFarBelow
		}
		t, err := s.searching(ctx, weir.Trial{Intended: load}, s.params.Loss)
		return s.observation(t), err
	}
	var found search.Outcome
	err := s.seeking(ctx, s.params.Loss, func(ctx context.Context) (lowest bool, err error) {
		if found, err = search.Run(ctx, goal, measure); err == nil && s.found == nil {
			b := search.Binary{Goal: goal}
			found = s.searchAtLead(ctx, leadSearch{
				maximum: goal.Maximum, loss: goal.LossRatio,
				next: func(past []search.Observation) (weir.Trial, bool) {
					load, more := b.Next(past)
					return weir.Trial{Intended: load}, more
				},
				outcomes: func(past []search.Observation) []search.Outcome { return []search.Outcome{b.Outcome(past)} },
			}, []search.Outcome{found})[0]
		}
		return found.Done && found.Limited == search.ByMinimum, err
	})
	r := s.searched(goal, found, limit)
	if s.found != nil {
		s.withFinding(&r)
		if errors.Is(err, errFarBelow) {
			err = nil
		}
		return r, err
	}
	if errors.Is(err, errHeld) {
		if err = s.inTheLongRun(ctx, &r, s.held); ctx.Err() != nil {
			err = ctx.Err()
		}
		return r, err
	}
	s.perhapsHeld(&r)
	short := found.Limited == search.ByTester && limit == limitTester && found.Lower < leastShare*maximum
	if below := errors.Is(err, errFarBelow); below || found.Done && short {
		s.withoutNumber(&r, !below)
		err = nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, err
}

// minimum is the lowest load of the search, in frames/s per port: the plan's,
// or that of which a trial has one full burst. With less than that it would
// find the largest part of a burst that comes through.
func (s *session) minimum(maximum float64, trial time.Duration) float64 {
	return min(maximum, max(s.params.Minimum, float64(s.env.Traffic.Burst)/trial.Seconds()))
}

// limit is the highest load of the search, in frames/s per port, and what sets
// it; 0 when nothing does.
func (s *session) limit() (rate float64, by string) {
	rate = math.Inf(1)
	for _, l := range []struct {
		rate float64
		by   string
	}{{s.env.MediaRate, limitMedium}, {s.env.Ceiling, limitTester}, {s.params.Maximum, limitPlan}} {
		if l.rate > 0 && l.rate < rate {
			rate, by = l.rate, l.by
		}
	}
	if by == "" {
		return 0, ""
	}
	return rate, by
}

// outOfRange is what is wrong with a plan's minimum that is above the highest
// load of the search; nil where it is not.
func (s *session) outOfRange(maximum float64, limit string) error {
	if s.params.Minimum <= maximum {
		return nil
	}
	what := map[string]string{limitMedium: "the medium carries", limitTester: "the tester sends", limitPlan: "the plan allows"}[limit]
	return fmt.Errorf("%s at most %.0f frames/s from each port, which is below the plan's minimum of %.0f: lower the minimum", what, maximum, s.params.Minimum)
}

// What ends the range of a search.
const (
	limitMedium = "the medium"
	limitTester = "the tester's own ceiling"
	limitPlan   = "the plan's maximum"
)

// knownRate is a first guess from the past, in frames/s over all ports: the
// knee that the last sweep found for a loss ratio, which many windows agree on
// and no single trial moves; or else the last throughput for the same, or for a
// stricter goal, which this one is met at too; or else the highest rate that is
// known; 0 when there is none.
func knownRate(past []weir.Result, loss float64) float64 {
	knee, same, stricter, highest := 0., 0., 0., 0.
	for _, r := range past {
		switch {
		case r.Method == sweepName:
			knee = cmp.Or(kneeOf(r, loss), knee)
			highest = max(highest, r.Value)
		case r.Method == throughputName && r.LossRatio == loss:
			same = r.Value
		case r.Method == throughputName && r.LossRatio < loss:
			stricter = max(stricter, r.Value)
		case r.Method == throughputName || r.Method == frmolName:
			highest = max(highest, r.Value)
		}
	}
	return cmp.Or(knee, same, stricter, highest)
}

// searched is the result of a search.
func (s *session) searched(goal search.Goal, found search.Outcome, limit string) weir.Result {
	r := s.result("frames/s")
	r.LossRatio, r.ExceedRatio, r.Width = goal.LossRatio, goal.Exceed, goal.Width
	r.Lower, r.Upper = found.Lower*s.ports(), found.Upper*s.ports()
	r.Value = r.Lower

	atLower, atUpper := s.at(found.Lower), s.at(found.Upper)
	addWarnings(&r, atLower...)
	addWarnings(&r, atUpper...)
	var representative weir.TrialResult
	for _, t := range atUpper {
		representative = t
	}
	for i, t := range atLower {
		if i == 0 || goal.Good(t.LossRatio()) {
			representative = t
		}
	}
	s.represent(&r, representative)

	if !found.Done {
		r.Verdict = claim.NotEnded
	}
	s.reportSpeeds(&r)
	s.claim(&r)
	switch {
	case !found.Done:
		return r
	case found.Limited == search.ByTester:
		r.Warnings = weir.AddWarning(r.Warnings, beyondTester(r.Upper))
	case found.Lower == 0:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "even at the lowest load, %.0f frames/s, more frames were lost than the goal allows; raise the loss ratio or lower the minimum", r.Upper))
		return r
	case found.Limited == search.ByMaximum:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "even the highest load, %.0f frames/s, met the goal; %s ends the search there, and the DUT may do more", r.Upper, limit))
	}
	if found.Unstable {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.NoisyResult, "repeated trials at one load disagreed, or one far above the upper bound met the goal; use longer or more trials, and a quieter machine"))
	}
	return r
}

// at are the trials at a load in frames/s per port.
func (s *session) at(load float64) (out []weir.TrialResult) {
	for _, t := range s.trials {
		if t.Trial.Intended == load {
			out = append(out, t)
		}
	}
	return out
}
