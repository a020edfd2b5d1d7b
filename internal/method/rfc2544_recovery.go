package method

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
)

// recovery measures how long frames are lost after an overload has ended (RFC
// 2544 section 26.5). Each trial sends Load times the throughput for Trial, or
// what the medium carries if that is less, and without a pause After of that
// for Settled. The time is that from the change of load until the last frame
// was sent that did not come back, and 0 when none was lost after it; it is
// known to one gap between two frames of a stream, or to the tester's
// resolution where the frame after the last loss is not known, which is a
// figure. The value is the mean of the trials.
//
// The ledger and the latency are those of the trial with the median time, the
// overload included.
var recovery = Method{
	Name:     "recovery",
	RFC:      "RFC 2544 section 26.5",
	Summary:  "time from the end of an overload until no more frames are lost",
	Check:    claim.CheckRecovery,
	Earns:    [][]string{{"recovery time", "RFC 2544 system recovery"}, {"recovery time", "RFC 5180 system recovery"}},
	Means:    "from the end of the overload to the last loss",
	Takes:    []string{"trial", "load", "after", "settled", "maximum"},
	Defaults: recoveryDefaults,
	Quick:    Params{Trial: 500 * time.Millisecond, Trials: 1, Phases: Phases{Settled: 500 * time.Millisecond}},
	Book:     Params{Trial: fullTrial, Phases: Phases{Settled: 10 * time.Second}},
	Needs:    []string{throughputName},
	Measure:  single(runRecovery),
}

var recoveryDefaults = Params{Trial: 5 * time.Second, Trials: 3, Load: 1.1, Phases: Phases{After: .5, Settled: 2 * time.Second}}

// The verdicts on a recovery.
const (
	notOverloaded = "not overloaded" // nothing was lost at any time
	notRecovered  = "not recovered"  // frames were lost until the end
)

var errNoTimeline = errors.New("this tester does not say when frames were lost; use the XDP or the simulated one")

func runRecovery(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	throughput, err := knownThroughput(s.env.Method.Name, env.Past)
	if err != nil {
		return s.result("s"), err
	}
	wanted := s.params.Load * throughput / s.ports()
	load, limited := s.offerable(wanted)
	calm := weir.Phase{Intended: s.params.Phases.After * load, Duration: s.params.Phases.Settled}
	trials, err := s.timelines(ctx, weir.Trial{Intended: load, Then: &calm, Resolution: s.interval(calm.Intended)})
	r := s.delays(trials, recovered)
	if len(trials) == 0 {
		return r, err
	}
	r.Value = mean(each(trials, recovered))
	r.Lower, r.Upper = bounds(trials, recovered)
	r.Figures = []weir.Figure{
		{Name: "overload", Value: load * s.ports(), Unit: "frames/s"},
		{Name: "load after the overload", Value: calm.Intended * s.ports(), Unit: "frames/s"},
		{Name: "resolution", Value: coarsest(trials).Seconds(), Unit: "s"},
		{Name: claim.DeviationOfTrials, Value: deviation(each(trials, recovered)), Unit: "s"},
	}
	if limited != "" && limited != limitMedium {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.TesterLimited, "the overload should have been %.0f frames/s, but %s ended it at %.0f", wanted*s.ports(), limited, load*s.ports()))
	}
	overloaded := false
	for _, t := range trials {
		overloaded = overloaded || t.Timeline.LastLoss > 0
		if lostToTheEnd(t) {
			r.Verdict = notRecovered
			r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "frames were lost until the end: the DUT takes more than %v to recover, or does not forward half of the overload; give it more time (settled)", s.params.Phases.Settled))
		}
	}
	if !overloaded {
		r.Verdict = notOverloaded
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "nothing was lost at %.0f frames/s: the DUT was not overloaded, and had nothing to recover from", load*s.ports()))
	}
	s.claim(&r)
	return r, err
}

// lostToTheEnd reports whether frames were lost until the end of a trial that
// ends with a lower load.
func lostToTheEnd(t weir.TrialResult) bool {
	gap := time.Duration(float64(time.Second) / (t.Trial.Then.Intended * float64(t.Trial.Traffic.Ports())))
	return t.Timeline.LastLoss+max(2*gap, t.Timeline.Resolution) >= t.Trial.Length()
}

// coarsest is how well the last loss is known in each of the trials.
func coarsest(trials []weir.TrialResult) (known time.Duration) {
	for _, t := range trials {
		known = max(known, t.Timeline.Known())
	}
	return known
}

// recovered is the recovery time of a trial, in seconds.
func recovered(t weir.TrialResult) float64 {
	return claim.RecoveryTime(t.Trial.Duration, t.Timeline.LastLoss).Seconds()
}

// offerable is a load in frames/s per port as far as medium, tester and plan
// allow it, and which of them did not.
func (s *session) offerable(load float64) (possible float64, limited string) {
	if most, by := s.limit(); most > 0 && most < load {
		return most, by
	}
	return load, ""
}

// interval is the time from one frame to the next at a load in frames/s per
// port, over all ports.
func (s *session) interval(load float64) time.Duration {
	return time.Duration(float64(time.Second) / (load * s.ports()))
}

// timelines performs the parameters' number of trials, and returns those that
// have a timeline. It is an error when nothing came back or none has one;
// along with it the trials that there are can be used.
func (s *session) timelines(ctx context.Context, t weir.Trial) (found []weir.TrialResult, err error) {
	err = s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) {
		r, err := s.measure(ctx, t)
		if err == nil && r.Received == 0 {
			err = fmt.Errorf("no frame came back at %.0f frames/s, though the DUT forwards %.0f: there is no time without loss to tell; find the throughput with longer or more trials",
				t.Intended*s.ports(), trickleRate)
		}
		return r, err
	})
	for _, r := range s.trials {
		if r.Timeline != nil {
			found = append(found, r)
		}
	}
	if len(found) == 0 && err == nil {
		err = errNoTimeline
	}
	return found, err
}
