package campaign

import (
	"context"
	"errors"
	"math"
	"time"

	"weir"
	"weir/internal/method"
)

// trialOverhead is what a trial costs besides its duration and its waits:
// arming, reading counters, recording.
const trialOverhead = 50 * time.Millisecond

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
		for _, d := range p.worstSteps(t) {
			sum += d
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

// worstSteps is the longest dry run of each step for one traffic.
func (p Plan) worstSteps(t weir.Traffic) []time.Duration {
	worst := make([]time.Duration, len(p.Steps))
	for _, frmol := range []float64{5e4, 5e5, 5e6} {
		for _, clean := range []float64{1, 0.99, 0.9, 0.7, 0.4, 0.1, 0.01, 1e-3, 1e-6} {
			for _, loss := range []float64{0, 0.02} {
				m := model{capacity: frmol, clean: frmol * clean, loss: loss}
				for i, d := range m.costs(p, t) {
					worst[i] = max(worst[i], d)
				}
			}
		}
	}
	return worst
}

// model is a router that is hard to measure: between its clean rate and its
// capacity it loses a frame or a share of them, and repeated trials at one
// load disagree for as long as they can.
type model struct {
	clean, capacity float64         // frames/s
	loss            float64         // share of the frames lost in between; 0 is a single frame
	seen            map[float64]int // trials by load, in the step under way
}

// dryCeiling is what the tester of a dry run can send, in frames/s.
const dryCeiling = 2e7

// costs is the time that the trials of each step take with m. An error of a
// method ends it as it would in earnest.
func (m *model) costs(p Plan, t weir.Traffic) []time.Duration {
	spent := make([]time.Duration, len(p.Steps))
	var past []weir.Result
	for i, s := range p.Steps {
		m.seen = map[float64]int{}
		env := method.Env{
			Traffic: t, Waits: p.Waits, Factors: factors(t), Ceiling: dryCeiling, Past: past,
			Measure: func(_ context.Context, trial weir.Trial) (weir.TrialResult, error) {
				cost := p.trialCost(trial.Length())
				if s.Within > 0 && spent[i]+cost > s.Within {
					return weir.TrialResult{}, errOutOfTime
				}
				spent[i] += cost
				return m.measure(trial), nil
			},
		}
		if r, err := s.Method.Run(context.Background(), env, s.Params); err == nil || errors.Is(err, errOutOfTime) {
			past = append(past, r...)
		}
	}
	return spent
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
		lost = uint64(float64(offered) * max(m.loss, 1-m.capacity/load))
	case load > m.clean, n == 0 && load > m.clean/2: // the latter is a first trial that the next ones contradict
		lost = max(1, uint64(float64(offered)*m.loss))
	}
	m.seen[load]++
	r := weir.TrialResult{
		Trial: t, Sending: t.Duration, Offered: offered, Received: offered - min(lost, offered),
		Ledger: weir.Balance(offered, offered-min(lost, offered), nil), Simulated: true,
	}
	r.Latency.Add(10_000, r.Received)
	return r
}
