package method

import (
	"context"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

// What RFC 8219 section 7.2 asks beyond RFC 2544 section 26.2.
const (
	tagAfter   = 60 * time.Second
	fullTags   = 500
	worstShare = 0.999 // the percentile that is the worst case
)

// typicalLatency measures the latencies of at least 500 tagged frames of a
// stream at the throughput (RFC 8219 section 7.2). Of each trial the median is
// the typical latency and the 99.9th percentile the worst-case latency; the
// value is the median of the typical latencies of all trials, and that of the
// worst cases is another figure.
var typicalLatency = Method{
	Name:     "rfc8219-latency",
	RFC:      "RFC 8219 section 7.2",
	Summary:  "typical and worst-case latency of tagged frames at the throughput",
	Check:    claim.CheckTypicalLatency,
	Earns:    [][]string{{"typical latency", "RFC 8219 latency"}},
	Means:    "typical latency",
	Takes:    []string{"trial", "load", "tags", "settled"},
	Defaults: typicalDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 3, Phases: Phases{Settled: 100 * time.Millisecond}},
	Book:     Params{Trial: fullStream, Trials: fullRepeats, Phases: Phases{Settled: tagAfter}},
	Needs:    []string{throughputName},
	Measure:  single(runTypicalLatency),
}

var typicalDefaults = Params{Trial: 2 * time.Second, Trials: 5, Load: 1, Phases: Phases{Tags: fullTags, Settled: time.Second}}

func runTypicalLatency(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	trials, err := s.streamAt(ctx, weir.Trial{Tags: weir.Tags{After: s.params.Phases.Settled, Count: s.params.Phases.Tags}},
		func(t weir.TrialResult) bool { return len(t.Tagged) > 0 })
	typical := func(t weir.TrialResult) float64 { return stats.Median(taggedSeconds(t)) }
	worst := func(t weir.TrialResult) float64 { return percentile(taggedSeconds(t), worstShare) }
	r := s.delays(trials, typical)
	if len(trials) == 0 {
		return r, err
	}
	r.Value = stats.Median(each(trials, typical))
	r.Figures = append(r.Figures, weir.Figure{Name: "worst-case latency", Value: stats.Median(each(trials, worst)), Unit: "s"})
	r.Figures = append(r.Figures, spread("typical latency", trials, typical)...)
	r.Figures = append(r.Figures, spread("worst-case latency", trials, worst)...)
	r.Lower, r.Upper = bounds(trials, typical)
	s.claim(&r)
	return r, err
}

// bounds are the least and the greatest of the trials' figures.
func bounds(trials []weir.TrialResult, figure func(weir.TrialResult) float64) (low, high float64) {
	values := each(trials, figure)
	return percentile(values, 0), percentile(values, 1)
}
