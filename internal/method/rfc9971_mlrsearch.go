package method

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/search"
)

// mlrSearch looks for the bounds of several goals in one search, whose trials
// count for all of them. There is a result for each goal, in their order: its
// value is the conditional throughput, what the DUT forwarded at the lower bound
// in all but the share of the time that may exceed the loss ratio. First and
// last trial, their number and their time are those of all of the search. The
// ledger, the latency and the CPU time are those of the trial that the value is
// from, or, where no load met the goal, of one at the lowest load.
var mlrSearch = Method{
	Name:     mlrName,
	RFC:      "RFC 9971",
	Summary:  "conditional throughput of several goals in one search",
	Kind:     Goals,
	Title:    "MLRsearch",
	Check:    claim.CheckMLRSearch,
	Means:    "conditional throughput",
	Takes:    []string{"goals", "minimum", "maximum"},
	Defaults: mlrDefaults,
	Quick:    Params{MLR: MLR{Goals: []Goal{{Initial: 200 * time.Millisecond, Final: 200 * time.Millisecond, Sum: 600 * time.Millisecond, Width: .02}}}},
	// RFC 9971 section 4.10: the goals of RFC 2544 and of ETSI GS NFV-TST 009.
	Book: Params{MLR: MLR{Goals: []Goal{
		{Initial: time.Second, Final: fullTrial, Sum: fullTrial, Width: usualWidth},
		{Initial: time.Second, Final: fullTrial, Sum: 2 * fullTrial, Exceed: .5, Width: usualWidth},
	}}},
	Measure: runMLRSearch,
}

// mlrName is how results of other methods find those of this one.
const mlrName = "mlrsearch"

// usualWidth is no less than the loss ratio of the usual goals, so that a goal
// that allows more loss does not find less (RFC 9971 section 5.6.2).
const usualWidth = 0.005

// The goals are those in common use for software: none or 0.5 % of the frames
// may be lost, in more than half of 21 trials of 1 s.
var mlrDefaults = Params{Trial: time.Second, Trials: 1, MLR: MLR{Goals: []Goal{
	{Final: time.Second, Sum: 21 * time.Second, Exceed: .5, Width: usualWidth},
	{Final: time.Second, Sum: 21 * time.Second, Loss: .005, Exceed: .5, Width: usualWidth},
}}}

