package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/method"
	"weir/internal/plan"
)

// run is a campaign under way.
type run struct {
	session
	part
	place
	labState
	clock

	campaign  weir.Campaign
	failed    []error                       // what could not be measured
	unearned  plan.Unearned                 // claims that were asked for
	forwarded bool                          // whether any frame came back through the DUT
	unfit     map[string]bool               // traffics that the tester cannot send, by their key
	earlier   map[string][]weir.TrialResult // trials of the rounds before, by method, level and traffic
	before    map[string][]weir.Result      // of the build before, by its traffic and stratum
	probed    map[string]weir.TrialResult   // the first probe, by level and traffic
	failures  int                           // runs in a row that found nothing
	disturbed int                           // blocks in a row that were
}

// session is what stays as it is while a campaign is measured.
type session struct {
	rec       weir.Recorder
	progress  Progress
	measure   weir.Measurer // decorated
	gate      *gate
	recording *recording // what is recorded already
	changed   string     // what is another environment now; "": nothing
}

// part is one of a plan's parts.
type part struct {
	plan   plan.Plan
	budget *plan.Rehearsal
	nr     int // which one, from 0
}

// place is what is being measured.
type place struct {
	round   int         // of a campaign that goes round, from 1
	level   plan.Level  //
	current weir.Run    // that is being made; the zero one where everything is measured once
	build   []plan.Cell // the runs that are made at once, side by side, or the one
}

// Run measures a plan in an open lab: the tester alone first, then each method
// of the plan for each of its frame sizes, at each of its levels. Every trial
// and every result is recorded the moment it is there.
//
// The campaign holds whatever was measured, also along with an error: that of a
// cancelled context (Ended is then "interrupted"), of the store, a DUT that
// forwards nothing, or of the levels and methods that could not be performed,
// of which one does not keep the others from being tried. With an
// *UnearnedError alone the campaign is complete.
func Run(ctx context.Context, p plan.Plan, lab Lab, rec weir.Recorder, progress Progress) (weir.Campaign, error) {
	return Resume(ctx, weir.Campaign{Name: p.Name, Manifest: NewManifest(p, lab, time.Now())}, p, lab, rec, progress)
}

// Resume goes on with a campaign that was interrupted, from its last recorded
// trial. It is Run for a plan that is the campaign's own: where something is
// recorded that it does not ask for, nothing is measured. A step that failed while others went on is measured anew.
func Resume(ctx context.Context, c weir.Campaign, p plan.Plan, lab Lab, rec weir.Recorder, progress Progress) (weir.Campaign, error) {
	r := &run{
		session: session{rec: rec, progress: progress}, part: part{plan: p}, labState: labState{lab: lab, bed: p.Testbed, hasManualSteps: p.Questions() > 0},
		unfit: map[string]bool{}, earlier: map[string][]weir.TrialResult{}, before: map[string][]weir.Result{}, probed: map[string]weir.TrialResult{},
	}
	r.resumeFrom(c)
	r.gate = &gate{cpus: lab.CPUs, machine: lab.Manifest.CPUs, link: lab.LinkRate, ceiling: map[string]float64{}, reach: map[string]float64{}}
	for _, t := range r.campaign.Trials {
		r.gate.sent(t)
	}
	r.measure = r.chain(lab.Measure)

	err := r.all(ctx)
	if r.undo != nil {
		err = errors.Join(err, r.revertCondition(ctx))
	}
	if r.asked && r.byHand != "" {
		r.report(Event{Kind: LeftByHand, Left: r.byHand})
	}
	switch {
	case err == nil:
		r.campaign.Ended = weir.EndedComplete
	case ctx.Err() != nil:
		r.campaign.Ended = weir.EndedInterrupted
		var left *UndoError
		if errors.As(err, &left) {
			return r.campaign, errors.Join(ctx.Err(), left)
		}
		return r.campaign, ctx.Err()
	default:
		err = errors.Join(err, busy(r.campaign.Trials))
		r.campaign.Ended, r.campaign.Manifest.Failures = weir.FailedWith(err), weir.ReasonsOf(err)
		err = errors.Join(err, r.recordManifest(ctx))
	}
	return r.campaign, errors.Join(append([]error{err}, r.unearned.Errors()...)...)
}

func (r *run) all(ctx context.Context) error {
	if err := r.checkPlanMatches(); err != nil {
		return err
	}
	var parts []part
	for i, p := range r.plan.Parts() {
		parts = append(parts, part{p, plan.NewRehearsal(p), i})
	}
	for _, r.part = range parts {
		if err := r.refuse(); err != nil {
			return err
		}
		r.worst += r.budget.LongestTime()
	}
	r.part = parts[0]
	if err := Refused(ctx, r.plan, r.lab); err != nil {
		return err
	}
	if err := r.recordManifest(ctx); err != nil {
		return err
	}
	if r.lab.SelfTest {
		if err := r.selfTests(ctx); err != nil {
			return err
		}
	}
	for _, r.part = range parts {
		if err := r.measurePart(ctx); err != nil {
			return errors.Join(append(r.failed, err)...)
		}
	}
	return errors.Join(r.failed...)
}

