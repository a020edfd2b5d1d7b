package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/method"
	"weir/internal/plan"
)

// step performs one method on one traffic, given what was found there before.
func (r *run) step(ctx context.Context, t weir.Traffic, s plan.Step, past []weir.Result) ([]weir.Result, error) {
	r.report(Event{Kind: MethodBegins})
	r.limit = s.Within
	env := r.env(t, r.level.Condition, past)
	if s.Method.Rounds && r.plan.Rounds > 1 {
		env.Round, env.Rounds, env.Earlier = r.round, r.plan.Rounds, r.earlier[r.roundKey(s, t)]
	}
	results, err := r.perform(ctx, s.Method, env, s.Params, true)
	// What a method had found when it was cut short is a result, and says so in
	// its claim.
	switch outOfTime := errors.Is(err, plan.ErrOutOfTime); {
	case outOfTime && anyTrials(results):
		for i := range results {
			results[i] = unfinished(results[i], s.Within)
		}
		err = nil
	case brokenOff(err) && ctx.Err() == nil: // the result says why it has no value
	case err != nil && (ctx.Err() == nil || !anyValue(results)):
		return nil, err
	case err != nil:
		for i := range results {
			results[i].Warnings = weir.AddWarning(results[i].Warnings, weir.Warn(weir.Interrupted, "the campaign was interrupted here; weir run --resume goes on with it"))
		}
	}
	for i, res := range results {
		if len(r.build) > 1 {
			r.current = r.build[i].Run
		}
		if results[i], err = r.keep(ctx, s, res, env.Earlier, err); err != nil && ctx.Err() == nil && !brokenOff(err) {
			return results[:i], err
		}
		if key := r.roundKey(s, t); env.Rounds > 0 {
			r.earlier[key] = append(r.earlier[key], r.trialsOf(results[i])...)
		}
	}
	if len(r.build) > 1 {
		r.current = r.build[0].Run // whose trials those of the next method are, too
	}
	return results, err
}

// roundKey is that of a step at a level with a traffic, in all rounds.
func (r *run) roundKey(s plan.Step, t weir.Traffic) string {
	return s.Method.Name + plan.TrafficKey(t) + r.level.Name
}

// brokenOff reports whether an error is that of a transfer, which has a result
// all the same.
func brokenOff(err error) bool {
	var broken *method.BrokenOffError
	return errors.As(err, &broken)
}

// keep records a result, unless it is recorded already. Earlier are its trials of
// earlier rounds.
func (r *run) keep(ctx context.Context, s plan.Step, res weir.Result, earlier []weir.TrialResult, err error) (weir.Result, error) {
	old := r.recording.result(res)
	if old >= 0 {
		r.recording.taken[old] = true
		res = r.recording.results[old]
	} else {
		res.Took, res.Run, res.Machine = time.Since(r.began), r.current, r.machineDuring(slices.Concat(earlier, r.trialsOf(res)))
		res = r.environment(r.demanded(s, res))
		if notRecorded := r.rec.RecordResult(context.WithoutCancel(ctx), res); notRecorded != nil {
			return res, &recordError{"the result of " + s.Method.Name, notRecorded}
		}
		r.campaign.Results = append(r.campaign.Results, res)
	}
	r.miss(s, res)
	r.report(Event{Kind: ResultDone, Result: &res, Replayed: old >= 0})
	return res, err
}

// trialsOf are the trials between the first and the last one of a result: all that
// its step took, of a campaign that goes round in its round.
func (r *run) trialsOf(res weir.Result) []weir.TrialResult {
	if res.First == 0 {
		return nil
	}
	by := func(t weir.TrialResult, n int) int { return cmp.Compare(t.Trial.Number, n) }
	from, _ := slices.BinarySearchFunc(r.campaign.Trials, res.First, by)
	to, _ := slices.BinarySearchFunc(r.campaign.Trials, res.Last+1, by)
	return r.campaign.Trials[from:max(from, to)]
}

