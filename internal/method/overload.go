package method

import (
	"cmp"
	"context"
	"slices"
	"time"

	"weir"
	"weir/search"
)

// overload draws the curve of the forwarding rate over the offered load, up to
// the most that the tester can offer and down again, and says how the DUT
// takes more than it can forward (Mogul and Ramakrishnan, "Eliminating receive
// livelock in an interrupt-driven kernel", 1997).
//
// The value is the MLFRR, the highest load that was received without loss:
// the ladder of steps finds between which two of them it lies, and a search
// finds it there. Beside it are the MFR and the FRMOL of RFC 2285, and the
// verdict by their ratio: 1 is a DUT that forwards as much at any overload as
// at its best.
//
// The DUT's control plane is asked for signs of life in each trial, where the
// testbed has a link for that. Asking costs time too: the highest step is
// measured once more without it, and both rates are given. At last the DUT is
// overloaded and then offered half of its MLFRR: how long frames are still
// lost is its recovery time.
var overload = Method{
	Name:     "overload",
	Summary:  "forwarding rate over load, up and down: MLFRR, MFR, FRMOL, livelock, signs of life",
	Defaults: overloadDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Step: .2, Width: .05},
	Run:      single(runOverload),
}

var overloadDefaults = Params{Trial: time.Second, Trials: 1, Step: .1, Width: .01, After: .5, Settled: time.Second}

// The verdicts, by the index FRMOL / MFR.
const (
	graceful   = "graceful"
	degrading  = "degrading" // below 0.9
	livelocked = "livelock"  // below 0.1

	degradingBelow = .9
	livelockBelow  = .1
)

func runOverload(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := &session{method: "overload", env: env, params: p.or(overloadDefaults)}
	if s.top() == 0 {
		return s.result("frames/s"), errNoTop
	}
	o := &overloaded{session: s}
	err := o.measure(ctx)
	r := o.result()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, err
}

// overloaded is an overload measurement under way.
type overloaded struct {
	*session
	curve     []weir.Point
	shown     []weir.TrialResult // the trials of the curve's points, in their order
	mlfrr     search.Outcome
	topped    bool              // whether the maximum load was offered on the way up
	blind     *weir.TrialResult // the highest step without probes
	recovered *weir.TrialResult
}

func (o *overloaded) measure(ctx context.Context) error {
	if err := o.ladder(ctx); err != nil {
		return err
	}
	if err := o.search(ctx); err != nil {
		return err
	}
	if o.env.Probe {
		t, err := o.atShare(ctx, 1, weir.Trial{})
		if err != nil {
			return err
		}
		o.blind = &t
	}
	return o.recover(ctx)
}

// ladder goes up to the maximum load and down again; the highest step counts
// for both branches.
func (o *overloaded) ladder(ctx context.Context) error {
	if err := o.scale(ctx); err != nil {
		return err
	}
	shares := steps(o.params.Step)
	visit := func(branch string) func(float64) error {
		return func(share float64) error {
			t, err := o.told(ctx, share, weir.Trial{Probe: o.env.Probe})
			if err != nil {
				return err
			}
			o.curve = append(o.curve, o.point(t, branch))
			o.shown = append(o.shown, t)
			return nil
		}
	}
	if err := inTurn(shares, visit(up)); err != nil {
		return err
	}
	o.topped = true
	back := make([]float64, 0, len(shares))
	for i := len(shares) - 2; i >= 0; i-- {
		back = append(back, shares[i])
	}
	return inTurn(back, visit(down))
}

// search finds the MLFRR below the lowest step of the way up that lost frames,
// or below the next one where that step loses none when it is tried again.
func (o *overloaded) search(ctx context.Context) (err error) {
	best := 0.
	for i, p := range o.curve {
		last := i+1 == len(o.curve) || o.curve[i+1].Branch != up
		best = max(best, p.Forwarded/o.ports())
		if o.shown[i].DUTLoss() <= 0 && !last {
			continue
		}
		top := min(o.top(), cmp.Or(o.shown[i].Trial.Intended, o.top()))
		goal := search.Goal{Width: o.params.Width, Trial: o.params.Trial, Trials: o.params.Trials, Exceed: o.params.Exceed, Maximum: top, Start: min(best, top)}
		o.mlfrr, err = search.Run(ctx, goal, func(ctx context.Context, load float64) (search.Observation, error) {
			t, err := o.session.measure(ctx, weir.Trial{Intended: load, Probe: o.env.Probe})
			return o.observation(t), err
		})
		if err != nil || last || o.mlfrr.Limited != search.ByMaximum {
			break
		}
	}
	return err
}

// overloads reports whether the DUT lost frames at any load of the curve.
func (o *overloaded) overloads() bool {
	return slices.ContainsFunc(o.shown, func(t weir.TrialResult) bool { return t.DUTLoss() > 0 })
}

// recover overloads the DUT and then gives it a load that it can forward.
func (o *overloaded) recover(ctx context.Context) error {
	calm := o.params.After * o.mlfrr.Lower
	if calm*o.params.Settled.Seconds() < 1 {
		return nil // no load is without loss: there is nothing to return to
	}
	t, err := o.session.measure(ctx, weir.Trial{
		Intended: o.top(), Then: &weir.Phase{Intended: calm, Duration: o.params.Settled},
		Resolution: time.Duration(float64(time.Second) / (calm * o.ports())),
	})
	if err == nil {
		o.recovered = &t
	}
	return err
}
