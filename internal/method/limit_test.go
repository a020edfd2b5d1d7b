package method

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// What limits a result follows from its trials that lost frames, and from where a search ended.
func TestLimits(t *testing.T) {
	lost := func(cpu, idle time.Duration, drops ...weir.Drop) weir.TrialResult {
		return weir.TrialResult{
			Trial: weir.Trial{Intended: 1000, Duration: time.Second}, Offered: 1000, Received: 900,
			DUTCPU: cpu, DUTIdle: idle, Ledger: weir.Balance(1000, 900, drops),
		}
	}
	of := func(r weir.TrialResult, readings ...weir.Reading) weir.TrialResult {
		for i := range readings {
			readings[i].Source, readings[i].Unit = "cpu", "s"
		}
		r.Readings = readings
		return r
	}
	ring := weir.Drop{Place: "dut port 0 dropped on receipt (rx_dropped)", Count: 98}
	ours := weir.Drop{Place: weir.TesterPlace + "receive ring full", Count: 60}
	for name, c := range map[string]struct {
		method Method
		env    Env
		params Params
		result weir.Result
		trials []weir.TrialResult
		want   weir.Limit
	}{
		"a CPU, of which the busiest trial tells": {method: frmol, trials: []weir.TrialResult{
			lost(500*time.Millisecond, 500*time.Millisecond, ring),
			of(lost(970*time.Millisecond, 30*time.Millisecond, ring), weir.Reading{Name: "CPU 1 softirq", Value: .6}, weir.Reading{Name: "CPU 1 system", Value: .36}, weir.Reading{Name: "CPU 1 user", Value: .01}, weir.Reading{Name: "CPU 1 idle", Value: .03}, weir.Reading{Name: "CPU 1 steal", Value: 3}),
		}, want: weir.Limit{By: weir.ByCPU, CPU: "CPU 1", Busy: .97, Work: []weir.CPUWork{{Kind: "softirq", Share: .6}, {Kind: "system", Share: .36}}, Place: ring.Place, Counted: .98}},
		"one CPU of four": {method: frmol, trials: []weir.TrialResult{
			of(lost(time.Second, 3*time.Second), weir.Reading{Name: "CPU 0 idle", Value: 1}, weir.Reading{Name: "CPU 1 idle", Value: .05}, weir.Reading{Name: "CPU 1 system", Value: .95}),
		}, want: weir.Limit{By: weir.ByCPU, CPU: "CPU 1", Busy: .95, Work: []weir.CPUWork{{Kind: "system", Share: .95}}}},
		"a queue": {method: frmol, trials: []weir.TrialResult{lost(300*time.Millisecond, 700*time.Millisecond, ring)},
			want: weir.Limit{By: weir.ByQueue, CPU: "CPUs", Busy: .3, Place: ring.Place, Counted: .98}},
		"nothing that is seen":                  {method: frmol, trials: []weir.TrialResult{lost(0, 0)}, want: weir.Limit{By: weir.ByUnknown}},
		"what the tester lost is not the DUT's": {method: frmol, trials: []weir.TrialResult{lost(0, 0, ours)}, want: weir.Limit{By: weir.ByUnknown}},
		"the medium":                            {method: throughput, env: Env{MediaRate: 1488}, result: weir.Result{Value: 1488}, want: weir.Limit{By: weir.ByMedium, Rate: 1488}},
		"the tester at its highest rate":        {method: frmol, result: weir.Result{Value: 5000, LossRatio: .001}, want: weir.Limit{By: weir.ByTester, Rate: 5000}},
		"the plan": {method: throughput, env: Env{Ceiling: 9000}, params: Params{Maximum: 1000},
			result: weir.Result{Value: 1000, Warnings: []weir.Warning{{Code: weir.SearchLimit}}}, want: weir.Limit{By: weir.ByPlan, Rate: 1000}},
		"the tester in a search": {method: throughput, env: Env{Ceiling: 9000},
			result: weir.Result{Value: 8800, Warnings: []weir.Warning{{Code: weir.SearchLimit}}}, want: weir.Limit{By: weir.ByTester, Rate: 8800}},
		"a policer, which the search has seen": {method: throughput, result: weir.Result{Value: 100, Limit: &weir.Limit{By: weir.ByPolicer}}, want: weir.Limit{By: weir.ByPolicer}},
	} {
		c.env.Method, c.env.Traffic.Sizes = c.method, []weir.Size{64}
		r := c.result
		r.Method, r.Unit = c.method.Name, "frames/s"
		if r.Value == 0 {
			r.Value, r.LossRatio = 900, .1
		}
		results := []weir.Result{r}
		limits(c.env, c.params, results, c.trials)
		if d := cmp.Diff(&c.want, results[0].Limit, approximately); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

var approximately = cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
