package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
)

// lossRate draws the loss ratio over the load (RFC 2544 section 26.3): the
// first trial has the maximum load, each further one a step less, until two
// successive trials lose nothing. Where the last step is reached before that,
// smaller ones follow (the RFC encourages them): a tenth of it each, and a tenth
// of these. The maximum is that of the medium, or else what the tester can send.
// All steps are shares of it.
//
// The curve is the result. Its value is the highest load that lost nothing, as
// none below it did; 0 if there is none. Upper is the lowest load that lost
// frames. The loss ratio, the ledger and the latency are those at the maximum
// load.
var lossRate = Method{
	Name:     "loss-rate",
	RFC:      "RFC 2544 section 26.3",
	Summary:  "loss ratio from the maximum load down, until two loads in a row lose nothing",
	Kind:     LossCurve,
	Check:    claim.CheckLossRate,
	Earns:    [][]string{{"loss curve", "RFC 2544 frame loss rate"}, {"loss curve", "RFC 5180 frame loss rate"}},
	Means:    "highest load without loss",
	Curved:   true,
	Takes:    []string{"trial", "step", "maximum"},
	Defaults: lossRateDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond},
	Book:     Params{Trial: fullTrial},
	Measure:  single(runLossRate),
}

var lossRateDefaults = Params{Trial: time.Second, Trials: 1, Ladder: Ladder{Step: .1}}

// enough is how many successive trials without loss end the curve.
const enough = 2

func runLossRate(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	switch {
	case s.top() == 0:
		return s.result("frames/s"), errNoTop
	case !(s.params.Ladder.Step > 0 && s.params.Ladder.Step <= 1):
		return s.result("frames/s"), fmt.Errorf("a step of %v is not a share of the maximum load, above 0 and at most 1", s.params.Ladder.Step)
	}
	curve, err := s.descend(ctx)
	if len(curve) == 0 {
		return s.result("frames/s"), err
	}
	atAnyLoad := errors.Is(err, errAnyLoad)
	if atAnyLoad {
		err = nil
	}
	r := s.result("frames/s")
	r.Curve = curve
	r.LossRatio = curve[0].LossRatio
	r.Value, r.Upper = cleanUpTo(curve)
	r.Lower = r.Value
	r.Figures = []weir.Figure{
		{Name: claim.MaximumOffered, Value: curve[0].Offered, Unit: "frames/s"},
		{Name: claim.LossAtMaximum, Value: curve[0].LossRatio},
		{Name: claim.LoadStep, Value: s.params.Ladder.Step},
	}
	first := s.trials[0] // at the maximum load, as it counts
	for _, t := range s.trials[1:] {
		if first.Inconclusive(0) && t.Trial.Intended == first.Trial.Intended {
			first = t
		}
	}
	s.represent(&r, first)
	addWarnings(&r, s.trials...)
	if err == nil && !atAnyLoad && lossless(curve) < enough {
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "the curve ends at its lowest load, %.0f frames/s, before two loads in a row lost nothing; give a lower maximum (maximum)", loadOf(curve[len(curve)-1])))
	}
	for _, t := range s.at(r.Upper / s.ports()) {
		if t.Inconclusive(0) && r.Upper > r.Lower {
			r.Warnings = weir.AddWarning(r.Warnings, beyondTester(r.Upper))
		}
	}
	s.claim(&r)
	if atAnyLoad {
		s.addFinding(&r, "the curve goes no lower: ")
	}
	return r, err
}

// descend goes down from the maximum load until enough trials in a row lost
// nothing.
func (s *session) descend(ctx context.Context) (curve []weir.Point, err error) {
	for _, share := range falling(s.params.Ladder.Step) {
		if err := ctx.Err(); err != nil || lossless(curve) >= enough {
			return curve, err
		}
		t, err := s.measureAtShare(ctx, share, weir.Trial{})
		if err != nil {
			return curve, err
		}
		curve = append(curve, s.point(t, down))
		if s.suspicious(t, 0) {
			if err := s.examine(ctx, cmp.Or(t.Trial.Intended, t.OfferedRate()/s.ports()), 0); err != nil {
				return curve, err
			}
		}
	}
	return curve, nil
}

// decades is how often the steps of a falling curve become smaller.
const decades = 2

// falling are the shares of the maximum load of a falling curve, the highest
// first.
func falling(step float64) []float64 {
	out := steps(step)
	slices.Reverse(out)
	parts := float64(len(out))
	for range decades {
		parts *= 10
		for i := 9; i > 0; i-- {
			out = append(out, float64(i)/parts)
		}
	}
	return out
}

// lossless is how many points at the end of a curve lost nothing of their load,
// which was sent.
func lossless(curve []weir.Point) int {
	n := 0
	for _, p := range slices.Backward(curve) {
		if p.LossRatio > 0 || p.Unsent > 0 {
			break
		}
		n++
	}
	return n
}

// cleanUpTo are the highest load of a falling curve up to which nothing was
// lost, and the load above it, which is the same where there is none.
func cleanUpTo(curve []weir.Point) (clean, above float64) {
	first := len(curve) - lossless(curve)
	if first < len(curve) {
		clean = loadOf(curve[first])
	}
	if first == 0 {
		return clean, clean
	}
	return clean, loadOf(curve[first-1])
}

// loadOf is the load of a point, in frames/s over all ports: as intended, or as
// offered where it was the most that the tester could send.
func loadOf(p weir.Point) float64 { return cmp.Or(p.Intended, p.Offered) }
