package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/visible"
)

// UnearnedError says that results have not earned the name that the plan asked
// for. They are recorded all the same.
type UnearnedError struct {
	Measured bool     // or seen before anything was
	Method   string   //
	Results  []string // which of its results: "64", "64 at broadcast"
	Wanted   string   // the name
	Have     string   // the name that was earned instead
	Missed   []string // what is missed
	Why      string   // of those what weighs most, or another reason; "": not known
	Do       string   // the lines of a plan that earns it; "": none are known

	At weir.Place // where the plan asks for it; nowhere once it is measured
}

func (e *UnearnedError) Error() string {
	verb := "has earned"
	if !e.Measured {
		verb = "can earn by this plan"
	}
	s := fmt.Sprintf("%q was asked for, and %s with frames of %s %s %q only", e.Wanted, e.Method, strings.Join(e.Results, ", "), verb, e.Have)
	missed, misses := e.Missed, "; it misses"
	if e.Why != "" {
		s += ": " + e.Why
		missed = slices.DeleteFunc(slices.Clone(missed), func(d string) bool { return d == e.Why })
		misses = "; it misses besides"
	}
	if e.At.Line > 0 {
		s = weir.Problem{At: e.At, What: visible.Brief(s)}.Error()
		misses = "\n" + strings.TrimPrefix(misses, "; ") // after the caret
	}
	if len(missed) > 0 {
		s += misses + "\n  - " + strings.Join(missed, "\n  - ")
	}
	if e.Do != "" {
		s += "\nwhat earns it: " + e.Do
	}
	return s
}

// Unearned are the names that were not earned. What several results have in common is written
// once.
type Unearned []*UnearnedError

// Add adds e, with the results of one that says the same.
func (u *Unearned) Add(e *UnearnedError) {
	i := slices.IndexFunc(*u, func(o *UnearnedError) bool {
		return o.Method == e.Method && o.Wanted == e.Wanted && o.Have == e.Have && o.At == e.At && o.Why == e.Why && o.Do == e.Do && slices.Equal(o.Missed, e.Missed)
	})
	if i < 0 {
		*u = append(*u, e)
		return
	}
	for _, r := range e.Results {
		if !slices.Contains((*u)[i].Results, r) {
			(*u)[i].Results = append((*u)[i].Results, r)
		}
	}
}

// Errors are all of them.
func (u Unearned) Errors() []error {
	var out []error
	for _, e := range u {
		out = append(out, e)
	}
	return out
}

// AtLevel names a traffic at a level, for people: by its name alone where there is
// one level.
func (p Plan) AtLevel(l Level, t string) string {
	if len(p.Levels) > 1 {
		return t + " at " + l.Name
	}
	return t
}

// Impossible says what of the plan a testbed cannot do that has these events.
func (p Plan) Impossible(events []string) (out weir.Problems) {
	for _, s := range p.Steps {
		if s.Method.Does == nil {
			continue
		}
		if _, err := s.Method.Event(s.Params, events); err != nil {
			out = append(out, weir.Problem{At: s.At, What: visible.Brief(err.Error())})
		}
	}
	return out
}

// Unearnable says which of the names that the plan asks for it will not earn
// however well the DUT does, as *UnearnedErrors; nil where there is none.
func (p Plan) Unearnable() error {
	if !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Claim != "" }) {
		return nil
	}
	var found Unearned
	for _, l := range p.Levels {
		for _, t := range l.Traffic {
			for i, c := range p.bestClaims(l, t) {
				s := p.Steps[i]
				if s.Claim != "" && c.Name != "" && !method.Satisfies(c, s.Claim) {
					found.Add(&UnearnedError{Method: s.Method.Name, Results: []string{p.AtLevel(l, t.Name)}, Wanted: s.Claim, Have: c.Name, Missed: c.Missed, Why: p.obstacle(i, l, t, c), Do: p.remedy(i, l, t), At: s.At})
				}
			}
		}
	}
	return errors.Join(found.Errors()...)
}

// remedies are what earns names of RFC 2544 that a plan of trials as weir has them misses, the
// least first.
var remedies = []struct {
	lines string // of the plan
	apply func(p *Plan, step int)
}{
	{"the line waits: " + fullWaits, func(p *Plan, _ int) { p.Waits = standardWaits }},
	{"trial: 60s in this method", fullTrials},
	{"trial: 60s in this method, and the line waits: " + fullWaits, func(p *Plan, step int) {
		p.Waits = standardWaits
		fullTrials(p, step)
	}},
}

// fullWaits are standardWaits as a plan writes them.
var fullWaits = fmt.Sprintf("{learning: %v, residual: %v, settle: %v}", standardWaits.Learning, standardWaits.Residual, standardWaits.Settle)

// fullTrials gives a step trials as long as RFC 2544 has them.
func fullTrials(p *Plan, step int) {
	p.Steps = slices.Clone(p.Steps)
	p.Steps[step].Params.Trial = claim.FullTrial
}

// remedy returns the lines with which step i earns the name that is asked of it; "" where none of
// remedies is enough.
func (p Plan) remedy(i int, l Level, t weir.Traffic) string {
	for _, r := range remedies {
		other := p
		if r.apply(&other, i); method.Satisfies(other.bestClaims(l, t)[i], p.Steps[i].Claim) {
			return r.lines
		}
	}
	return ""
}

// obstacle is why step i earns a lesser claim: it had no time, or misses a demand,
// of which the first MUST is the weightiest.
func (p Plan) obstacle(i int, l Level, t weir.Traffic, have weir.Claim) string {
	if p.Steps[i].Within > 0 {
		unhurried := p
		unhurried.Steps = slices.Clone(p.Steps)
		unhurried.Steps[i].Within = 0
		if method.Satisfies(unhurried.bestClaims(l, t)[i], p.Steps[i].Claim) {
			return fmt.Sprintf("within %v is too short for it", p.Steps[i].Within)
		}
	}
	for _, d := range have.Demands {
		if d.Level == weir.Must && have.Misses(d) {
			return d.Miss()
		}
	}
	return ""
}

// bestClaims are the claims that each step earns in a dry run that goes well:
// the fullest of those with a few models. One without a name is not known.
func (p Plan) bestClaims(l Level, t weir.Traffic) []weir.Claim {
	best := make([]weir.Claim, len(p.Steps))
	for _, m := range friendlyModels {
		_, results := m.rehearse(p, l, t)
		for i, found := range results {
			for _, res := range found {
				wanted := p.Steps[i].Claim
				switch have := best[i]; {
				case have.Name != "" && method.Satisfies(have, wanted):
				case have.Name == "", method.Satisfies(res.Claim, wanted), len(res.Claim.Missed) < len(have.Missed):
					best[i] = res.Claim
				}
			}
		}
	}
	return best
}
