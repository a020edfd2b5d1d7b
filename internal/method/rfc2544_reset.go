package method

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
)

// reset measures how long the DUT forwards nothing when it is reset (RFC 2544
// section 26.6). Frames are sent at the throughput; after Settled comes the
// event that Event names, of those that the testbed can do, or else the first
// of these whose name begins with "reset". The time is the longest span of
// loss that the event was followed by, from the first frame that did not come
// back to the next one that did, by the times at which they were sent; it is
// known to one gap between two frames of a stream, or to the tester's
// resolution where the frames at that span are not known, which is a figure. The value is the mean of the trials.
//
// An event that failed, or a DUT that did not forward again within the trial,
// is an error. One that lost nothing has a time of 0, and the verdict says so.
var reset = Method{
	Name:     "reset",
	RFC:      "RFC 2544 section 26.6",
	Summary:  "time without forwarding that a reset takes, at the throughput",
	Check:    claim.CheckReset,
	Earns:    [][]string{{"reset time", "RFC 2544 reset"}, {"reset time", "RFC 5180 reset"}},
	Means:    "time without forwarding",
	Takes:    []string{"trial", "load", "settled", "event"},
	Defaults: resetDefaults,
	Quick:    Params{Trial: 3 * time.Second, Phases: Phases{Settled: 500 * time.Millisecond}},
	Does:     &Doing{What: "the reset", Event: "reset", Can: "reset the DUT"},
	Needs:    []string{throughputName},
	Measure:  single(runReset),
}

var resetDefaults = Params{Trial: 10 * time.Second, Trials: 1, Load: 1, Phases: Phases{Settled: time.Second}}

// nothingLost is the verdict on a reset that the traffic did not notice.
const nothingLost = "nothing lost"

func runReset(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	throughput, err := knownThroughput(s.env.Method.Name, env.Past)
	if err != nil {
		return s.result("s"), err
	}
	event, err := env.Method.Event(s.params, env.Events)
	if err != nil {
		return s.result("s"), err
	}
	if s.params.Phases.Settled >= s.params.Trial {
		return s.result("s"), fmt.Errorf("the reset would come %v after the start (settled), and a trial lasts %v (trial): give it more time", s.params.Phases.Settled, s.params.Trial)
	}
	load, _ := s.offerable(s.params.Load * throughput / s.ports())
	trials, err := s.timelines(ctx, weir.Trial{
		Intended: load, Resolution: s.interval(load), Event: &weir.Event{Name: event, After: s.params.Phases.Settled},
	})
	for _, t := range trials {
		if wrong := s.resetFailed(t); wrong != nil {
			return s.result("s"), wrong
		}
	}
	r := s.delays(trials, downtime)
	if len(trials) == 0 {
		return r, err
	}
	r.Value = mean(each(trials, downtime))
	r.Lower, r.Upper = bounds(trials, downtime)
	shown := median(trials, downtime)
	longest := claim.Outage(shown)
	r.Figures = []weir.Figure{
		{Name: "frames lost", Value: float64(longest.Lost), Unit: "frames"},
		{Name: "from the event to the first loss", Value: max(0, longest.From-shown.Happened.Began).Seconds(), Unit: "s"},
		{Name: "time that the event took", Value: (shown.Happened.Ended - shown.Happened.Began).Seconds(), Unit: "s"},
		{Name: "resolution", Value: shown.Timeline.KnownEdges(longest).Seconds(), Unit: "s"},
	}
	if len(trials) > 1 {
		r.Figures = append(r.Figures, weir.Figure{Name: claim.DeviationOfTrials, Value: deviation(each(trials, downtime)), Unit: "s"})
	}
	late(&r, trials)
	if r.Upper == 0 {
		r.Verdict = nothingLost
		r.Figures[1].Value = 0
	}
	s.claim(&r)
	return r, err
}

// resetFailed is why a trial has no reset time.
func (s *session) resetFailed(t weir.TrialResult) error {
	name := t.Trial.Event.Name
	switch {
	case t.Happened == nil:
		return fmt.Errorf("%s: this tester does nothing to the DUT during a trial; use the XDP or the simulated one", name)
	case t.Happened.Error != "":
		return fmt.Errorf("%s: %s", name, t.Happened.Error)
	case t.Happened.Began >= t.Trial.Length():
		return fmt.Errorf("%s: it came %v after the start, when the trial of %v was over: repeat on a quieter machine, or give it more time (trial)", name, t.Happened.Began, t.Trial.Length())
	case t.Timeline.LastLoss+max(2*s.interval(t.Trial.Intended), t.Timeline.Resolution) < t.Trial.Length():
		return nil
	case claim.Outage(t).Until < t.Timeline.LastLoss && t.Timeline.More == 0:
		return nil // a later loss is another matter
	}
	if lost, again := beyondReset(t); again {
		return fmt.Errorf("after the reset the DUT forwarded again, and lost %.2g %% of the frames until the trial of %v ended: it does not hold this load, %.0f frames/s, which it held in the trials of the throughput alone, by its buffer. More time does not help; take less of the throughput (load), or measure that with trials as long as these (trial)",
			100*lost, t.Trial.Length(), s.ports()*t.Trial.Intended)
	}
	return fmt.Errorf("frames were not forwarded again when a trial of %v ended: give it more time (trial)", t.Trial.Length())
}

// beyondReset is the loss in the last tenth of a trial, and whether the DUT
// forwarded most of what was sent then: what is lost so is not lost to a reset.
func beyondReset(t weir.TrialResult) (loss float64, forwards bool) {
	sent, received := uint64(0), uint64(0)
	for _, i := range t.Timeline.Intervals {
		if i.From >= t.Trial.Length()*9/10 {
			sent, received = sent+i.Sent, received+i.Received
		}
	}
	if sent == 0 {
		return 0, false
	}
	loss = 1 - float64(received)/float64(sent)
	return loss, loss < .5
}

// tooLate is how much later than asked an event may begin.
const tooLate = 50 * time.Millisecond

// late warns where an event began later than it was to.
func late(r *weir.Result, trials []weir.TrialResult) {
	for _, t := range trials {
		if by := t.Happened.Began - t.Trial.Event.After; by > tooLate {
			r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.EventLate, "%s began %v later than it was to, %v after the start", t.Trial.Event.Name, by.Round(time.Millisecond), t.Happened.Began.Round(time.Millisecond)))
		}
	}
}

// downtime is how long the outage of a trial was, in seconds.
func downtime(t weir.TrialResult) float64 {
	o := claim.Outage(t)
	return (o.Until - o.From).Seconds()
}
