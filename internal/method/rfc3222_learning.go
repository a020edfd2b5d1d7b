package method

import (
	"context"
	"time"

	"weir"
	"weir/internal/claim"
)

// learning measures how fast the DUT learns a routing table while it forwards
// to it (RFC 3222 has the terms: FIB size, prefix length distribution), however
// the routes come to it: through its operating system's interface, or from a
// routing daemon.
var learning = Method{
	Name:     "fib-learning",
	RFC:      "RFC 3222",
	Summary:  "time until frames to every route of a table are forwarded, and prefixes learnt a second",
	Check:    claim.CheckFIBLearning,
	Earns:    [][]string{{"learning time", "RFC 3222 learning time"}},
	Means:    "time until all routes are forwarded to",
	Takes:    []string{"trial", "load", "settled"},
	Defaults: learningDefaults,
	Quick:    Params{Trial: 10 * time.Second, Trials: 1},
	Book:     Params{Trials: 3},
	Does:     &Doing{What: "the announcement", Event: announce, Can: "announce routes during a trial", Routes: true},
	Needs:    []string{throughputName, sweepName},
	Measure: single(func(ctx context.Context, env Env, p Params) (weir.Result, error) {
		s := begin(env, p)
		return s.converging(ctx)
	}),
}

var learningDefaults = Params{Trial: 20 * time.Second, Trials: 1, Load: .5, Phases: Phases{Settled: time.Second}}
