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
			Trial: weir.Trial{Intended: 1000, Duration: time.Second}, Offered: 1000, Received: 900, Sending: time.Second,
			Host:   weir.HostLoad{Over: 3 * time.Second},
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
	ours := weir.Drop{Place: "tester receive ring full", Count: 60, Kind: weir.DropTester}
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
			of(lost(970*time.Millisecond, 30*time.Millisecond, ring), weir.Reading{Name: "CPU 1 softirq", Value: .6}, weir.Reading{Name: "CPU 1 system", Value: .36}, weir.Reading{Name: "CPU 1 user", Value: .01}, weir.Reading{Name: "CPU 1 idle", Value: 2.03}, weir.Reading{Name: "CPU 1 steal", Value: 3}),
		}, want: weir.Limit{By: weir.ByCPU, CPU: "CPU 1", Busy: .97, Work: []weir.CPUWork{{Kind: "softirq", Share: .6}, {Kind: "system", Share: .36}}, Place: ring.Place, Counted: .98}},
		"one CPU of four": {method: frmol, trials: []weir.TrialResult{
			of(lost(time.Second, 3*time.Second), weir.Reading{Name: "CPU 0 idle", Value: 3}, weir.Reading{Name: "CPU 1 idle", Value: 2.05}, weir.Reading{Name: "CPU 1 system", Value: .95}),
		}, want: weir.Limit{By: weir.ByCPU, CPU: "CPU 1", Busy: .95, Work: []weir.CPUWork{{Kind: "system", Share: .95}}}},
		"a CPU without an idle moment": {method: frmol, trials: []weir.TrialResult{lost(980*time.Millisecond, 0)},
			want: weir.Limit{By: weir.ByCPU, CPU: "CPUs", Busy: .98}},
		"a CPU that the tester works on": {method: frmol, trials: []weir.TrialResult{func() weir.TrialResult {
			r := lost(980*time.Millisecond, time.Millisecond)
			r.Warnings = []weir.Warning{{Code: weir.SharedCPU}}
			return r
		}()}, want: weir.Limit{By: weir.ByUnknown}},
		"a policer that drops": {method: frmol, trials: []weir.TrialResult{lost(0, 0, weir.Drop{Place: "dut nftables policed0", Count: 100, Kind: weir.DropPoliced})},
			want: weir.Limit{By: weir.ByPolicer, Place: "dut nftables policed0", Counted: 1}},
		"a firewall is no queue": {method: frmol, trials: []weir.TrialResult{lost(0, 0, weir.Drop{Place: "dut IPv4 firewall denied (nftables)", Count: 100, Kind: weir.DropDenied})},
			want: weir.Limit{By: weir.ByUnknown, Place: "dut IPv4 firewall denied (nftables)", Counted: 1}},
		"the tester below the plan's maximum": {method: throughput, params: Params{Maximum: 1e7},
			result: weir.Result{Value: 1e6, Warnings: []weir.Warning{{Code: weir.SearchLimit}}}, want: weir.Limit{By: weir.ByTester, Rate: 1e6}},
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
		c.env.Method, c.env.Traffic.Sizes, c.env.DUTCPUs = c.method, []weir.Size{64}, 1
		if name == "one CPU of four" {
			c.env.DUTCPUs = 4
		}
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

// Of DUTs side by side each has what its own frames show.
func TestLimitsSideBySide(t *testing.T) {
	place := weir.Drop{Place: "dut port 0 full", Count: 300}
	trial := weir.TrialResult{Offered: 2000, Received: 1700, DUTCPU: 99, DUTIdle: 1,
		Arms: []weir.Ledger{weir.Balance(1000, 700, []weir.Drop{place}), weir.Balance(1000, 1000, nil)}}
	env := Env{Method: saturated, DUTCPUs: 1, Arms: make([]Arm, 2)}
	results := []weir.Result{{Method: saturated.Name, Unit: "frames/s", Value: 700}, {Method: saturated.Name, Unit: "frames/s", Value: 1000}}
	limits(env, Params{}, results, []weir.TrialResult{trial})
	want := []*weir.Limit{{By: weir.ByCPU, CPU: "CPUs", Busy: .99, Place: place.Place, Counted: 1}, {By: weir.ByUnknown}}
	if d := cmp.Diff(want, []*weir.Limit{results[0].Limit, results[1].Limit}, approximately); d != "" {
		t.Error(d)
	}
}

