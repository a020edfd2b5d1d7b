package method

import (
	"context"
	"time"

	"weir"
)

// learning measures how fast the DUT learns a routing table while it forwards
// to it (RFC 3222 has the terms: FIB size, prefix length distribution), however
// the routes come to it: through its operating system's interface, or from a
// routing daemon.
var learning = Method{
	Name:     "fib-learning",
	RFC:      "RFC 3222",
	Summary:  "time until frames to every route of a table are forwarded, and prefixes learnt a second",
	Defaults: learningDefaults,
	Quick:    Params{Trial: 10 * time.Second, Trials: 1},
	Book:     Params{Trials: 3},
	Needs:    []string{throughputName, sweepName},
	Run: single(func(ctx context.Context, env Env, p Params) (weir.Result, error) {
		s := &session{method: "fib-learning", env: env, params: p.or(learningDefaults)}
		return s.converging(ctx)
	}),
}

var learningDefaults = Params{Trial: 20 * time.Second, Trials: 1, Load: .5, Settled: time.Second}