// machineDuring returns what else the machine did during the trials of a result, all attempts
// together; nil where that was not observed.
func (r *run) machineDuring(trials []weir.TrialResult) *weir.Machine {
	var steal, other, over time.Duration
	for i := range trials {
		h := trials[i].Host
		steal, other, over = steal+h.Steal, other+h.Other, over+h.Over
	}
	if over <= 0 || r.lab.Manifest.CPUs == 0 {
		return nil
	}
	all := over.Seconds() * float64(r.lab.Manifest.CPUs)
	return &weir.Machine{Stolen: steal.Seconds() / all, Busy: other.Seconds() / all}
}

func anyTrials(results []weir.Result) bool {
	return slices.ContainsFunc(results, func(r weir.Result) bool { return r.Trials > 0 })
}

func anyValue(results []weir.Result) bool {
	return slices.ContainsFunc(results, func(r weir.Result) bool { return r.Value != 0 })
}

// selfTests find what the tester alone can do with each traffic, in each testbed.
// One that it cannot send is left out of the campaign.
func (r *run) selfTests(ctx context.Context) error {
	for _, l := range r.plan.Testers() {
		r.at(l)
		for _, t := range r.plan.Traffic {
			if t.Application {
				continue // it takes no tester
			}
			err := r.selfTest(ctx, t)
			if err == nil {
				continue
			}
			err = &weir.PlaceError{Place: "self-test of the tester " + weir.WithFrames + r.plan.Label(t), Err: err}
			if r.fatal(ctx, err) {
				return err
			}
			r.unfit[plan.TrafficKey(t)] = true
			r.fail(err)
		}
	}
	r.at(plan.Level{})
	return r.recordManifest(ctx)
}

// at enters a level. What a tester can do is that of its testbed.
func (r *run) at(l plan.Level) {
	r.level, r.gate.tester = l, ""
	for i, other := range r.plan.Testers() {
		if l.Testbed != nil && other.Testbed != nil && other.Testbed.Like(*l.Testbed) {
			r.gate.tester = fmt.Sprint(i)
		}
	}
}

func (r *run) selfTest(ctx context.Context, t weir.Traffic) error {
	m, ok := method.ByName(plan.SelfTest)
	if !ok {
		return errors.New("there is no such method")
	}
	params := r.plan.SelfTestParams(m)
	r.begin(r.plan.Label(t), plan.SelfTest, 0, r.plan.TrialCost(params.Trial))
	r.report(Event{Kind: SelfTestBegins})
	res, err := r.perform(ctx, m, r.env(t, weir.Condition{}, nil), params, false)
	if err != nil {
		return err
	}
	r.gate.ceiling[r.gate.key(t)] = res[0].Value
	label := r.plan.Label(t)
	if r.level.Name != "" {
		label += ", " + r.level.Name
	}
	r.campaign.Manifest.Ceiling[label] = res[0].Value
	return nil
}

// env is what a method is given for a traffic.
func (r *run) env(t weir.Traffic, c weir.Condition, past []weir.Result) method.Env {
	e := method.Env{
		Measure: r.measure, Traffic: t, Waits: r.plan.Waits, Condition: c, Factors: r.level.Factors(t),
		Ceiling: r.gate.ceiling[r.gate.key(t)] / float64(t.Ports()), DUTCPUs: forwardingCPUs(r.lab.CPUs.DUT, c),
		Events: r.lab.Events, Probe: r.lab.Probe, Past: past, Ring: r.lab.Ring, Shared: r.lab.Shared,
		Probed: r.probed[r.level.Name+plan.TrafficKey(t)],
	}
	if e.Arms = r.arms(); len(e.Arms) > 0 {
		e.Condition, e.Traffic, e.Build = weir.Condition{}, r.trafficOfArms(), r.current.Block
	}
	e.LinkRate = r.lab.LinkRate
	if r.lab.LinkRate > 0 && !t.Application {
		e.MediaRate = frame.LineRate(r.lab.LinkRate, t.MeanSize())
	}
	return e
}

// forwardingCPUs returns on how many of its CPUs the DUT may forward under a condition, which its
// share of CPU time is one of.
func forwardingCPUs(all []int, c weir.Condition) int {
	if n := c.CPUs(); n > 0 {
		return min(n, len(all))
	}
	return len(all)
}
