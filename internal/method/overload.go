package method

import (
	"context"
	"errors"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/sweep"
)

// overload draws the curve of the forwarding rate over the offered load, up to
// the most that the tester can offer and down again, and says how the DUT
// takes more than it can forward (Mogul and Ramakrishnan, "Eliminating receive
// livelock in an interrupt-driven kernel", 1997).
//
// The value is the MLFRR, the highest load that is received without loss, as a
// sweep finds it: the highest one up to which the median window lost nothing,
// of the windows that nothing disturbed. That of all windows is shown with it. The
// curve is from a ladder of windows, up and down in each block. No single trial
// decides any of these, as on a machine that others use too each loses frames
// at almost any load. Other figures are the MFR and the FRMOL of RFC 2285, and
// the verdict by their ratio: 1 is a DUT that forwards as much at any overload
// as at its best.
//
// At some of the loads a trial asks the DUT's control plane for signs of life,
// where the testbed has a link for that, and says where frames were dropped.
// Asking costs time too: the highest load is measured once more without it, and
// both rates are given. At last the DUT is overloaded and then offered half of
// its MLFRR: how long frames are still lost is its recovery time.
var overload = Method{
	Name:    "overload",
	Summary: "forwarding rate over load, up and down: MLFRR, MFR, FRMOL, livelock, signs of life",
	Kind:    Curve,
	Check:   claim.CheckOverload,
	Earns:   [][]string{{"overload", "overload curve"}},
	Means:   "MLFRR",
	Leads: []Lead{
		{"", "MLFRR, the maximum loss-free receive rate"},
		{"MFR", "MFR, the maximum forwarding rate"},
		{"FRMOL", "FRMOL, the forwarding rate at the maximum offered load"},
		{"index FRMOL/MFR", "FRMOL/MFR, which is below 1 where an overload costs,"},
		{"lower bound of the index", "at least"},
		{"upper bound of the index", "at most"},
		{claim.OverloadRecovery, "time to recover from it"},
	},
	Takes:    []string{"trial", "step", "after", "settled", "window", "maximum"},
	Defaults: overloadDefaults,
	Quick:    Params{Trial: 100 * time.Millisecond, Windows: Windows{Time: 2500 * time.Millisecond}, Phases: Phases{Settled: 300 * time.Millisecond}},
	Measure:  single(runOverload),
}

var overloadDefaults = Params{
	Trial: 200 * time.Millisecond, Trials: 1,
	Windows: Windows{Window: 3 * time.Millisecond, Time: 3800 * time.Millisecond},
	Phases:  Phases{After: .5, Settled: 500 * time.Millisecond},
	Ladder:  Ladder{Step: .1},
}

const (
	leastSteps  = 10 // loads of the ladder
	lifeLoads   = 5  // of these, at which a trial asks for signs of life: it takes longer than all windows of a load
	ladderShare = .4 // of the time of all windows

	farLess = .25 // share of a load that the tester did not send: stalls of a busy machine take less
)

// The verdicts, by the index FRMOL / MFR.
const (
	graceful   = "graceful"
	degrading  = "degrading" // below 0.9
	livelocked = "livelock"  // below 0.1

	degradingBelow = .9
	livelockBelow  = .1
)

func runOverload(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	if s.top() == 0 {
		return s.result("frames/s"), errNoTop
	}
	o := &overloaded{windowed: &windowed{session: s}}
	err := o.stages(ctx)
	r := o.result()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, err
}

// overloaded is an overload measurement under way.
type overloaded struct {
	*windowed
	highest   *weir.TrialResult         // the highest load, with probes
	blind     *weir.TrialResult         // the same without
	alive     map[int]*weir.TrialResult // trials at single loads, by their step from 0
	climbed   *weir.TrialResult         // the ladder
	ladder    sweep.Pass                // the same
	shown     sweep.Branches            // by it
	found     sweep.Estimate            // by the sweep
	swept     bool                      // whether that came to its end
	recovered *weir.TrialResult
}

