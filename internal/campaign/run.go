package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/method"
)

// run is a campaign under way.
type run struct {
	plan     Plan
	lab      Lab
	rec      weir.Recorder
	progress Progress
	campaign weir.Campaign
	gate     *gate
	measure  weir.Measurer // decorated

	level, method string        // what is being measured
	budget, spent time.Duration // worst-case time of the plan, and of the steps that are done
	stepBudget    time.Duration // worst-case time of the step under way
	inStep        time.Duration // what its trials took
}

// Run measures a plan in an open lab: the tester alone first, then each method
// of the plan for each of its frame sizes. Every trial and every result is
// recorded the moment it is there.
//
// The campaign holds whatever was measured, also beside an error: that of a
// cancelled context (Ended is then "interrupted"), of the store, a DUT that
// forwards nothing, or of the methods that could not be performed; of those
// one does not keep the others from being tried.
func Run(ctx context.Context, p Plan, lab Lab, rec weir.Recorder, progress Progress) (weir.Campaign, error) {
	r := &run{plan: p, lab: lab, rec: rec, progress: progress, budget: p.WorstCase()}
	r.campaign = weir.Campaign{Name: p.Name, Manifest: lab.manifest(p, time.Now())}
	r.gate = &gate{cpus: lab.CPUs, machine: r.campaign.Manifest.CPUs, ceiling: r.campaign.Manifest.Ceiling}
	r.measure = settled(r.told(recorded(gated(observed(numbered(lab.Measure), lab.Observe), r.gate), rec)))

	err := r.all(ctx)
	switch {
	case err == nil:
		r.campaign.Ended = "complete"
	case ctx.Err() != nil:
		r.campaign.Ended, err = "interrupted", ctx.Err()
	default:
		r.campaign.Ended = "failed: " + strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return r.campaign, err
}

func (r *run) all(ctx context.Context) error {
	if err := r.recordManifest(ctx); err != nil {
		return err
	}
	if r.lab.SelfTest {
		for _, t := range r.plan.Traffic {
			if err := r.selfTest(ctx, t); err != nil {
				return fmt.Errorf("self-test of the tester with frames of %s: %w", t.Name, err)
			}
		}
		if err := r.recordManifest(ctx); err != nil {
			return err
		}
	}
	var failed []error
	for _, t := range r.plan.Traffic {
		if err := r.probe(ctx, t); err != nil {
			return errors.Join(append(failed, err)...)
		}
		var past []weir.Result
		budgets := r.plan.worstSteps(t)
		for i, s := range r.plan.Steps {
			r.begin(t.Name, s.Method.Name, budgets[i])
			found, err := r.step(ctx, t, s, past)
			if err == nil {
				past = append(past, found...)
				continue
			}
			err = fmt.Errorf("%s with frames of %s: %w", s.Method.Name, t.Name, err)
			failed = append(failed, err)
			if r.fatal(ctx, err) {
				return errors.Join(failed...)
			}
			r.tell(Event{Kind: MethodFailed, Err: err})
		}
	}
	return errors.Join(failed...)
}

// fatal reports whether an error keeps everything else from being measured.
func (r *run) fatal(ctx context.Context, err error) bool {
	var notRecorded *recordError
	var nothing *method.NothingForwardedError
	return ctx.Err() != nil || errors.As(err, &notRecorded) || errors.As(err, &nothing)
}

func (r *run) recordManifest(ctx context.Context) error {
	if err := r.rec.RecordManifest(context.WithoutCancel(ctx), r.campaign.Manifest); err != nil {
		return &recordError{"the manifest", err}
	}
	return nil
}

// step performs one method on one traffic, beside what was found there before.
func (r *run) step(ctx context.Context, t weir.Traffic, s Step, past []weir.Result) ([]weir.Result, error) {
	r.tell(Event{Kind: MethodBegins})
	began := time.Now()
	env := r.env(t, past)
	env.Measure = repeated(r.within(s.Within, began, env.Measure))
	results, err := s.Method.Run(ctx, env, s.Params)
	// What a method had found when it was cut short is a result, and says so in
	// its claim.
	switch outOfTime := errors.Is(err, errOutOfTime); {
	case outOfTime && anyTrials(results):
		for i := range results {
			results[i] = unfinished(results[i], s.Within)
		}
		err = nil
	case err != nil && (ctx.Err() == nil || !anyValue(results)):
		return nil, err
	}
	for i, res := range results {
		res.Took = time.Since(began)
		if notRecorded := r.rec.RecordResult(context.WithoutCancel(ctx), res); notRecorded != nil {
			return results[:i], &recordError{"the result of " + s.Method.Name, notRecorded}
		}
		r.campaign.Results = append(r.campaign.Results, res)
		r.tell(Event{Kind: ResultDone, Result: &res})
	}
	return results, err
}

func anyTrials(results []weir.Result) bool {
	return slices.ContainsFunc(results, func(r weir.Result) bool { return r.Trials > 0 })
}

func anyValue(results []weir.Result) bool {
	return slices.ContainsFunc(results, func(r weir.Result) bool { return r.Value != 0 })
}

// selfTest finds what the tester alone can do with a traffic.
func (r *run) selfTest(ctx context.Context, t weir.Traffic) error {
	m, ok := method.ByName(selfTest)
	if !ok {
		return errors.New("there is no such method")
	}
	params := r.plan.selfTestParams(m)
	r.begin(t.Name, selfTest, r.plan.trialCost(params.Trial))
	r.tell(Event{Kind: SelfTestBegins})
	res, err := m.Run(ctx, r.env(t, nil), params)
	if err != nil {
		return err
	}
	r.campaign.Manifest.Ceiling[t.Name] = res[0].Value
	return nil
}

// The probe is a trickle that any DUT forwards.
const (
	probeRate     = 1000.0 // frames/s
	probeDuration = 100 * time.Millisecond
)

// probe makes sure that the DUT forwards at all before trials are spent on it.
func (r *run) probe(ctx context.Context, t weir.Traffic) error {
	r.begin(t.Name, "probe", r.plan.trialCost(probeDuration))
	res, err := r.measure(ctx, weir.Trial{
		Purpose: "probe", Traffic: t, Intended: probeRate, Duration: probeDuration, Waits: r.plan.Waits,
	})
	if err != nil {
		return fmt.Errorf("probe with frames of %s: %w", t.Name, err)
	}
	if res.Received == 0 {
		return fmt.Errorf("the DUT forwards nothing: %d %s/%s frames of %s from %v to %v at %g frames/s, none came back; %s",
			res.Offered, t.Family, t.Protocol, t.Name, t.Forward.Source.First, t.Forward.Destination.First, probeRate, dropped(res.Ledger))
	}
	return nil
}

// dropped says where the frames of a trial went.
func dropped(l weir.Ledger) string {
	if len(l.Drops) == 0 {
		return "no counter of the DUT says where they went: check its addresses, routes and filters"
	}
	s := "its counters:"
	for _, d := range l.Drops {
		s += fmt.Sprintf(" %s %d", d.Place, d.Count)
	}
	return s
}

// env is what a method is given for a traffic.
func (r *run) env(t weir.Traffic, past []weir.Result) method.Env {
	e := method.Env{
		Measure: r.measure, Traffic: t, Waits: r.plan.Waits, Factors: factors(t),
		Ceiling: r.campaign.Manifest.Ceiling[t.Name] / float64(t.Ports()), DUTCPUs: len(r.lab.CPUs.DUT), Past: past,
	}
	if r.lab.LinkRate > 0 {
		e.MediaRate = frame.LineRate(r.lab.LinkRate, t.MeanSize())
	}
	return e
}

// factors are the levels of a traffic: the frame size, which is a number or
// the name of a mix, and whatever is not as usual.
func factors(t weir.Traffic) weir.Factors {
	f := weir.Factors{"frame_size": t.Name}
	if len(t.Sizes) == 1 {
		f["frame_size"] = int(t.Sizes[0])
	}
	if t.Family != weir.IPv4 {
		f["family"] = string(t.Family)
	}
	if t.Protocol != weir.UDP {
		f["protocol"] = string(t.Protocol)
	}
	if t.Flows != 1 {
		f["flows"] = t.Flows
	}
	if len(t.VLANs) > 0 {
		f["vlans"] = len(t.VLANs)
	}
	if t.Bidirectional {
		f["bidirectional"] = true
	}
	return f
}
