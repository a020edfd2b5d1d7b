package main

import (
	"context"
	"fmt"
	"math"
)

// policed has weir search the throughput of a router that lets a known rate
// through.
func policed(kind string, both bool) promise {
	const limit, within = 50_000.0, .01
	want, ways := limit, "one way"
	if both {
		want, ways = 2*limit, "both ways"
	}
	plan := fmt.Sprintf(`
dut: {policer: {kind: %s, rate: %g}}
traffic: {sizes: [64], bidirectional: %v}
methods:
  - {method: throughput, trial: 500ms, trials: 3, exceed: 50%%, width: 0.5%%, maximum: 100k}
waits: {residual: 50ms}
`, kind, limit, both)
	return promise{
		group: "searches",
		name:  fmt.Sprintf("search against a policer (%s, %s)", kind, ways),
		asked: fmt.Sprintf("%.0f frames/s within %g %%", want, 100*within),
		measure: func(ctx context.Context, s setup) (string, bool, error) {
			r, err := s.planned(ctx, plan)
			return fmt.Sprintf("%.0f %s, off by %.2f %%", r.Value, r.Unit, 100*(r.Value/want-1)), math.Abs(r.Value/want-1) <= within, err
		},
	}
}
