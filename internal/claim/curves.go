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

// CheckOverload is the checklist of an overload curve.
func CheckOverload(e Evidence) weir.Claim {
	if e.Verdict == NotEnded || e.Sweep == nil || e.Value == 0 {
		return Named(NotEnded)
	}
	ups, downs, probed, lossy := make(map[float64]bool), make(map[float64]bool), 0, false
	for _, p := range e.Curve {
		if p.Branch == "down" {
			downs[p.Intended] = true
		} else {
			ups[p.Intended] = true
		}
		if p.Probe != nil {
			probed++
		}
		lossy = lossy || p.LossRatio > 0
	}
	_, recovered := e.Figure(OverloadRecovery)
	over := beyond(e, livelock)
	if over.kept = lossy || over.found == forwardsAll; !over.kept {
		over.found = noneBeyond
	}
	bound := demand{id: "bounded", source: livelock, level: weir.Must, text: "the loads go on to where the median window loses frames", found: bounded(e), kept: e.Limited == "", label: atLeast}
	return checklist{
		{id: "curve-loads", source: livelock, level: weir.Must, text: "the curve has at least 10 loads up to the maximum", found: fmt.Sprintf("it has %d", len(ups)), kept: len(ups) >= curveSteps},
		{id: "up-and-down", source: livelock, level: weir.Should, text: "the load goes up and down again", found: fmt.Sprintf("%d loads on the way down", len(downs)), kept: len(downs) > 0 && len(downs) >= len(ups)-1},
		withoutLoss(e), bound,
		{id: "signs-of-life", source: livelock, level: weir.Should, text: "the control plane is asked for signs of life, and once at the maximum not, to see what asking costs",
			found: fmt.Sprintf("%d of %d points have them", probed, len(e.Curve)), kept: probed > 0 && has(e, BlindFRMOL), optional: true},
		{id: "recovery-timed", source: livelock, level: weir.Should, text: "the recovery after the highest load is timed", found: foundFigure(recovered), kept: recovered, optional: true},
		over,
	}.claim("overload curve", "overload")
}

// withoutLoss asks that the MLFRR is a rate received without loss: by the median
// window at it, and at all loads of the curve below its interval. The windows
// are counted anew.
func withoutLoss(e Evidence) demand {
	d := demand{id: "mlfrr", source: livelock, level: weir.Must, text: "the MLFRR is the highest rate received without loss: the median window at it and at all loads below lost nothing"}
	count, _ := e.Figure(MLFRRWindows)
	clean := 0
	for _, t := range e.Trials {
		for i, w := range t.Windows {
			if i < len(t.Trial.Windows) && near(t.Trial.Windows[i].Intended*e.ports(), e.Value) && w.Sent > 0 && w.Lost() == 0 {
				clean++
			}
		}
	}
	d.found = fmt.Sprintf("at it %s count, and %d lost nothing", plural(int(count), "window"), clean)
	d.kept = count > 0 && float64(2*clean) >= count
	for _, p := range e.Curve {
		if p.Branch == "up" && p.Intended < e.Lower && p.LossRatio > 0 {
			d.kept, d.found = false, "at a load below it most windows lost frames"
		}
	}
	return d
}

func has(e Evidence, figure string) bool {
	_, ok := e.Figure(figure)
	return ok
}

// fullSoak is what a soak lasts at least to be called a long one.
const fullSoak = time.Hour

// CheckSoak is the checklist of a soak, which no RFC has either.
func CheckSoak(e Evidence) weir.Claim {
	same := e.every(func(t weir.TrialResult) bool {
		return t.Trial.Intended == e.Trials[0].Trial.Intended && t.Trial.Maximum == e.Trials[0].Trial.Maximum
	})
	sum := time.Duration(0)
	for _, t := range e.Trials {
		sum += lasted(t)
	}
	steady := demand{id: "steady-load", source: "weir", level: weir.Must, text: "the load is the same from the beginning to the end", found: "it is not", kept: same}
	if same {
		steady.found = "it is"
	}
	l := checklist{steady,
		{id: "soak-length", source: "weir", level: weir.Should, text: "a soak lasts at least an hour", found: fmt.Sprintf("it lasted %v", sum), kept: sum >= fullSoak}}
	if short := where(e.Trials, weir.TrialResult.Short); len(short) > 0 {
		l = append(l, demand{id: "load-sent", source: "weir", level: weir.Should, text: "the tester sends all of the load", found: fmt.Sprintf("it fell short in %d of %s", len(short), plural(len(e.Trials), "trial")), optional: true})
	}
	if rate, ok := e.Figure(Throughput); ok && rate > 0 {
		l = append(l, demand{id: "load-share", source: "weir", level: weir.May, text: "its load is a share of the throughput", found: percent(e.Trials[0].Trial.Intended*e.ports()/rate) + " %", kept: true, optional: true})
	}
	plain := "short soak"
	if !same {
		plain = "load over time"
	}
	return l.claim("soak", plain)
}
