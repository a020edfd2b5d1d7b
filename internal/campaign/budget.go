package campaign

import (
	"context"
	"math"
	"time"

	"weir"
	"weir/internal/method"
)

// trialOverhead is what a trial costs besides its duration and its waits:
// arming, reading counters, recording.
const trialOverhead = 100 * time.Millisecond

// WorstCase is an upper estimate of what the trials of a plan take together:
// each method is run dry against models of routers that are hard to measure,
// and the longest of these runs counts.
func (p Plan) WorstCase() time.Duration {
	var sum time.Duration
	for _, t := range p.Traffic {
		if m, ok := method.ByName(selfTest); ok {
			sum += p.trialCost(p.selfTestParams(m).Trial)
		}
		sum += p.trialCost(probeDuration)
		for _, s := range p.Steps {
			sum += p.worstCase(t, s)
		}
	}
	return sum
}

// trialCost is the time that one trial takes.
func (p Plan) trialCost(d time.Duration) time.Duration {
	return d + p.Waits.Learning + p.Waits.Residual + p.Waits.Settle + trialOverhead
}

// selfTestParams are those of the self-test: its trials are never longer than
// those of the plan.
func (p Plan) selfTestParams(m method.Method) method.Params {
	params := m.Defaults
	for _, s := range p.Steps {
		params.Trial = min(params.Trial, s.Params.Trial)
	}
	return params
}

// worstCase is the longest dry run of one step.
func (p Plan) worstCase(t weir.Traffic, s Step) time.Duration {
	var worst time.Duration
	for _, frmol := range []float64{5e4, 5e5, 5e6} {
		for _, clean := range []float64{1, 0.99, 0.9, 0.7, 0.4, 0.1, 0.01, 1e-3, 1e-6} {
			m := model{capacity: frmol, clean: frmol * clean}
			worst = max(worst, m.cost(p, t, s))
		}
	}
	return worst
}

// model is a router that is hard to measure: between its clean rate and its
// capacity it loses single frames, and repeated trials at one load disagree
// for as long as they can.
type model struct {
	clean, capacity float64 // frames/s
	seen            map[float64]int
	spent           time.Duration
}

// dryCeiling is what the tester of a dry run can send, in frames/s.
const dryCeiling = 2e7

// cost is the time that the trials of a step take with m. An error of the
// method ends it as it would in earnest.
func (m *model) cost(p Plan, t weir.Traffic, s Step) time.Duration {
	m.seen = map[float64]int{}
	env := method.Env{
		Traffic: t, Waits: p.Waits, Factors: factors(t), Ceiling: dryCeiling,
		Past: []weir.Result{m.past("frmol", 0), m.past("throughput", 0)},
		Measure: func(_ context.Context, trial weir.Trial) (weir.TrialResult, error) {
			m.spent += p.trialCost(trial.Duration)
			return m.measure(trial), nil
		},
	}
	_, _ = s.Method.Run(context.Background(), env, s.Params)
	return m.spent
}

// past is a result that a method may take its hints from.
func (m *model) past(name string, loss float64) weir.Result {
	rate := m.capacity
	if name != "frmol" {
		rate = m.clean
	}
	return weir.Result{Method: name, Value: rate, Lower: rate, Upper: rate * 1.01, LossRatio: loss, Unit: "frames/s"}
}

func (m *model) measure(t weir.Trial) weir.TrialResult {
	load := t.Intended * float64(t.Traffic.Ports())
	if t.Maximum {
		load = dryCeiling
	}
	offered := uint64(math.Floor(load*t.Duration.Seconds() + 0.5))
	if !t.Maximum {
		offered = t.Frames()
	}
	lost := uint64(0)
	switch n := m.seen[load]; {
	case load > m.capacity:
		lost = uint64(float64(offered) * (1 - m.capacity/load))
	case load > m.clean:
		lost = 1
	case n == 0 && load > m.clean/2:
		lost = 1 // a first trial that the following ones contradict
	}
	m.seen[load]++
	r := weir.TrialResult{
		Trial: t, Sending: t.Duration, Offered: offered, Received: offered - min(lost, offered),
		Ledger: weir.Balance(offered, offered-min(lost, offered), nil), Simulated: true,
	}
	r.Latency.Add(10_000, r.Received)
	return r
}
