package method

import (
	"context"
	"errors"
	"slices"
	"time"

	"weir"
	"weir/search"
	"weir/sweep"
)

// A machine that jumps between several speeds makes the trials of a search contradict each
// other: one meets a slow speed, the next a fast one, and the rate that is found is that of
// chance. So each trial of a search has a timeline, from which the speeds are known as a sweep
// knows them. Where there are several, overloads show for how long the DUT has each, and the
// search goes on for the one that leads: of a trial those frames count that were sent while
// the DUT had it.
const (
	overloadOfSpeeds = "overload for speeds" // what these trials are for
	stepsOfTrial     = 100                   // of the timeline of a trial
	mostSteps        = 400                   // of a long trial, whose steps last longer than
	longStep         = 10 * time.Millisecond
	shortStep        = 2 * time.Millisecond
	speedLength      = time.Second     // of an overload
	speedTime        = 4 * time.Second // of overloads, where the tester sends enough for these
	mostOverloads    = 10
	overSpeed        = 1.2    // times the fastest speed, of an overload
	aboveSpeed       = 1.05   // times that, of a trial that shows each speed
	sameSpeed        = .05    // by which the rate in a step may differ from its speed
	leastSpeedRatio  = 1.08   // times the next speed, at least
	leastAtSpeed     = .15    // of the frames of a trial, that say something of a speed
	leastShort       = .03    // of the frames of a step are lost where a part of it was slower
	farOver          = 2. / 3 // loss ratio of trials that say nothing: what such an overload leaves is no capacity
	stepsAtSpeed     = 8      // without a loss, that show a speed of at least the load
	mostAtSpeed      = 16     // trials beyond those of the search, or as many as these
)

// speeds is what the trials of a search know of several speeds.
type speeds struct {
	known    []sweep.Speed // those that any trial has met, perhaps; none where there is one
	measured []sweep.Speed // those that there are, and for how long each held
	lead     bool          // the bounds are those of the one that leads
	blind    bool          // the tester has no timelines for such traffic
}

// chooseStep returns the resolution of the timeline of a trial of a search, of a length; 0
// where it has none.
func (s *session) chooseStep(length time.Duration) time.Duration {
	if s.speeds.blind || s.env.Traffic.Burst > 0 { // bursts begin and end within a step
		return 0
	}
	return max(length/mostSteps, min(length/stepsOfTrial, longStep), shortStep)
}

// measureTimed performs a trial of a search with a timeline, and without where the tester
// has none for such traffic.
func (s *session) measureTimed(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	length := t.Duration
	if length == 0 {
		length = s.params.Trial
	}
	t.Resolution = s.chooseStep(length)
	r, err := s.measure(ctx, t)
	var missing *weir.UnsupportedError
	if t.Resolution > 0 && errors.As(err, &missing) {
		s.speeds.blind, t.Resolution = true, 0
		r, err = s.measure(ctx, t)
	}
	return r, err
}

// leadSearch is a search that may go on for the speed that leads.
type leadSearch struct {
	maximum  float64 // load, in frames/s per port
	loss     float64 // ratio, the least that one of its goals allows
	next     func(past []search.Observation) (t weir.Trial, more bool)
	outcomes func(past []search.Observation) []search.Outcome // of its goals
}

// searchAtLead has a search that has ended go on for the speed that leads, where trials have
// met several, and returns what it amounts to then: what it was where that does not end.
func (s *session) searchAtLead(ctx context.Context, of leadSearch, found []search.Outcome) []search.Outcome {
	if slices.ContainsFunc(found, func(o search.Outcome) bool { return !o.Done || o.Lower == 0 }) {
		return found
	}
	if s.speeds.known = s.findSpeeds(0, false); len(s.speeds.known) == 0 || s.overloadSpeeds(ctx, of.maximum) != nil || len(s.speeds.measured) == 0 {
		return found
	}
	before := len(s.trials)
	most := max(mostAtSpeed, before)
	for more := 0; ; more++ {
		past := s.observeAtLead(of.loss)
		t, open := of.next(past)
		out := of.outcomes(past)
		bounded, done, near := true, !open, more == most
		for _, o := range out {
			bounded, done = bounded && o.Lower > 0, done && o.Done
			near = near && o.Upper*(1-sameSpeed) < o.Lower
		}
		if s.speeds.lead = bounded && (done || near); s.speeds.lead {
			for i := range out {
				out[i].Done, out[i].Unstable = true, out[i].Unstable || !done
			}
			return out
		}
		if !open || more == most {
			break
		}
		if _, err := s.measureTimed(ctx, t); err != nil {
			break
		}
	}
	s.trickles = append(s.trickles, s.trials[before:]...) // they show speeds, and no bound of the result
	s.trials = s.trials[:before]
	return found
}