// What limits a transfer follows from what was asked for, from the link, and from the CPUs of
// the DUT and of both ends.
func TestLimitOfTransfer(t *testing.T) {
	moved := func(dut time.Duration, ends weir.EndsCPU) weir.TrialResult {
		return weir.TrialResult{Trial: weir.Trial{Transfer: &weir.Transfer{Program: "tcp"}}, Sending: 2 * time.Second, DUTCPU: dut, DUTIdle: 2*time.Second - dut,
			Transferred: &weir.Transferred{Took: 2 * time.Second, Octets: 2e8, CPU: ends}}
	}
	for name, c := range map[string]struct {
		env    Env
		asked  weir.Transfer
		rates  []float64
		trials []weir.TrialResult
		want   weir.Limit
	}{
		"the plan":                   {asked: weir.Transfer{Rate: 4e8, Streams: 2}, trials: []weir.TrialResult{moved(2*time.Second, weir.EndsCPU{})}, want: weir.Limit{By: weir.ByPlan, CPU: "CPUs", Busy: 1}},
		"the link":                   {env: Env{LinkRate: 1e9}, rates: []float64{9.7e8, 9.8e8}, trials: []weir.TrialResult{moved(time.Second, weir.EndsCPU{})}, want: weir.Limit{By: weir.ByMedium, CPU: "CPUs", Busy: .5}},
		"half of a link":             {env: Env{LinkRate: 1e9}, rates: []float64{4.7e8, 4.8e8}, trials: []weir.TrialResult{moved(time.Second, weir.EndsCPU{})}, want: weir.Limit{By: weir.ByUnknown, CPU: "CPUs", Busy: .5}},
		"both ways, less than asked": {env: Env{Traffic: weir.Traffic{Bidirectional: true}}, asked: weir.Transfer{Rate: 6e8}, trials: []weir.TrialResult{moved(time.Second, weir.EndsCPU{})}, want: weir.Limit{By: weir.ByUnknown, CPU: "CPUs", Busy: .5}},
		"the disk": {trials: []weir.TrialResult{func() weir.TrialResult {
			r := moved(time.Second, weir.EndsCPU{})
			r.Transferred.Disks = []weir.DiskRate{{Side: weir.Source, Read: 8.1e8, Write: 8e8}, {Side: weir.Destination, Read: 9e9, Write: 9e9}}
			return r
		}()}, want: weir.Limit{By: weir.ByStorage, End: weir.Source}},
		"the DUT's CPU": {trials: []weir.TrialResult{moved(1800*time.Millisecond, weir.EndsCPU{Source: 1900 * time.Millisecond})}, want: weir.Limit{By: weir.ByCPU, CPU: "CPUs", Busy: .9}},
		"the sender":    {trials: []weir.TrialResult{moved(time.Second, weir.EndsCPU{Source: 1960 * time.Millisecond, Destination: time.Second})}, want: weir.Limit{By: weir.ByHost, End: weir.Source, Busy: .98}},
		"both hosts": {trials: []weir.TrialResult{func() weir.TrialResult {
			r := moved(time.Second, weir.EndsCPU{})
			r.Warnings = []weir.Warning{{Code: weir.TesterLimited}}
			return r
		}()}, want: weir.Limit{By: weir.ByHost}},
		"another program": {trials: []weir.TrialResult{{Trial: weir.Trial{Transfer: &weir.Transfer{Program: "udp"}}, Transferred: &weir.Transferred{Took: time.Second, CPU: weir.EndsCPU{Source: time.Second}}}}, want: weir.Limit{By: weir.ByUnknown}},
	} {
		c.env.DUTCPUs, c.asked.Program = 1, "tcp"
		results := []weir.Result{{Unit: "bit/s", Value: 8e8, Transfer: &c.asked, Rates: c.rates}}
		limits(c.env, Params{}, results, c.trials)
		if d := cmp.Diff(&c.want, results[0].Limit, approximately); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
