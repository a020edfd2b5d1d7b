package claim

import (
	"fmt"
	"math"
	"slices"

	"weir"
)

// granularity is the largest step of a loss curve, as a share of its maximum
// (RFC 2544 section 26.3).
const granularity = .1

// CheckLossRate is the checklist of RFC 2544 section 26.3.
func CheckLossRate(e Evidence) weir.Claim {
	const source = "RFC 2544 section 26.3"
	loads := make([]float64, len(e.Trials)) // frames/s over all ports
	for i, t := range e.Trials {
		if loads[i] = t.Trial.Intended * e.ports(); t.Trial.Maximum {
			loads[i] = t.OfferedRate()
		}
	}
	first := demand{id: "first-trial", source: source, level: weir.Should, text: "the first trial SHOULD be run at 100 % of the maximum rate on the input media"}
	top, known := e.Figure(TheoreticalMaximum)
	_, plan := e.Figure(PlanMaximum)
	switch {
	case known:
		if first.found = "it was run below it"; loads[0] >= .999*top {
			first.kept, first.found = true, "it was"
		}
	case plan:
		first.found = "it was run at the plan's maximum"
	default:
		first.kept, first.found = true, "the medium has no limit that is known; it was run at the most that the tester can send"
	}
	if !known {
		top = slices.Max(loads)
	}

	falls := demand{id: "granularity", source: source, level: weir.Must, text: "the maximum granularity of the trials MUST be 10 % of the maximum rate"}
	widest := 0.
	for i := 1; i < len(loads); i++ {
		step := (loads[i-1] - loads[i]) / top
		if step < 0 {
			falls.found = "the load does not fall from trial to trial"
		}
		widest = max(widest, step)
	}
	if falls.found == "" {
		falls.found = fmt.Sprintf("the widest step was %s %%", number(math.Round(1000*widest)/10))
		falls.kept = len(loads) > 1 && widest <= granularity*1.005
	}

	until := demand{id: "until-clean", source: source, level: weir.Should, text: "the sequence SHOULD be continued until two successive trials lose no frame",
		found: "it ended before that"}
	clean := 0
	for _, t := range e.Trials {
		if clean++; t.LossRatio() > 0 {
			clean = 0
		}
	}
	if clean >= 2 {
		until.found, until.kept = fmt.Sprintf("it ended after %d of them", clean), true
	}
	counted := demand{id: "loss-of-sent", source: source, level: weir.Must, text: "the loss is that of the frames that were sent", found: "so it is", kept: true}
	conclusive := make(map[float64]bool) // whether a trial at a load is conclusive
	for i, t := range e.Trials {
		conclusive[loads[i]] = conclusive[loads[i]] || !t.Inconclusive(0)
	}
	for _, is := range conclusive {
		if !is {
			counted.kept, counted.found = false, "there is a load that the tester could not send, and what it did not send counts as lost"
		}
	}
	l := slices.Concat(traffic(e), waits(e),
		fullLength(e.Trials, "the duration of each trial SHOULD be at least 60 s"), checklist{first, until, falls, counted}, frames(e))
	return l.claim(e.full("frame loss rate"), curveName)
}