// overloadSpeeds overloads the DUT for as long as it takes to know for how long it has each
// speed, and whether there are several: a first jump may be one of its own.
func (s *session) overloadSpeeds(ctx context.Context, most float64) error {
	for range mostOverloads {
		top, took := s.findFastest(), time.Duration(0)
		for _, t := range s.listTimed() {
			if t.Trial.Purpose == overloadOfSpeeds && t.Trial.Intended >= aboveSpeed*top {
				took += t.Trial.Duration
			}
		}
		load := min(overSpeed*top, most)
		if took >= speedTime || load < aboveSpeed*top {
			break
		}
		t, err := s.perform(ctx, weir.Trial{Purpose: overloadOfSpeeds, Intended: load, Duration: speedLength, Resolution: s.chooseStep(speedLength)})
		if err != nil {
			return err
		}
		s.trickles = append(s.trickles, t)
		if all := s.findSpeeds(0, false); len(all) > 0 {
			s.speeds.known = all
		}
	}
	if s.speeds.measured = s.findSpeeds(aboveSpeed*s.findFastest(), false); len(s.speeds.measured) < 2 {
		s.speeds.measured = s.findSpeeds(0, true)
	}
	return nil
}

// findFastest returns the fastest speed that is known, in frames/s per port, or the highest
// load of which a trial lost nothing for longer than a buffer takes.
func (s *session) findFastest() float64 {
	top := s.speeds.known[0].Capacity
	for _, t := range s.listTimed() {
		steps, taken := 0, 0. // that lost nothing, one after the other; frames above the speed
		for i, v := range t.Timeline.Intervals[1 : len(t.Timeline.Intervals)-2] {
			asked := t.Trial.Intended * (t.Timeline.Intervals[i+2].From - v.From).Seconds()
			if steps, taken = steps+1, taken+asked*(1-top/t.Trial.Intended); v.Received < v.Sent || float64(v.Sent) < .99*asked*s.ports()-2 {
				steps, taken = 0, 0
			}
			if steps >= stepsAtSpeed && taken > 2*float64(s.buffer()) {
				top = t.Trial.Intended
			}
		}
	}
	return top
}

// buffer returns how many frames per port the DUT is known to hold.
func (s *session) buffer() int {
	if s.leastHold == nil {
		return s.env.Ring
	}
	return max(s.env.Ring, int(min(s.leastHold.Frames/s.ports(), 1<<24)))
}

// listTimed returns the trials that have a timeline of one load, in their order.
func (s *session) listTimed() (out []weir.TrialResult) {
	for _, t := range slices.Concat(s.trials, s.trickles) {
		far := t.Trial.Purpose != overloadOfSpeeds && t.DUTLoss() > farOver
		if t.Timeline != nil && t.Trial.Then == nil && len(t.Timeline.Intervals) > 3 && t.Offered > 0 && !far {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b weir.TrialResult) int { return a.Trial.Number - b.Trial.Number })
	return out
}

// findSpeeds returns the speeds that trials of a load in frames/s per port at least show; where
// that has to be certain, two of them in two trials each, or none.
func (s *session) findSpeeds(least float64, certain bool) []sweep.Speed {
	goal := sweep.Goal{Maximum: 1, Buffer: s.buffer(), Ports: s.env.Traffic.Ports()}
	var past []sweep.Pass
	all := s.listTimed()
	for i, t := range all {
		if t.Trial.Intended >= least {
			p := makePass(t)
			p.Round, p.Start = i+1, t.Start.Round(0).Sub(all[0].Start.Round(0))
			goal.Maximum = max(goal.Maximum, t.Trial.Intended)
			past = append(past, p)
		}
	}
	return goal.Speeds(past, certain)
}

// makePass makes a pass of a sweep of a trial, of which each step of the timeline is a
// window. A step after one that lost frames begins with a full buffer. A timeline begins up
// to a step before the first frame, so that the first step and the last two may hold less.
func makePass(t weir.TrialResult) (p sweep.Pass) {
	all := t.Timeline.Intervals
	p.Kind = sweep.Fine
	for i := 1; i < len(all)-2; i++ {
		w := weir.WindowResult{Sent: all[i].Sent, Received: min(all[i].Received, all[i].Sent)}
		if before := all[i-1]; before.Received < before.Sent {
			w.PrimeSent = 1
		}
		p.Windows = append(p.Windows, weir.Window{Intended: t.Trial.Intended, Duration: all[i+1].From - all[i].From})
		p.Results = append(p.Results, w)
		p.Blocks = append(p.Blocks, 0)
	}
	return p
}

// reportSpeeds has the result of a search name the speeds, where there are several, and the
// one that it is of.
func (s *session) reportSpeeds(r *weir.Result) {
	if len(s.speeds.measured) == 0 {
		s.speeds.measured = s.findSpeeds(0, true)
	}
	if len(s.speeds.measured) == 0 || r.Value == 0 {
		return
	}
	sentence := weir.Say("the DUT, or its machine, has several speeds")
	for i, v := range s.speeds.measured {
		sentence = weir.Say("%s%s %.0f frames/s for %.0f %% of the time", sentence, map[bool]string{true: ":", false: ","}[i == 0], v.Capacity*s.ports(), 100*v.Share)
	}
	what := weir.Say("which of them a trial meets is chance, and so is the result")
	if s.speeds.lead {
		what = weir.Say("the result is the rate while it forwards %.0f, and what was lost while it was slower does not count", s.leadRate()*s.ports())
	}
	warn(r, weir.SeveralSpeeds, "%s; %s", sentence, what)
}
