package method

import (
	"context"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

// pdv measures the packet delay variation of a stream at the throughput, the
// 99.9th percentile of the delays of all its frames less the least of them
// (RFC 8219 section 7.3.1, RFC 5481). The value is the median of the trials.
var pdv = Method{
	Name:     "pdv",
	RFC:      "RFC 8219 section 7.3.1",
	Summary:  "packet delay variation at the throughput: 99.9th percentile less the least delay",
	Check:    claim.CheckPDV,
	Earns:    [][]string{{"PDV", "RFC 8219 PDV"}},
	Means:    "packet delay variation",
	Takes:    []string{"trial", "load"},
	Defaults: variationDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 3},
	Book:     Params{Trial: fullTrial, Trials: fullRepeats},
	Needs:    []string{throughputName},
	Measure:  single(runPDV),
}

var variationDefaults = Params{Trial: time.Second, Trials: 5, Load: 1}

func runPDV(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	trials, err := s.streamAt(ctx, weir.Trial{}, timed)
	variation := func(t weir.TrialResult) float64 { return t.Latency.Quantile(worstShare) - t.Latency.Quantile(0) }
	r := s.delays(trials, variation)
	if len(trials) == 0 {
		return r, err
	}
	r.Value = stats.Median(each(trials, variation))
	r.Lower, r.Upper = bounds(trials, variation)
	r.Figures = spread("PDV", trials, variation)
	s.claim(&r)
	return r, err
}
