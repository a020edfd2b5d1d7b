package plan

import (
	"context"
	"errors"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/method"
)

// trialOverhead is what a trial costs in addition to its duration and its waits:
// arming, reading counters, recording.
const trialOverhead = 50 * time.Millisecond

// witnessWait is for how long at most a trial waits for the counters of a witness that
// answers (snmp.SettleMost).
const witnessWait = 4 * time.Second

// ProbeDuration is how long it is tried whether a DUT forwards at all, and ProbeMore how
// long, after that, whether it forwards all of a low load.
const (
	ProbeDuration = 100 * time.Millisecond
	ProbeMore     = 200 * time.Millisecond
)

// ErrOutOfTime ends a step whose time is used up.
var ErrOutOfTime = errors.New("the time for this method is used up")

// WorstCase is an upper estimate of what the trials of a plan take together:
// each method is run dry against models of routers that are hard to measure,
// and the longest of these runs counts.
func (p Plan) WorstCase() time.Duration {
	var sum time.Duration
	for _, part := range p.Parts() {
		sum += NewRehearsal(part).LongestTime()
	}
	return sum
}

// Rehearsal knows how long the steps of a plan take at most. It is an estimate
// over routers of all speeds, so that neither the size of the frames nor the
// number of ports matters: only what is run dry differs that differs in kind.
type Rehearsal struct {
	Plan  Plan
	known map[weir.RouteSet][]time.Duration
}

// NewRehearsal is the one of a plan.
func NewRehearsal(p Plan) *Rehearsal {
	return &Rehearsal{Plan: p, known: map[weir.RouteSet][]time.Duration{}}
}

// LongestTime returns the longest time that the trials of the plan take together.
func (h *Rehearsal) LongestTime() time.Duration {
	var sum time.Duration
	if m, ok := method.ByName(SelfTest); ok {
		for _, t := range h.Plan.Traffic {
			if !t.Application {
				sum += h.Plan.TrialCost(h.Plan.SelfTestParams(m).Trial)
			}
		}
	}
	if e := h.Plan.Experiment; e != nil {
		return sum + time.Duration(e.Replicates())*h.OfReplicate()
	}
	for _, l := range h.Plan.Levels {
		for _, t := range l.Traffic {
			sum += h.runTime(l, t)
		}
	}
	return sum
}

// Steps is the longest dry run of each step at a level.
func (h *Rehearsal) Steps(l Level) []time.Duration {
	if known, ok := h.known[l.Condition.Routes()]; ok {
		return known
	}
	worst := make([]time.Duration, len(h.Plan.Steps))
	if len(l.Traffic) == 0 {
		return worst
	}
	for _, t := range kinds(l.Traffic) {
		t.Bidirectional, t.Pairs = false, 0
		for _, m := range hardModels() {
			spent, _ := m.rehearse(h.Plan, l, t)
			for i, d := range spent {
				worst[i] = max(worst[i], d)
			}
		}
	}
	h.known[l.Condition.Routes()] = worst
	return worst
}

// kinds are one traffic of test frames and one of programs, of those that there
// are.
func kinds(all []weir.Traffic) []weir.Traffic {
	var out []weir.Traffic
	for _, t := range all {
		if len(out) == 0 || out[len(out)-1].Application != t.Application {
			out = append(out, t)
		}
	}
	return out
}

// TrialCost is the time that one trial takes.
func (p Plan) TrialCost(d time.Duration) time.Duration {
	d += p.Waits.Learning + p.Waits.Residual + p.Waits.Settle + trialOverhead
	if p.Testbed.Witness.SNMP.IsValid() {
		d += witnessWait
	}
	return d
}

// SelfTestParams are those of the self-test: its trials are never longer than
// those of the plan.
func (p Plan) SelfTestParams(m method.Method) method.Params {
	params := m.Defaults
	for _, s := range p.Steps {
		if s.Params.Trial > 0 {
			params.Trial = min(params.Trial, s.Params.Trial)
		}
	}
	return params
}

