package serve

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/report"
	"weir/stats"
)

// An effect is what an experiment found of an arm, relative to its baseline.
type effect struct {
	Method, Size, Case, Metric, Arm, Baseline string
	Verdict                                   stats.Verdict
	Estimate, Lower, Upper                    *float64 // relative to the baseline; nil: it is not known
	secondary                                 bool     // it is one on another figure than the value that was looked for
}

// judgePeriod is how long one look at the store spends on experiments that it has not judged yet.
const judgePeriod = 200 * time.Millisecond

// judge finds what experiments have proven, of some of those that are complete, and reports whether
// there were any.
func (x *index) judge(ctx context.Context) (changed bool) {
	until := time.Now().Add(judgePeriod)
	now := map[string]*entry{}
	for len(x.unjudged) > 0 && time.Now().Before(until) && ctx.Err() == nil {
		id := x.unjudged[0]
		x.unjudged = x.unjudged[1:]
		e, err := x.find(id)
		if err != nil {
			continue // it was deleted meanwhile
		}
		c, err := x.read(ctx, id, 0)
		if err != nil {
			continue // its own page says why
		}
		judged := *e
		judged.Effects = x.effectsOf(report.Differences(c))
		now[id] = &judged
	}
	x.replace(now)
	return len(now) > 0
}

// effectsOf returns the differences of arms, without what compares a baseline with itself. What many
// campaigns have in common is in memory once.
func (x *index) effectsOf(all []report.Difference) (out []effect) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range all {
		if d.Again {
			continue
		}
		of := weir.Result{Method: d.Method, LossRatio: d.LossRatio, Factors: d.Factors}
		e := effect{Case: x.once(caseOf(&of)), secondary: d.Secondary, Verdict: d.Verdict, Estimate: d.Effect, Lower: d.Lower, Upper: d.Upper, Method: x.once(d.Method), Metric: x.once(d.Metric), Arm: x.once(d.Arm), Baseline: x.once(d.Baseline)}
		if size, ok := d.Factors["frame_size"]; ok {
			e.Size = x.once(fmt.Sprint(size))
		}
		out = append(out, e)
	}
	return out
}

// String is the effect in a list: "64: firewall stateful -39.6 %, difference proven".
func (e effect) String() string {
	text := e.Arm
	if of := joined(e.Size, e.Case); of != "" {
		text = of + ": " + text
	}
	if e.Estimate != nil {
		text += " " + signed(*e.Estimate) + " %"
	}
	return text + ", " + string(e.Verdict)
}

// share is the effect as a share of the baseline, with its bounds where both are known.
func (e effect) share() stats.Point {
	p := stats.Point{Value: 1 + *e.Estimate}
	if e.Lower != nil && e.Upper != nil {
		p.Lower, p.Upper = 1+*e.Lower, 1+*e.Upper
	}
	return p
}

// verdicts are those that an experiment has come to.
func (e *entry) verdicts() (out []string) {
	for _, of := range e.Effects {
		out = with(out, string(of.Verdict))
	}
	return out
}
