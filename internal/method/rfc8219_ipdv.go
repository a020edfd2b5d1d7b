package method

import (
	"context"

	"weir"
	"weir/internal/claim"
	"weir/stats"
)

// ipdv measures the inter packet delay variation of a stream at the
// throughput: the delay of each frame less that of the frame before it (RFC
// 8219 section 7.3.2). Three figures are the result, the least, the median and
// the greatest one, each the median of the trials; the value is the greatest,
// the most by which a frame was later than the one before it.
var ipdv = Method{
	Name:     "ipdv",
	RFC:      "RFC 8219 section 7.3.2",
	Summary:  "inter packet delay variation at the throughput: least, median and greatest",
	Check:    claim.CheckIPDV,
	Earns:    [][]string{{"IPDV", "RFC 8219 IPDV"}},
	Means:    "greatest delay after the frame before",
	Takes:    []string{"trial", "load"},
	Defaults: variationDefaults,
	Quick:    pdv.Quick,
	Book:     pdv.Book,
	Needs:    []string{throughputName},
	Measure:  single(runIPDV),
}

func runIPDV(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	trials, err := s.streamAt(ctx, weir.Trial{Variation: true}, varied)
	least := func(t weir.TrialResult) float64 { return t.Variation.Quantile(0) }
	median := func(t weir.TrialResult) float64 { return t.Variation.Quantile(.5) }
	greatest := func(t weir.TrialResult) float64 { return t.Variation.Quantile(1) }
	r := s.delays(trials, greatest)
	if len(trials) == 0 {
		return r, err
	}
	r.Value = stats.Median(each(trials, greatest))
	r.Lower, r.Upper = bounds(trials, greatest)
	r.Figures = []weir.Figure{
		{Name: "least IPDV", Value: stats.Median(each(trials, least)), Unit: "s"},
		{Name: "median IPDV", Value: stats.Median(each(trials, median)), Unit: "s"},
		{Name: "greatest IPDV", Value: r.Value, Unit: "s"},
	}
	s.claim(&r)
	return r, err
}

// varied reports whether a trial has changes of delay.
func varied(t weir.TrialResult) bool {
	return t.Variation != nil && t.Variation.Longer.N+t.Variation.Shorter.N > 0
}