// rehearse performs the steps of a plan with m, and says what time their trials
// take and what they find. An error of a method ends it as it would in earnest.
func (m model) rehearse(p Plan, l Level, t weir.Traffic) (spent []time.Duration, results [][]weir.Result) {
	spent, results = make([]time.Duration, len(p.Steps)), make([][]weir.Result, len(p.Steps))
	var past []weir.Result
	number := 0
	for i, s := range p.Steps {
		if s.Method.Application != t.Application || s.Method.Rounds && m.hard && m.clean < m.capacity {
			continue // the latter: a sweep takes its time, however hard a router is to measure
		}
		m.seen = map[float64]int{}
		env := method.Env{
			Traffic: t, Waits: p.Waits, Condition: l.Condition, Factors: l.Factors(t), Ceiling: dryCeiling / float64(t.Ports()),
			DUTCPUs: 1, Events: append([]string{s.Params.Phases.Event}, dryEvents...), Probe: true, Past: past,
			Measure: func(_ context.Context, trial weir.Trial) (weir.TrialResult, error) {
				cost := p.TrialCost(trial.Length())
				if s.Within > 0 && spent[i]+cost > s.Within {
					return weir.TrialResult{}, ErrOutOfTime
				}
				spent[i] += cost
				number++
				trial.Number = number
				return m.measure(trial), nil
			},
		}
		env.LinkRate = p.Testbed.Link
		if p.Testbed.Link > 0 && !t.Application {
			env.MediaRate = frame.LineRate(p.Testbed.Link, t.MeanSize())
		}
		if r, err := s.Method.Run(context.Background(), env, s.Params); err == nil || errors.Is(err, ErrOutOfTime) {
			results[i] = r
			past = append(past, r...)
		}
	}
	return spent, results
}

// What a lab of namespaces takes in addition to its trials, as measured on two CPUs that others
// use too.
const (
	labTime     = 6 * time.Second        // to look at the machine, make the lab, and take it down
	buildTime   = 500 * time.Millisecond // to make a DUT of the lab anew
	routeTime   = 18 * time.Microsecond  // to set a route and take it back
	windowsTime = 250 * time.Millisecond // to look at the windows of a trial
)

// Takes is an upper estimate of what a plan takes: its trials (WorstCase), and of a lab
// of namespaces what it takes to make that, its DUTs and their tables of routes, each
// time anew. How long machines of others take to be reset nobody knows.
func (p Plan) Takes() time.Duration {
	sum := p.WorstCase()
	if p.Testbed.Kind == NetNS {
		sum += labTime
	}
	for _, part := range p.Parts() {
		sum += part.making()
	}
	return sum
}

// making is what it takes to have the DUT as the runs of a plan, or its levels, need it.
func (p Plan) making() (sum time.Duration) {
	if p.Testbed.Kind == Sim {
		return 0
	}
	if p.Experiment == nil {
		for _, l := range p.Levels {
			sum += time.Duration(max(p.Rounds, 1)) * routesTime(l)
		}
		return sum
	}
	for _, b := range p.blocks() {
		for _, c := range b.cells {
			sum += p.resetTime(c.Level)
		}
		if p.Experiment.Schedule != weir.Abreast {
			continue
		}
		for _, s := range p.Steps { // a load that turns out to be no overload is raised once
			sum += p.TrialCost(s.Params.Windows.Time) + 2*windowsTime
		}
	}
	return time.Duration(p.Experiment.Replicates()) * sum
}

// routesTime is what it takes to set the routes of a level and take them back.
func routesTime(l Level) time.Duration {
	return time.Duration(l.Condition.Routes().Count) * routeTime
}

// resetTime is what it takes to have the DUT of a run as it is to be.
func (p Plan) resetTime(l Level) time.Duration {
	switch e := p.Experiment; {
	case e.Reset == weir.NoReset:
		return 0
	case p.Testbed.Kind == NetNS && e.Reset == weir.Rebuild:
		return buildTime + routesTime(l)
	}
	return routesTime(l)
}