// measurePart measures one part of the plan. The error is one that ends the campaign.
func (r *run) measurePart(ctx context.Context) error {
	if r.plan.Experiment != nil {
		return r.runs(ctx)
	}
	for r.round = 1; r.round <= max(r.plan.Rounds, 1); r.round++ {
		for i, l := range r.plan.Levels {
			if err := r.atLevel(ctx, l); err != nil {
				return errors.Join(err, r.notMeasured(ctx, r.plan.Levels[i+1:]))
			}
		}
	}
	return nil
}

// atLevel measures all sizes at a level. The error is one that ends the
// campaign; what else went wrong is noted.
func (r *run) atLevel(ctx context.Context, l plan.Level) error {
	r.at(l)
	r.applied = false
	for _, t := range l.Traffic {
		if r.unfit[plan.TrafficKey(t)] {
			continue
		}
		err := r.atSize(ctx, t)
		var condition *conditionError
		if errors.As(err, &condition) {
			r.fail(err)
			break // the other sizes would give the same
		}
		if err != nil {
			return err
		}
	}
	return r.revertCondition(ctx)
}

// atSize performs all methods on one traffic. The error ends the level or the
// campaign.
func (r *run) atSize(ctx context.Context, t weir.Traffic) error {
	if !t.Application { // a program says itself whether it gets through
		if err := r.probe(ctx, t); err != nil {
			if r.fatal(ctx, err) {
				return err
			}
			r.fail(err)
			return nil
		}
	}
	build := r.level.Stratum + plan.TrafficKey(t)
	past := slices.Clone(r.before[build])
	budgets := r.budget.Steps(r.level)
	for i, s := range r.plan.Steps {
		if s.Method.Application != t.Application || !s.Method.Rounds && r.round < r.plan.Rounds {
			continue // the latter are performed once, at last
		}
		r.begin(t.Name, s.Method.Name, i+1, budgets[i])
		found, err := r.step(ctx, t, s, past)
		if err == nil {
			past = append(past, found...)
			if len(r.build) > 1 {
				r.before[build] = found
			}
			continue
		}
		var out *method.NotApplicableError
		if errors.As(err, &out) && s.Claim == "" {
			if err := r.leaveOut(ctx, r.named(fmt.Errorf("with frames of %s %w", t.Name, err))); err != nil {
				return err
			}
			continue
		}
		if !brokenOff(err) { // which names its program itself
			err = &weir.PlaceError{Place: s.Method.Name + with(t), Err: err}
		}
		var nothing *method.NothingForwardedError
		if errors.As(err, &nothing) {
			if end, err := r.stopped(ctx, t, err, r.plan.Steps[i+1:]); end {
				return err
			}
			continue
		}
		if err = r.named(err); r.fatal(ctx, err) {
			return err
		}
		r.fail(err)
	}
	return nil
}

// with says which frames were sent, where any were.
func with(t weir.Traffic) string {
	if t.Application {
		return ""
	}
	return " " + weir.WithFrames + t.Name
}

// fail notes what could not be measured.
func (r *run) fail(err error) {
	r.failed = append(r.failed, err)
	r.report(Event{Kind: MethodFailed, Err: err})
}

// leaveOut notes a method that does not apply. That is no failure: the
// campaign is complete without it, and its manifest says why.
func (r *run) leaveOut(ctx context.Context, why error) error {
	r.report(Event{Kind: MethodLeftOut, Err: why})
	note := weir.Setting{Where: "campaign", Name: "left out", Value: why.Error()}
	if slices.Contains(r.campaign.Manifest.Settings, note) {
		return nil // it was left out before the campaign was interrupted, too
	}
	r.campaign.Manifest.Settings = append(slices.Clone(r.campaign.Manifest.Settings), note)
	return r.recordManifest(ctx)
}

// named is err with the name of the level, where there are several.
func (r *run) named(err error) error {
	if len(r.plan.Levels) == 1 {
		return err
	}
	return &weir.PlaceError{Place: r.level.Name, Err: err}
}

// fatal reports whether an error keeps the rest of the level, or of the
// campaign, from being measured.
func (r *run) fatal(ctx context.Context, err error) bool {
	var notRecorded *recordError
	var condition *conditionError
	var gone *rebuildError
	var nothing *silentError
	var untouched *byHandError
	var down *restartError
	return ctx.Err() != nil || errors.As(err, &down) || errors.As(err, &untouched) || errors.As(err, &notRecorded) || errors.As(err, &condition) || errors.As(err, &gone) || errors.As(err, &nothing) && !r.forwarded
}

func (r *run) recordManifest(ctx context.Context) error {
	if err := r.rec.RecordManifest(context.WithoutCancel(ctx), r.campaign.Manifest); err != nil {
		return &recordError{"the manifest", err}
	}
	return nil
}
