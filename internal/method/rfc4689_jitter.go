package method

import (
	"context"
	"time"

	"weir"
	"weir/internal/claim"
)

// jitter measures by how much the forwarding delay differs between successive
// frames of a stream, whichever of the two was later (RFC 4689 section 3.2.5).
// The value is its mean; of several trials the median one is the result. The
// section asks for no load; the default is half of the throughput.
var jitter = Method{
	Name:     "jitter",
	RFC:      "RFC 4689 section 3.2.5",
	Summary:  "mean difference of delay between successive frames, at a share of the throughput",
	Check:    claim.CheckJitter,
	Earns:    [][]string{{"jitter"}},
	Means:    "mean difference of delay",
	Takes:    []string{"trial", "load"},
	Defaults: jitterDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 1},
	Needs:    []string{throughputName},
	Measure:  single(runJitter),
}

var jitterDefaults = Params{Trial: time.Second, Trials: 5, Load: 0.5}

func runJitter(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	trials, err := s.streamAt(ctx, weir.Trial{Variation: true}, varied)
	meanJitter := func(t weir.TrialResult) float64 { return t.Variation.Absolute().Mean() }
	r := s.delays(trials, meanJitter)
	if len(trials) == 0 {
		return r, err
	}
	r.Lower, r.Upper = bounds(trials, meanJitter)
	all := median(trials, meanJitter).Variation.Absolute()
	for _, f := range []struct {
		name string
		q    float64
	}{{"median jitter", .5}, {"99th percentile of the jitter", .99}, {"greatest jitter", 1}} {
		r.Figures = append(r.Figures, weir.Figure{Name: f.name, Value: all.Quantile(f.q), Unit: "s"})
	}
	s.claim(&r)
	return r, err
}
