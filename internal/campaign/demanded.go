package campaign

import (
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
)

// demanded warns of a result that has not earned the name that was asked for.
func (r *run) demanded(s plan.Step, res weir.Result) weir.Result {
	if s.Claim == "" || method.Satisfies(res.Claim, s.Claim) {
		return res
	}
	sentence := weir.Say("%q was asked for, and %q earned", s.Claim, res.Claim.Name)
	if len(res.Claim.Missed) > 0 {
		sentence = sentence.Then("; missed: %s", strings.Join(res.Claim.Missed, "; "))
	}
	res.Warnings = weir.AddWarning(res.Warnings, weir.Warning{Code: weir.ClaimNotEarned, Sentence: sentence})
	return res
}

// miss notes a result that has not earned what was asked for.
func (r *run) miss(s plan.Step, res weir.Result) {
	if s.Claim != "" && !method.Satisfies(res.Claim, s.Claim) {
		r.unearned.Add(&plan.UnearnedError{
			Measured: true, Method: s.Method.Name, Results: []string{r.plan.AtLevel(r.level, r.size)},
			Wanted: s.Claim, Have: res.Claim.Name, Missed: res.Claim.Missed,
		})
	}
}
