package method

import (
	"context"
	"errors"
	"time"

	"weir"
	"weir/internal/claim"
)

// selfTest measures the tester without the DUT: as many frames as it can send
// go straight to its own receiver. The value is the rate that came back, over
// all ports: no rate found with a DUT between can be above it, and one close
// to it says more of the tester than of the DUT.
var selfTest = Method{
	Name:     "self-test",
	Summary:  "the tester's own ceiling, without the DUT",
	Kind:     Ceiling,
	Check:    claim.CheckTesterCeiling,
	Earns:    [][]string{{"tester ceiling"}},
	Means:    "the tester alone",
	Takes:    []string{"trial"},
	Defaults: selfTestDefaults,
	Measure:  single(runSelfTest),
}

var selfTestDefaults = Params{Trial: time.Second, Trials: 1}

// selfTestResidual is how long the receiver waits for the last frames.
const selfTestResidual = 50 * time.Millisecond

func runSelfTest(ctx context.Context, env Env, p Params) (weir.Result, error) {
	// The waits of a plan are for the DUT (RFC 2544 section 23), which is not
	// between: what is under way comes at once.
	env.Waits = weir.Waits{Residual: min(env.Waits.Residual, selfTestResidual)}
	s := begin(env, p)
	err := s.repeat(ctx, func(ctx context.Context) (weir.TrialResult, error) {
		return s.measure(ctx, weir.Trial{Maximum: true, Bypass: true})
	})
	if len(s.trials) == 0 {
		return s.result("frames/s"), err
	}
	r := s.forwardingRate()
	s.claim(&r)
	if err == nil && r.Value == 0 {
		err = errors.New("no frame came back although the DUT was bypassed: the tester's ports do not reach each other")
	}
	return r, err
}
