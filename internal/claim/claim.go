// Package claim decides which name a result has earned, and which demands of
// the RFCs it keeps and misses: one checklist for each procedure.
//
// A claim follows from what was done: from the trials as they were recorded,
// and from the bounds that a search was left with. What a plan asked for is
// not looked at. The package does no I/O, and performs and orders no trial.
//
// What a text demands in a definition or a procedure, without one of the words
// of RFC 2119, counts as a MUST: without it the name would mean something else.
package claim

import "weir"

// A Checklist decides which name a result has earned.
type Checklist func(Evidence) weir.Claim

// Claim is the claim of a result, from the trials that were made for it: those
// of its method, in the order of measuring. Attempts that were repeated may be
// among them or not.
func (check Checklist) Claim(r weir.Result, trials []weir.TrialResult) weir.Claim {
	e := Evidence{Result: r, Trials: counted(r.Method, trials)}
	if len(e.Trials) == 0 {
		return Named("nothing measured")
	}
	return check(e)
}
