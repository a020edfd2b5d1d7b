package claim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
)

// CheckRecovery is the checklist of RFC 2544 section 26.5.
func CheckRecovery(e Evidence) weir.Claim {
	const source = "RFC 2544 section 26.5"
	l := slices.Concat(traffic(e), waits(e), checklist{overloaded(e, source),
		{id: "overload-length", source: source, level: weir.Must, text: "the overload lasts at least 60 s", label: shortTrials,
			found: fmt.Sprintf("it lasted %v", e.shortestOverload()), kept: e.shortestOverload() >= FullTrial},
		lossBefore(e, source), halved(e, source), lastLoss(e, source),
		{id: "repeated", source: source, level: weir.Should, text: "the test SHOULD be repeated a number of times, and the average reported",
			found: fmt.Sprintf("the number of trials was %d", len(e.Trials)), kept: len(e.Trials) > 1}}, frames(e))
	return l.claim(e.full("system recovery"), "recovery time")
}

// shortestOverload is how long the first phase of the trials lasted.
func (e Evidence) shortestOverload() time.Duration {
	return slices.MinFunc(e.Trials, func(a, b weir.TrialResult) int { return int(a.Trial.Duration - b.Trial.Duration) }).Trial.Duration
}

// overloaded asks for 110 % of the throughput, or for what the medium carries
// where that is less.
func overloaded(e Evidence, source string) demand {
	d := demand{id: "overload-load", source: source, level: weir.Must, label: otherLoad, found: "the throughput is not known",
		text: "the overload is 110 % of the throughput, or what the medium carries if that is less"}
	rate, known := e.Figure(Throughput)
	if !known || rate <= 0 || e.Basis == nil {
		return d
	}
	want, limit := 1.1*rate, ""
	if medium, ok := e.Figure(TheoreticalMaximum); ok && medium < want {
		want, limit = medium, ", all that the medium carries"
	}
	d.kept = e.every(func(t weir.TrialResult) bool { return math.Abs(t.Trial.Intended*e.ports()-want) <= .001*want })
	d.found = "it was " + number(math.Round(1000*e.Trials[0].Trial.Intended*e.ports()/rate)/10) + " %" + limit
	if why := e.noShare(); d.kept && why != "" {
		d.kept, d.found = false, why
	}
	return d
}

// lossBefore asks that the DUT had something to recover from.
func lossBefore(e Evidence, source string) demand {
	d := demand{id: "overload-loses", source: source, level: weir.Must, text: "the overload is one: frames are lost during it", found: "none was lost in at least one trial"}
	d.kept = e.every(func(t weir.TrialResult) bool {
		return t.Timeline != nil && len(t.Timeline.Episodes) > 0 && slices.ContainsFunc(t.Timeline.Episodes, func(s weir.Episode) bool { return s.From < t.Trial.Duration })
	})
	medium, limited := e.Figure(TheoreticalMaximum)
	switch {
	case d.kept:
		d.found = "frames were lost in every trial"
	case limited && e.every(func(t weir.TrialResult) bool { return t.Trial.Intended*e.ports() >= .999*medium }):
		d.kept, d.found = true, "none was lost at all that the medium carries: there is nothing to recover from"
	}
	return d
}

// halved asks for the load after the overload.
func halved(e Evidence, source string) demand {
	d := demand{id: "reduced", source: source, level: weir.Must, text: "then the rate is reduced to 50 % of the overload", label: otherLoad, found: "it was not reduced"}
	for i, t := range e.Trials {
		if t.Trial.Then == nil || t.Trial.Intended == 0 {
			d.kept, d.found = false, "it was not reduced"
			break
		}
		share := t.Trial.Then.Intended / t.Trial.Intended
		d.kept = math.Abs(share-.5) <= .001 && (i == 0 || d.kept)
		if i == 0 || !d.kept {
			d.found = "it was reduced to " + number(math.Round(1000*share)/10) + " %"
		}
		if !d.kept {
			break
		}
	}
	return d
}

// lastLoss asks for the time of the last frame that was lost, and that the
// value is the mean of what the trials say.
func lastLoss(e Evidence, source string) demand {
	d := demand{id: "value", source: source, level: weir.Must, text: "the time is that of the last frame lost (timestamp B), counted from the reduction (timestamp A)", found: "no times were recorded"}
	if !e.every(func(t weir.TrialResult) bool { return t.Timeline != nil }) {
		return d
	}
	known := time.Duration(0)
	for _, t := range e.Trials {
		known = max(known, t.Timeline.Known())
		if t.Timeline.LastLoss >= t.Trial.Length()-t.Timeline.Resolution {
			d.found = "frames were lost until the end of a trial"
			return d
		}
	}
	mean := e.mean(func(t weir.TrialResult) float64 { return RecoveryTime(t.Trial.Duration, t.Timeline.LastLoss).Seconds() })
	if math.Abs(mean-e.Value) > known.Seconds()+1e-9 {
		d.found = "the value is not the average of the trials"
		return d
	}
	d.found, d.kept = fmt.Sprintf("known to %v", known), true
	return d
}
