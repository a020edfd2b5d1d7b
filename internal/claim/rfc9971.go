package claim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
)

// CheckMLRSearch is the checklist of RFC 9971 (MLRsearch): of one goal. A goal of
// 60 s, 60 s, loss 0 and exceed 0 asks for what RFC 2544 does, and earns its
// name where everything else of it is kept.
func CheckMLRSearch(e Evidence) weir.Claim {
	g := goal{loss: e.LossRatio, exceed: e.ExceedRatio, final: time.Duration(e.TrialSeconds * float64(time.Second)), sum: time.Duration(e.Sum * float64(time.Second))}
	if e.Verdict == NotEnded {
		return Named(NotEnded)
	}
	const source = "RFC 9971 section 4.6"
	final := e.at(e.Lower)
	stated := demand{id: "goal-stated", source: source, level: weir.Must, text: "a goal has a final trial duration, a duration sum, a loss ratio and an exceed ratio", found: goalText(g.earned()), kept: g.final > 0 && g.sum >= g.final}
	if !stated.kept {
		stated.found = "the duration sum is less than one final trial"
	}
	bound := demand{id: "goal-met", source: source, level: weir.Must, text: "the lower bound meets the goal whatever further trials would bring", found: "its trials do not show that"}
	if ratio := g.pessimistic(final); len(final) > 0 && ratio <= g.exceed+1e-12 {
		bound.found, bound.kept = fmt.Sprintf("at most %s %% of its time exceeds the loss", number(math.Round(1e5*ratio)/1e3)), true
	}
	marked := demand{id: "irregular-marked", source: source, level: weir.Must, text: "an irregular result MUST be marked", found: "it is regular", kept: true}
	if e.Irregular {
		marked.found = "it is marked"
	}
	own := checklist{stated, bound, marked}

	equal := noLoss(e, final)
	l := slices.Concat(traffic(e), waits(e),
		fullLength(where(final, func(t weir.TrialResult) bool { return lasted(t) >= g.final }), "the final determination SHOULD be made with trials of at least 60 s"), own, equal, fastest(e), frames(e))
	name := g.earned()
	switch {
	case !bound.kept && !e.Irregular:
		name = weir.Earned{What: unconfirmed}
	case e.Irregular:
		name.Label = irregular
	}
	c := l.claim(e.full("throughput"), goalName)
	if len(c.Missed) > 0 || e.Irregular {
		return called(c, name) // without a label of the checklist: the goal says it
	}
	return c
}

// irregular is the label of a goal that has no lower bound, or no upper one.
const irregular = "irregular"

// goal is a goal of an MLRsearch.
type goal struct {
	final, sum   time.Duration
	loss, exceed float64 // 0 to 1
}

// earned returns the name of what meets the goal.
func (g goal) earned() weir.Earned {
	return weir.Earned{What: goalName, Final: g.final.Seconds(), Sum: g.sum.Seconds(), Loss: g.loss, Exceed: g.exceed}
}

// pessimistic is the exceed ratio of a load if all trials that are still
// missing would exceed the loss (RFC 9971). Trials that are shorter
// than a final one count against the load only beyond the share that the goal
// allows, and never for it.
func (g goal) pessimistic(trials []weir.TrialResult) float64 {
	var low, high, shortLow, shortHigh float64 // s
	for _, t := range trials {
		d, bad := lasted(t).Seconds(), lost(t, g.loss)
		switch long := lasted(t) >= g.final; {
		case t.Inconclusive(g.loss):
		case long && bad:
			high += d
		case long:
			low += d
		case bad:
			shortHigh += d
		default:
			shortLow += d
		}
	}
	allowed := 0.
	if g.exceed < 1 {
		allowed = shortLow * g.exceed / (1 - g.exceed)
	}
	high += max(0, shortHigh-allowed)
	total := max(low+high, g.sum.Seconds())
	if total == 0 {
		return 1
	}
	return (total - low) / total
}
