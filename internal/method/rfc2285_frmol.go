package method

import (
	"context"
	"time"

	"weir"
	"weir/internal/claim"
)

// frmol measures the forwarding rate at maximum offered load (RFC 2285
// section 3.6.2): frames are sent as fast as the tester can, and the rate is
// counted at which they come back. Of several trials the median one is the
// result, with its loss ratio and its ledger; Lower and Upper are the lowest
// and the highest rate of all trials.
//
// The maximum offered load, which MUST be cited, is the ledger's number of
// offered frames over the trial's duration. The rate may lie far below the
// throughput of a DUT that collapses at overload, and above that of one that
// loses single frames early.
var frmol = Method{
	Name:     frmolName,
	RFC:      "RFC 2285 section 3.6.2",
	Summary:  "forwarding rate at maximum offered load",
	Kind:     Most,
	Title:    "FRMOL",
	Check:    claim.CheckFRMOL,
	Earns:    [][]string{{"forwarding rate", "FRMOL"}},
	Takes:    []string{"trial"},
	Defaults: frmolDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 1},
	Measure:  single(runFRMOL),
}

// frmolName is how results of other methods find those of this one.
const frmolName = "frmol"

var frmolDefaults = Params{Trial: time.Second, Trials: 1}

func runFRMOL(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	err := s.repeat(ctx, s.maximum)
	if len(s.trials) == 0 {
		return s.result("frames/s"), err
	}
	r := s.forwardingRate()
	s.claim(&r)
	if r.Value == 0 && err == nil {
		overwhelmed(&r)
	}
	return r, err
}

// forwardingRate is the result of trials that are all alike.
func (s *session) forwardingRate() weir.Result {
	t := median(s.trials, weir.TrialResult.ForwardingRate)
	r := s.result("frames/s")
	r.Value = t.ForwardingRate()
	r.LossRatio = t.LossRatio()
	r.Lower, r.Upper = r.Value, r.Value
	for _, t := range s.trials {
		r.Lower, r.Upper = min(r.Lower, t.ForwardingRate()), max(r.Upper, t.ForwardingRate())
	}
	s.represent(&r, t)
	addWarnings(&r, s.trials...)
	return r
}
