package method

import (
	"weir"
	"weir/sweep"
)

// farBeyond is how many times the load that the tester sends while the DUT works the one
// has to be that it sends alone, for that to be worth a word. Twice as much is
// usual where tester and DUT share a machine.
const farBeyond = 4

// beyond says which loads are more than can be sent, where the plan has asked for
// them, or they are many; it reports whether any are.
func (s *swept) beyond(r *weir.Result, e sweep.Estimate, limit string) bool {
	asked, top := s.params.Maximum, s.goal.Maximum
	unsent := e.Has(sweep.Beyond) && e.Sendable > 0
	if unsent {
		top = e.Sendable
	}
	switch {
	case asked > s.goal.Maximum && limit == limitMedium && !unsent:
		warn(r, weir.BeyondTester, "the plan asks for up to %.0f frames/s from each port, and the medium carries %.0f: no more was sent; lower the maximum", asked, top)
	case asked > top:
		warn(r, weir.BeyondTester, "the plan asks for up to %.0f frames/s from each port, and the tester sends at most %.0f: the result is from the loads up to there; lower the maximum, or give the tester more CPUs", asked, top)
	case unsent && farBeyond*top < s.goal.Maximum:
		warn(r, weir.BeyondTester, "the tester sends %.0f frames/s from each port by itself, and at most %.0f beside the DUT: the result is from the loads up to there; give the tester more CPUs, or a quieter machine", s.goal.Maximum, top)
	}
	return unsent
}