// stages begin with the highest load, which sets the scale of all others, and
// ask there with probes and without, one right after the other.
func (o *overloaded) stages(ctx context.Context) error {
	if err := ignoreAnyLoad(o.early(ctx, 0)); err != nil {
		return err
	}
	if o.env.Probe {
		t, err := o.atShare(ctx, 1, weir.Trial{})
		if err != nil {
			return err
		}
		o.blind = &t
	}
	t, err := o.measureAtShare(ctx, 1, weir.Trial{Probe: o.env.Probe})
	if err != nil {
		return err
	}
	o.highest = &t
	if err := o.sweep(ctx); err != nil {
		return err
	}
	if err := o.climb(ctx); err != nil {
		return err
	}
	if err := o.live(ctx); err != nil {
		return err
	}
	return o.recover(ctx)
}

// sweep looks for the MLFRR up to the highest load, or to what the tester sent
// when it was asked for that and sent far less. It is one round: in so little time
// three would have four windows of each load, and each its own unlucky ones.
func (o *overloaded) sweep(ctx context.Context) error {
	maximum := o.top()
	if o.highest.Unsent() > farLess {
		maximum = min(maximum, o.highest.OfferedRate()/o.ports())
	}
	o.goal = sweep.Goal{
		Window: o.params.Windows.Window, Buffer: o.env.Ring, Ports: o.env.Traffic.Ports(),
		Maximum: maximum, Rounds: 1, Within: time.Duration((1 - ladderShare) * float64(o.params.Windows.Time)), Seed: o.env.Traffic.Seed,
	}
	if err := o.goal.Validate(); err != nil {
		return err
	}
	all := func(sweep.Pass) bool { return true }
	err := o.passing(ctx, all)
	if errors.Is(err, errAnyLoad) { // which is known from now on
		err = o.passing(ctx, all)
	}
	o.found, o.swept = o.goal.Estimate(o.passes), err == nil
	return err
}

// shares are those of the maximum load that the ladder goes through.
func (o *overloaded) shares() []float64 { return steps(min(o.params.Ladder.Step, 1./leastSteps)) }

// climb goes up to the highest load and down again, in windows.
func (o *overloaded) climb(ctx context.Context) error {
	var loads []float64
	for _, share := range o.shares() {
		loads = append(loads, share*o.top())
	}
	p := o.goal.Ladder(loads, o.found, time.Duration(ladderShare*float64(o.params.Windows.Time)))
	p, t, err := o.pass(ctx, p)
	if err == nil {
		o.ladder, o.climbed, o.shown = p, &t, o.goal.Branches(p, o.found)
	}
	return err
}

// live performs trials at some loads of the way up, evenly from the highest one
// down, in rising order.
func (o *overloaded) live(ctx context.Context) error {
	shares := o.shares()
	last := len(shares) - 1
	o.alive = map[int]*weir.TrialResult{last: o.highest}
	every := (len(shares) + lifeLoads - 1) / lifeLoads
	var at []int
	for i := last - every; i >= 0; i -= every {
		at = append(at, i)
	}
	slices.Reverse(at)
	for _, i := range at {
		t, err := o.measureAtShare(ctx, shares[i], weir.Trial{Probe: o.env.Probe})
		if err != nil {
			return err
		}
		o.alive[i] = &t
		if err := o.examineSuspicious(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// recover overloads the DUT and then gives it a load that it can forward.
func (o *overloaded) recover(ctx context.Context) error {
	calm := o.params.Phases.After * o.mlfrr().Value / o.ports()
	if calm*o.params.Phases.Settled.Seconds() < 1 || !o.overloads() {
		return nil // no load is without loss, or none is an overload: there is nothing to return to or from
	}
	t, err := o.session.measure(ctx, weir.Trial{
		Intended: o.top(), Then: &weir.Phase{Intended: calm, Duration: o.params.Phases.Settled},
		Resolution: time.Duration(float64(time.Second) / (calm * o.ports())),
	})
	if err == nil {
		o.recovered = &t
	}
	return err
}

// overloads reports whether the median window of any load of the ladder lost
// frames.
func (o *overloaded) overloads() bool {
	return slices.ContainsFunc(o.shown.Up, func(r sweep.Rung) bool { return r.Loss > 0 })
}
