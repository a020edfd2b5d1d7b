package claim

import (
	"fmt"
	"time"

	"weir"
)

// The curve of an overload goes through so many loads at least.
const curveSteps = 10

// livelock is what an overload curve is held against: no RFC has one.
const livelock = "Mogul and Ramakrishnan 1997"

// overload is the checklist of an overload curve.
func overload(e evidence) weir.Claim {
	if e.Verdict == NotEnded {
		return weir.Claim{Name: NotEnded}
	}
	ups, downs, probed := make(map[float64]bool), make(map[float64]bool), 0
	for _, p := range e.Curve {
		if p.Branch == "down" {
			downs[p.Intended] = true
		} else {
			ups[p.Intended] = true
		}
		if p.Probe != nil {
			probed++
		}
	}
	steps := demand{source: livelock, level: weir.Must, text: "the curve has at least 10 loads up to the maximum", found: fmt.Sprintf("it has %d", len(ups)), kept: len(ups) >= curveSteps}
	both := demand{source: livelock, level: weir.Should, text: "the load goes up and down again", found: fmt.Sprintf("%d loads on the way down", len(downs)), kept: len(downs) > 0 && len(downs) >= len(ups)-1}
	_, recovered := e.Figure("recovery time")
	over := beyond(e, livelock)
	l := checklist{steps, both,
		{source: livelock, level: weir.Must, text: "the MLFRR is the highest rate received without loss", found: "as searched", kept: len(e.at(e.Lower)) > 0 && len(where(e.at(e.Lower), lossless)) > 0},
		{source: livelock, level: weir.Should, text: "the control plane is asked for signs of life, and once at the maximum not, to see what asking costs",
			found: fmt.Sprintf("%d of %d points have them", probed, len(e.Curve)), kept: probed > 0 && has(e, "FRMOL without probes"), beside: true},
		{source: livelock, level: weir.Should, text: "the recovery after the highest load is timed", found: told(recovered), kept: recovered, beside: true}}
	switch {
	case !l[2].kept:
		l[2].found = "none of its trials was without loss"
	case e.Lower < e.Upper:
		if why := unproven(e, 0); why != "" {
			l[2].kept, l[2].found, l[2].label = false, why, atLeast
		}
	}
	return append(l, over).claim("overload curve", "overload")
}

func has(e evidence, figure string) bool {
	_, ok := e.Figure(figure)
	return ok
}

func lossless(t weir.TrialResult) bool { return t.LossRatio() == 0 }

// fullSoak is what a soak lasts at least to be called a long one.
const fullSoak = time.Hour

// soak is the checklist of a soak, which no RFC has either.
func soak(e evidence) weir.Claim {
	same := e.every(func(t weir.TrialResult) bool {
		return t.Trial.Intended == e.trials[0].Trial.Intended && t.Trial.Maximum == e.trials[0].Trial.Maximum
	})
	sum := time.Duration(0)
	for _, t := range e.trials {
		sum += lasted(t)
	}
	steady := demand{source: "weir", level: weir.Must, text: "the load is the same from the beginning to the end", found: "it is not", kept: same}
	if same {
		steady.found = "it is"
	}
	l := checklist{steady,
		{source: "weir", level: weir.Should, text: "a soak lasts at least an hour", found: fmt.Sprintf("it lasted %v", sum), kept: sum >= fullSoak}}
	if short := where(e.trials, weir.TrialResult.Short); len(short) > 0 {
		l = append(l, demand{source: "weir", level: weir.Should, text: "the tester sends all of the load", found: fmt.Sprintf("it fell short in %d of %s", len(short), plural(len(e.trials), "trial")), beside: true})
	}
	if rate, ok := e.Figure(Throughput); ok && rate > 0 {
		l = append(l, demand{source: "weir", level: weir.May, text: "its load is a share of the throughput", found: percent(e.trials[0].Trial.Intended*e.ports()/rate) + " %", kept: true, beside: true})
	}
	plain := "short soak"
	if !same {
		plain = "load over time"
	}
	return l.claim("soak", plain)
}
