package method

import (
	"weir"
	"weir/internal/claim"
)

// What RFC 2544 asks of every trial.
const (
	fullTrial   = claim.FullTrial
	fullStream  = claim.FullStream
	fullRepeats = claim.FullRepeats
)

// claim gives a result the name that its trials have earned. What they do not
// show is in figures of the result: what the medium carries, where the plan
// ended the range of loads, and of which throughput the load is a share.
func (s *session) claim(r *weir.Result) {
	say := func(name string, perPort float64) {
		if _, known := r.Figure(name); !known && perPort > 0 {
			r.Figures = append(r.Figures, weir.Figure{Name: name, Value: perPort * s.ports(), Unit: "frames/s"})
		}
	}
	say(claim.TheoreticalMaximum, s.env.MediaRate)
	if rate, by := s.limit(); by == limitPlan {
		say(claim.PlanMaximum, rate)
	}
	if s.params.Load > 0 {
		if rate, err := knownThroughput(s.env.Method.Name, s.env.Past); err == nil {
			say(claim.Throughput, rate/s.ports())
		}
	}
	if _, share := r.Figure(claim.Throughput); share {
		if t, ok := lastThroughput(s.env.Past); ok {
			r.Basis = &weir.Basis{Claim: t.Claim.Name, Unfit: claim.Unfit(t)}
		}
	}
	if r.Claim = s.env.Method.claim(*r, s.trials); r.Verdict == claim.AnyLoad {
		r.Claim = claim.Named(claim.AnyLoad)
	}
}
