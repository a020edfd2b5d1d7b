package method

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
)

// mfr measures the maximum forwarding rate, the highest one of a set of loads
// (RFC 2285 section 3.6.3), which a DUT that degrades beyond its capacity does
// not reach at the maximum load. The set is first a ladder of steps up to the
// maximum load, then finer ones around the best of these, a tenth of a step
// apart. The load at which it was seen is a figure, as the RFC wants it cited. Where
// another method has seen more forwarded at the same levels, that is the highest rate.
var mfr = Method{
	Name:     mfrName,
	RFC:      "RFC 2285 section 3.6.3",
	Summary:  "highest forwarding rate over all loads",
	Kind:     Peak,
	Title:    "MFR",
	Check:    claim.CheckMFR,
	Earns:    [][]string{{"forwarding rate", "maximum forwarding rate", "RFC 2889 maximum forwarding rate"}},
	Takes:    []string{"trial", "step", "maximum"},
	Defaults: mfrDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 1, Ladder: Ladder{Step: .2}},
	Measure:  single(runMFR),
}

var mfrDefaults = Params{Trial: time.Second, Trials: 1, Ladder: Ladder{Step: .1}}

// mfrName is how results of other methods find those of this one.
const mfrName = "mfr"

// finer is how many trials there are between two steps of the ladder.
const finer = 10

func runMFR(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	if s.top() == 0 {
		return s.result("frames/s"), errNoTop
	}
	var curve []weir.Point
	var shown []weir.TrialResult // the trials of these
	best := -1
	var center float64 // the share of the best point
	add := func(t weir.TrialResult, share float64) {
		curve, shown = append(curve, s.point(t, up)), append(shown, t)
		if best < 0 || curve[len(curve)-1].Forwarded > curve[best].Forwarded {
			best, center = len(curve)-1, share
		}
	}
	visit := func(share float64) error {
		t, err := s.measureAtShare(ctx, share, weir.Trial{})
		if err == nil {
			add(t, share)
			err = s.examineSuspicious(ctx, t)
		}
		return err
	}
	ladder := steps(s.params.Ladder.Step)
	err := ignoreAnyLoad(s.early(ctx, 0))
	if err == nil {
		err = s.scale(ctx)
	}
	for _, t := range s.trials {
		add(t, 1) // the trial that set the scale is one of the set, too
	}
	if err == nil {
		err = inTurn(ladder, visit)
	}
	if err == nil && s.found == nil && len(curve) > 0 && slices.MinFunc(shown, lighter).DUTLoss() > 0 {
		err = ignoreAnyLoad(s.examine(ctx, s.lowest(), 0))
	}
	if err == nil {
		step := ladder[0]
		var shares []float64
		for i := 1 - finer; i < finer; i++ {
			if share := center + float64(i)/finer*step; i != 0 && share > 0 && share <= 1 {
				shares = append(shares, share)
			}
		}
		err = inTurn(shares, visit)
	}
	r := s.result("frames/s")
	if best < 0 {
		return r, err
	}
	r.Curve = curve
	r.Value = curve[best].Forwarded
	r.Lower, r.Upper = r.Value, r.Value
	r.LossRatio = curve[best].LossRatio
	r.Figures = []weir.Figure{{Name: weir.OfferedLoad, Value: curve[best].Offered, Unit: "frames/s"}}
	s.represent(&r, shown[best])
	addWarnings(&r, shown[best])
	if err != nil {
		r.Verdict = claim.NotEnded
	}
	if r.Value == 0 && err == nil {
		overwhelmed(&r)
	}
	if s.found != nil {
		s.addFinding(&r, "some frames are lost at every load: ")
	}
	r = raised(r, env.Past)
	s.claim(&r)
	return r, err
}

// lighter compares trials by their loads.
func lighter(a, b weir.TrialResult) int { return cmp.Compare(a.OfferedRate(), b.OfferedRate()) }

var errNoTop = errors.New("nothing limits the load: give a maximum in the plan, or measure the tester alone first")

// inTurn visits the loads in turn, until an error.
func inTurn(shares []float64, visit func(float64) error) error {
	for _, share := range shares {
		if err := visit(share); err != nil {
			return err
		}
	}
	return nil
}
