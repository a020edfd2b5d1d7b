package claim

import (
	"fmt"
	"math"

	"weir"
	"weir/fib"
)

// CheckFIBLearning is the checklist of RFC 3222, whose terms it is held against: it
// has no procedures.
func CheckFIBLearning(e Evidence) weir.Claim {
	const source = "RFC 3222 section 6.2"
	rate, counted := e.Figure(RoutesLearnt)
	expressed := demand{id: "value", source: source, level: weir.Must, text: "it is expressed in prefixes per second", found: "it is not", kept: counted}
	if counted {
		expressed.found = number(rate) + " prefixes/s"
	}
	stated := demand{id: "prefixes-stated", source: "RFC 3222 section 5.7", level: weir.Must, text: "the distribution of prefix lengths is stated", found: "there is no table"}
	if set := e.traffic().Routes; set.Count > 0 {
		stated.found, stated.kept = distribution(set), true
	}
	l := append(learnt(e, "RFC 3222 section 5.9", source), absent(e, source, weir.Must, "before it the routes are not there"),
		known(e), stated, expressed,
		demand{id: "repeated", source: "weir", level: weir.Should, text: "it is repeated at least 3 times", label: few,
			found: fmt.Sprintf("the number of trials was %d", len(e.Trials)), kept: len(e.Trials) >= leastRepeats})
	return l.claim("RFC 3222 learning time", "learning time")
}

// leastRepeats is how often a time is measured at least for which no RFC names
// a number.
const leastRepeats = 3

// CheckConvergence is the checklist of RFC 7747 section 5.1.1.
func CheckConvergence(e Evidence) weir.Claim {
	const source = "RFC 7747 section 5.1.1"
	bgp := e.every(func(t weir.TrialResult) bool {
		return t.Trial.Traffic.Routes.Via == weir.ViaBGP || t.Trial.Condition.Routes().Via == weir.ViaBGP
	})
	via := demand{id: "by-bgp", source: "RFC 7747 section 4.2", level: weir.Must, text: "the tester MUST advertise at least one route as a BGP neighbour", found: "the routes did not come through BGP", kept: bgp}
	if bgp {
		via.found = routes(e)
	}
	_, accuracy := e.Figure(Accuracy)
	_, mean := e.Figure(MeanOfTrials)
	_, deviation := e.Figure(DeviationOfTrials)
	same := demand{id: "same-parameters", source: "RFC 7747 section 4.7", level: weir.Must, text: "for repeated tests that are averaged, all parameters MUST remain the same", found: "they differ",
		kept: e.every(func(t weir.TrialResult) bool {
			a, b := t.Trial, e.Trials[0].Trial
			return a.Intended == b.Intended && a.Duration == b.Duration && a.Condition.Equal(b.Condition) && a.Traffic.Seed == b.Traffic.Seed
		})}
	if same.kept {
		same.found = "they do"
	}
	l := checklist{via,
		{id: "accuracy", source: "RFC 7747 section 4.6", level: weir.Must, text: "the accuracy is the time between two frames to one route", found: foundFigure(accuracy), kept: accuracy},
		same, absent(e, source, weir.Must, "initially no traffic SHOULD be observed on the egress: the routes are not there"), known(e)}
	l = append(l, learnt(e, source, source)...)
	l = append(l, demand{id: "repeated", source: source, level: weir.Should, text: "it is recommended to repeat the test several times, and to report average and standard deviation",
		found: fmt.Sprintf("the number of trials was %d", len(e.Trials)), kept: len(e.Trials) > 2 && mean && deviation})
	return l.claim("RFC 7747 convergence", "convergence time")
}