func runMLRSearch(ctx context.Context, env Env, p Params) ([]weir.Result, error) {
	s := begin(env, p)
	maximum, limit := s.limit()
	if maximum == 0 {
		return []weir.Result{s.result("frames/s")}, errNoTop
	}
	if err := s.outOfRange(maximum, limit); err != nil {
		return []weir.Result{s.result("frames/s")}, err
	}
	m := search.MLR{Maximum: maximum}
	strictest := 1.
	for _, g := range s.params.MLR.Goals {
		m.Minimum = max(m.Minimum, s.minimum(maximum, cmp.Or(g.Initial, g.Final)))
		m.Goals = append(m.Goals, search.MLRGoal{
			LossRatio: g.Loss, Exceed: g.Exceed, Initial: g.Initial, Final: g.Final, Sum: g.Sum, Width: g.Width,
		})
		strictest = min(strictest, g.Loss)
	}
	m.Start = knownRate(env.Past, strictest) / s.ports()
	measure := func(ctx context.Context, load float64, duration time.Duration) (search.Observation, error) {
		if s.farBelow(load) {
			return search.Observation{}, errFarBelow
		}
		t, err := s.searching(ctx, weir.Trial{Intended: load, Duration: duration}, strictest)
		return s.observation(t), err
	}
	found := make([]search.Outcome, len(m.Goals))
	err := s.seeking(ctx, strictest, func(ctx context.Context) (lowest bool, err error) {
		if found, err = m.Run(ctx, measure); err == nil && s.found == nil {
			found = s.searchAtLead(ctx, leadSearch{
				maximum: m.Maximum, loss: strictest,
				next: func(past []search.Observation) (weir.Trial, bool) {
					load, length, more := m.Next(past)
					return weir.Trial{Intended: load, Duration: length}, more
				},
				outcomes: m.Outcomes,
			}, found)
		}
		return err == nil && slices.ContainsFunc(found, func(o search.Outcome) bool { return o.Limited == search.ByMinimum }), err
	})
	below := errors.Is(err, errFarBelow)
	if below || errors.Is(err, errHeld) {
		err = nil
	}
	var results []weir.Result
	for i, g := range s.params.MLR.Goals {
		r := s.goalResult(g, found[i], limit)
		short := found[i].Limited == search.ByTester && limit == limitTester && found[i].Lower < leastShare*maximum
		switch {
		case s.found != nil:
			s.withFinding(&r)
		case s.held != nil:
			if ended := s.inTheLongRun(ctx, &r, s.held); ended != nil {
				err = ended
			}
		case below && !found[i].Done || found[i].Done && short:
			s.withoutNumber(&r, found[i].Done)
		default:
			s.perhapsHeld(&r)
		}
		results = append(results, r)
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return results, err
}

// goalResult is the result of one goal.
func (s *session) goalResult(g Goal, found search.Outcome, limit string) weir.Result {
	r := s.result("frames/s")
	r.LossRatio, r.ExceedRatio, r.Width = g.Loss, g.Exceed, g.Width
	r.TrialSeconds, r.Sum = g.Final.Seconds(), g.Sum.Seconds()
	r.Value, r.Lower, r.Upper = found.Conditional*s.ports(), found.Lower*s.ports(), found.Upper*s.ports()
	r.Irregular = found.Done && found.Limited != ""
	if !found.Done {
		r.Verdict = claim.NotEnded
	}

	atLower, atUpper := s.at(found.Lower), s.at(found.Upper)
	addWarnings(&r, atLower...)
	addWarnings(&r, atUpper...)
	if len(atLower) > 0 {
		s.represent(&r, nearest(atLower, g.Final, 1-found.Conditional/found.Lower))
	} else if len(atUpper) > 0 {
		s.represent(&r, atUpper[len(atUpper)-1])
	}
	s.reportSpeeds(&r)
	s.claim(&r)

	warn := func(code weir.WarningCode, format string, args ...any) {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(code, format, args...))
	}
	switch {
	case !found.Done:
		if found.Unstable {
			warn(weir.NoisyResult, "trials disagreed until the search was broken off; use longer or more trials, and a quieter machine")
		}
		return r
	case found.Limited == search.ByTester:
		r.Warnings = weir.AddWarning(r.Warnings, beyondTester(r.Upper))
	case found.Limited == search.ByMinimum:
		warn(weir.SearchLimit, "irregular: no lower bound, as even the lowest load, %.0f frames/s, missed the goal; raise the loss ratio or the exceed ratio, or lower the minimum", r.Upper)
		return r
	case found.Limited == search.ByMaximum:
		warn(weir.SearchLimit, "irregular: no upper bound, as even the highest load, %.0f frames/s, met the goal; %s ends the search there, and the DUT may do more", r.Upper, limit)
	}
	if found.Unstable {
		warn(weir.NoisyResult, "repeated trials at one load disagreed; use longer or more trials, and a quieter machine")
	}
	return r
}

// nearest is the trial whose loss ratio is the nearest to one, of those that
// have the final duration where there are any. There has to be a trial.
func nearest(trials []weir.TrialResult, final time.Duration, loss float64) weir.TrialResult {
	best := trials[0]
	for _, t := range trials {
		full, was := t.Trial.Duration >= final, best.Trial.Duration >= final
		closer := math.Abs(t.LossRatio()-loss) < math.Abs(best.LossRatio()-loss)
		if full && !was || full == was && closer {
			best = t
		}
	}
	return best
}
