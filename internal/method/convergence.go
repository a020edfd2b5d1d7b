package method

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

// announce is the event by which the routes of the condition are withdrawn
// before a trial and announced during it.
const announce = "announce"

// converging measures how long the routes of the condition take from their
// announcement until frames to all of them are forwarded, by the frames that
// are lost until then. Each trial sends to every prefix in turn at a share of
// the throughput, or of the knee of a sweep; the announcement comes after Settled. The timeline has steps
// in which every route has its turn, so that a step without loss is one in
// which all are learnt: what is lost later has another reason. The length of
// such a step is the accuracy (RFC 7747 section 4.6), another figure of the result.
// Only the forward direction sends to the routes.
//
// The value is in seconds, the median of the trials. A time below the accuracy
// cannot be distinguished from it: then the value is the accuracy, and the verdict says
// that it is at most that.
func (s *session) converging(ctx context.Context) (weir.Result, error) {
	r := s.result("s")
	routes := s.env.Condition.Routes().Count
	if routes == 0 {
		return r, fmt.Errorf("%s needs routes to learn: put {routes: 10k} among the modifiers, or dut.routes", s.env.Method.Name)
	}
	if _, err := s.env.Method.Event(s.params, s.env.Events); err != nil {
		return r, err
	}
	s.kneeDoes = true // any load below the knee shows when routes are learnt
	rate, err := s.rateWithoutLoss()
	if err != nil {
		return r, err
	}
	once := func() time.Duration { return turn(s.params.Load*rate/s.ports()*s.sources(), routes) }
	left := s.params.Trial - s.params.Phases.Settled
	if once() >= left {
		return r, fmt.Errorf("at %.0f frames/s one frame to each of %d routes takes %v, and of a trial of %v there are %v left when they are announced: give it more time (trial), a higher load or fewer routes",
			s.params.Load*rate/s.ports()*s.sources(), routes, once().Round(time.Millisecond), s.params.Trial, max(0, left))
	}
	var trials []weir.TrialResult
	for range learningLoads {
		trials, err = s.streamAt(ctx, weir.Trial{
			Event:      &weir.Event{Name: announce, After: s.params.Phases.Settled},
			Resolution: once(),
		}, func(t weir.TrialResult) bool {
			return t.Timeline != nil && t.Happened != nil && t.Trial.Resolution >= once()
		})
		// What a disturbed machine loses at this load in each step looks like routes
		// that are not learnt; at half of it the DUT's ring lasts for twice as long.
		if err != nil || 4*once() >= left || !slices.ContainsFunc(trials, unlearnt) {
			break
		}
		s.params.Load /= 2
	}
	for _, t := range trials {
		if t.Happened.Error != "" {
			return r, fmt.Errorf("announce %d routes: %s", routes, t.Happened.Error)
		}
		if t.Happened.Began >= t.Trial.Duration {
			return r, fmt.Errorf("announce %d routes: it began %v after the start, when the trial of %v was over: give it more time (trial)", routes, t.Happened.Began, t.Trial.Duration)
		}
		if unlearnt(t) {
			return r, fmt.Errorf("some of %d routes were not learnt within the trial of %v: give it more time (trial)", routes, t.Trial.Duration)
		}
	}
	if len(trials) == 0 {
		return r, err
	}
	converged := func(t weir.TrialResult) float64 {
		return max(0, learnt(t)-t.Happened.Began).Seconds()
	}
	r = s.delays(trials, converged)
	r.Value = stats.Median(each(trials, converged))
	r.Lower, r.Upper = bounds(trials, converged)
	t := median(trials, converged)
	perRoute := t.Trial.Intended * s.sources() / float64(routes)
	accuracy := max(t.Timeline.Resolution, once()).Seconds()
	lost := float64(t.Offered) - float64(t.Received)
	r.Figures = []weir.Figure{
		{Name: "routes", Value: float64(routes)},
		{Name: "announced within", Value: (t.Happened.Ended - t.Happened.Began).Seconds(), Unit: "s"},
		{Name: "mean over the routes, from the frames lost", Value: max(0, lost/(perRoute*float64(routes))-t.Happened.Began.Seconds()), Unit: "s"},
		{Name: claim.Accuracy, Value: accuracy, Unit: "s"},
		{Name: claim.MeanOfTrials, Value: mean(each(trials, converged)), Unit: "s"},
		{Name: claim.DeviationOfTrials, Value: deviation(each(trials, converged)), Unit: "s"},
	}
	if r.Value < accuracy {
		r.Value, r.Lower, r.Upper, r.Verdict = accuracy, 0, max(accuracy, r.Upper), claim.AtMost
	} else {
		r.Figures = slices.Insert(r.Figures, 1, weir.Figure{Name: claim.RoutesLearnt, Value: float64(routes) / r.Value, Unit: "prefixes/s"})
	}
	late(&r, trials)
	s.claim(&r)
	return r, err
}

// learningLoads is for how many loads routes are announced: where they seem not to be learnt at
// one, at half of it.
const learningLoads = 2

// unlearnt reports whether frames to some route were lost until the end.
func unlearnt(t weir.TrialResult) bool {
	return t.Happened.Error == "" && t.Happened.Began < t.Trial.Duration && learnt(t) > t.Trial.Duration-t.Timeline.Resolution
}

// sources is how many ports send to the routes: those of the forward direction.
func (s *session) sources() float64 { return float64(max(s.env.Traffic.Pairs, 1)) }

// turn is how long one frame to each route takes at a rate over all ports that
// send to them.
func turn(rate float64, routes int) time.Duration {
	return time.Duration(float64(routes) / rate * float64(time.Second))
}

// learnt is when, since the start of sending, frames to all routes came back:
// at the end of the losses that the announcement ended, or at once.
func learnt(t weir.TrialResult) time.Duration {
	for _, e := range t.Timeline.Episodes {
		if e.Until > t.Happened.Began {
			if e.From > t.Happened.Began {
				break // they began later, for another reason
			}
			return e.Until
		}
	}
	return t.Happened.Began
}
