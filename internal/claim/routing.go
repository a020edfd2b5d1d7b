package claim

import (
	"fmt"

	"weir"
)

// fibLearning is the checklist of RFC 3222, whose terms it is held against: it
// has no procedures.
func fibLearning(e evidence) weir.Claim {
	const source = "RFC 3222 section 6.2"
	rate, counted := e.Figure("routes learnt")
	expressed := demand{source: source, level: weir.Must, text: "it is expressed in prefixes per second", found: "it is not", kept: counted}
	if counted {
		expressed.found = number(rate) + " prefixes/s"
	}
	l := append(learnt(e, "RFC 3222 section 5.9", source),
		demand{source: "RFC 3222 section 5.7", level: weir.Must, text: "the distribution of prefix lengths is stated", found: routes(e), kept: e.traffic().Routes.Count > 0}, expressed)
	return l.claim("RFC 3222 learning time", "learning time")
}

// convergence is the checklist of RFC 7747 section 5.1.1.
func convergence(e evidence) weir.Claim {
	const source = "RFC 7747 section 5.1.1"
	bgp := e.every(func(t weir.TrialResult) bool {
		return t.Trial.Traffic.Routes.Via == "bgp" || t.Trial.Condition.Routes.Via == "bgp"
	})
	silent := demand{source: source, level: weir.Should, text: "initially no traffic SHOULD be observed on the egress", found: "some was", kept: e.every(quietBefore)}
	if silent.kept {
		silent.found = "none was before the announcement"
	}
	via := demand{source: "RFC 7747 section 4.2", level: weir.Must, text: "the tester MUST advertise at least one route as a BGP neighbour", found: "the routes did not come through BGP", kept: bgp}
	if bgp {
		via.found = routes(e)
	}
	_, accuracy := e.Figure("accuracy")
	_, mean := e.Figure("mean of the trials")
	_, deviation := e.Figure("standard deviation of the trials")
	same := demand{source: "RFC 7747 section 4.7", level: weir.Must, text: "for repeated tests that are averaged, all parameters MUST remain the same", found: "they differ",
		kept: e.every(func(t weir.TrialResult) bool {
			a, b := t.Trial, e.trials[0].Trial
			return a.Intended == b.Intended && a.Duration == b.Duration && a.Condition == b.Condition && a.Traffic.Seed == b.Traffic.Seed
		})}
	if same.kept {
		same.found = "they do"
	}
	l := checklist{via,
		{source: "RFC 7747 section 4.6", level: weir.Must, text: "the accuracy is the time between two frames to one route", found: told(accuracy), kept: accuracy},
		same, silent}
	l = append(l, learnt(e, source, source)...)
	l = append(l, demand{source: source, level: weir.Should, text: "it is recommended to repeat the test several times, and to report average and standard deviation",
		found: fmt.Sprintf("the number of trials was %d", len(e.trials)), kept: len(e.trials) > 2 && mean && deviation})
	return l.claim("RFC 7747 convergence", "convergence time")
}

// learnt is what both have in common: every route is tried, and learnt at the
// end.
func learnt(e evidence, spreadSource, source string) checklist {
	all := demand{source: spreadSource, level: weir.Must, text: "destinations are distributed over all prefixes that are advertised", found: "they are not",
		kept: e.every(func(t weir.TrialResult) bool {
			r := t.Trial.Traffic.Routes
			return r.Count > 0 && r.Count == max(r.Count, t.Trial.Condition.Routes.Count)
		})}
	if all.kept {
		all.found = routes(e)
	}
	span := demand{source: source, level: weir.Must, text: "the time is from the first routing message until frames to every prefix are forwarded", found: "no announcement took place",
		kept: e.every(func(t weir.TrialResult) bool { return t.Happened != nil && t.Happened.Error == "" && t.Timeline != nil })}
	if span.kept {
		span.found = "by the last frame that was lost"
		if !e.every(func(t weir.TrialResult) bool { return t.Timeline.LastLoss < t.Trial.Length()-t.Timeline.Resolution }) {
			span.kept, span.found = false, "frames were lost until the end of a trial"
		}
	}
	return checklist{all, span}
}

// quietBefore reports whether nothing came back of what was sent before the
// event of a trial.
func quietBefore(t weir.TrialResult) bool {
	if t.Timeline == nil || t.Happened == nil {
		return false
	}
	for i, v := range t.Timeline.Intervals {
		if ends := i+1 < len(t.Timeline.Intervals) && t.Timeline.Intervals[i+1].From <= t.Happened.Began; ends && v.Received > 0 {
			return false
		}
	}
	return true
}

func routes(e evidence) string {
	r := e.traffic().Routes
	return fmt.Sprintf("%d %s routes, made with seed %d", r.Count, r.Family, r.Seed)
}

func told(is bool) string {
	if is {
		return "it is a figure beside the value"
	}
	return "it is not told"
}
