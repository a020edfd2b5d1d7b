package method

import (
	"errors"

	"weir"
	"weir/internal/claim"
)

// leastShare is the share of what the DUT forwards, and of what the tester sends, below
// which a search finds no rate of the DUT: a loss at so little load has another cause.
const leastShare = .01

// errFarBelow ends a search that would go there.
var errFarBelow = errors.New("the search went below 1 % of what the DUT forwards")

// farBelow reports whether a load, in frames/s per port, is so far below what the DUT
// was seen to forward that no rate is looked for there. A plan that gives a minimum
// decides that itself, and so do bursts, of which a trial has one at least.
func (s *session) farBelow(load float64) bool {
	return s.params.Minimum == 0 && s.env.Traffic.Burst == 0 && load < leastShare*s.mostForwarded()/s.ports()
}

// mostForwarded is the highest rate of the trials so far, in frames/s over all ports.
func (s *session) mostForwarded() (most float64) {
	for _, t := range s.trials {
		most = max(most, t.ForwardingRate())
	}
	return most
}

// withoutNumber takes the number from the result of a search that came to loads far
// below what the DUT forwards or, where the tester was the limit, what that sends, and
// says why.
func (s *session) withoutNumber(r *weir.Result, tester bool) {
	most, lowest := s.mostForwarded(), s.lowest()*s.ports()
	r.Value, r.Lower, r.Verdict, r.Irregular = 0, 0, claim.NotEnded, false
	s.claim(r)
	if tester {
		warn(r, weir.SearchLimit, "there is no number: the tester sent less than it was asked, down to %.0f frames/s; give it more CPUs, or take a quieter machine", lowest)
		return
	}
	warn(r, weir.SearchLimit, "there is no number: no load down to %.0f frames/s met the goal, and the DUT forwards %.0f of a higher one; what is lost at less than 1 %% of a rate is not lost for the load; look at where the frames went, allow a loss ratio, or give a minimum to search below it",
		lowest, most)
}