// learnt is what both have in common: every route is tried, and learnt at the
// end.
func learnt(e Evidence, spreadSource, source string) checklist {
	all := demand{id: "all-prefixes", source: spreadSource, level: weir.Must, text: "destinations are distributed over all prefixes that are advertised", found: "they are not",
		kept: e.every(func(t weir.TrialResult) bool {
			r := t.Trial.Traffic.Routes
			turns := t.Trial.Intended * t.Trial.Length().Seconds() * float64(max(t.Trial.Traffic.Pairs, 1))
			return r.Count > 0 && r.Count == max(r.Count, t.Trial.Condition.Routes().Count) && t.Trial.Traffic.Flows >= r.Count && turns >= float64(r.Count)
		})}
	if all.kept {
		all.found = routes(e)
	}
	span := demand{id: "span", source: source, level: weir.Must, text: "the time is from the first routing message until frames to every prefix are forwarded", found: "no announcement took place",
		kept: e.every(func(t weir.TrialResult) bool { return t.Happened != nil && t.Happened.Error == "" && t.Timeline != nil })}
	if span.kept {
		span.found = "by the last frame that was lost"
		if !e.every(func(t weir.TrialResult) bool { return t.Offered > t.Received }) {
			span.kept, span.found = false, "no frame was lost in at least one trial, so there was nothing to learn"
		}
		if !e.every(func(t weir.TrialResult) bool { return t.Timeline.LastLoss < t.Trial.Length()-t.Timeline.Resolution }) {
			span.kept, span.found = false, "frames were lost until the end of a trial"
		}
	}
	return checklist{all, span}
}

// absent asks that the routes were not there before the event.
func absent(e Evidence, source string, level weir.Level, text string) demand {
	d := demand{id: "absent-before", source: source, level: level, text: text, found: "frames to them were forwarded before the announcement", kept: true}
	for _, t := range e.Trials {
		sent, received := before(t)
		if sent == 0 {
			d.kept, d.found = false, "no frames are on record that were sent before the announcement"
			return d
		}
		d.kept = d.kept && received == 0
	}
	if d.kept {
		d.found = "nothing was forwarded before the announcement"
	}
	return d
}

// wellAbove is how many times its accuracy a time is at least, not to be mostly
// that.
const wellAbove = 3

// known asks that the time is more than what can be distinguished.
func known(e Evidence) demand {
	d := demand{id: "above-accuracy", source: "weir", level: weir.Must, text: "the time is well above the accuracy, at least 3 times that", found: "the accuracy is not told"}
	accuracy, known := e.Figure(Accuracy)
	switch {
	case !known || accuracy <= 0:
	case e.Verdict == AtMost:
		d.found = "it is at most the accuracy, and not known"
	case e.Value < wellAbove*accuracy:
		d.found = "it is not"
	default:
		d.found, d.kept = fmt.Sprintf("it is %s times that", number(math.Round(e.Value/accuracy))), true
	}
	return d
}

// distribution says how many prefixes of each length a table has.
func distribution(set weir.RouteSet) string {
	var words []string
	for _, l := range fib.Lengths(set) {
		words = append(words, fmt.Sprintf("%d of /%d", l.Count, l.Bits))
	}
	return fmt.Sprintf("%d %s prefixes with seed %d: %s", set.Count, set.Family, set.Seed, joined(words))
}

// before is how many frames were sent in the intervals that had ended when the
// event of a trial began, and how many of them came back.
func before(t weir.TrialResult) (sent, received uint64) {
	if t.Timeline == nil || t.Happened == nil {
		return 0, 0
	}
	for i, v := range t.Timeline.Intervals {
		if i+1 < len(t.Timeline.Intervals) && t.Timeline.Intervals[i+1].From <= t.Happened.Began {
			sent, received = sent+v.Sent, received+v.Received
		}
	}
	return sent, received
}

func routes(e Evidence) string {
	r := e.traffic().Routes
	return fmt.Sprintf("%d %s routes, made with seed %d", r.Count, r.Family, r.Seed)
}

// foundFigure says whether a result has a figure that is asked for.
func foundFigure(is bool) string {
	if is {
		return "it is a figure beside the value"
	}
	return "it is not told"
}
