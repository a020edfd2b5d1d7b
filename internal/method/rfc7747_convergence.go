package method

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/claim"
)

// convergence measures how long the DUT takes to forward to routes that a BGP
// neighbour announces to it (RFC 7747 section 5.1.1), by the frames that are lost
// until then.
var convergence = Method{
	Name:     "bgp-convergence",
	RFC:      "RFC 7747 section 5.1.1",
	Summary:  "time from a BGP announcement until frames to all of its routes are forwarded",
	Check:    claim.CheckConvergence,
	Earns:    [][]string{{"convergence time", "RFC 7747 convergence"}},
	Means:    "time until all routes are forwarded to",
	Takes:    []string{"trial", "load", "settled"},
	Defaults: learningDefaults,
	Quick:    learning.Quick,
	Book:     Params{Trials: 10},
	Does:     &Doing{What: "the announcement", Event: announce, Can: "announce routes during a trial", Routes: true, BGP: true},
	Needs:    []string{throughputName, sweepName},
	Measure: single(func(ctx context.Context, env Env, p Params) (weir.Result, error) {
		s := begin(env, p)
		if via := env.Condition.Routes().Via; via != weir.ViaBGP {
			return s.result("s"), fmt.Errorf("bgp-convergence needs routes that are learnt through BGP, and here they come through %q: give routes {via: bgp}", via)
		}
		return s.converging(ctx)
	}),
}
