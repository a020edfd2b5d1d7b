package figures

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/testenv/samples"
)

// Limits that are alike are one clause, with the sizes where not all have it.
func TestWhatLimits(t *testing.T) {
	of := func(limits ...*weir.Limit) Grid {
		c := samples.OneSweep(func(*weir.Result) {})
		one := c.Results[0]
		c.Results = nil
		for i, l := range limits {
			r := one
			r.Factors, r.Limit = weir.Factors{"frame_size": 64 << i}, l
			c.Results = append(c.Results, r)
		}
		return GridOf(c)
	}
	transfers := func(g Grid) Grid {
		for _, w := range g.Rows {
			for _, r := range w.Results {
				r.Transfer = &weir.Transfer{Program: "tcp"}
			}
		}
		return g
	}
	cpu := func(busy float64) *weir.Limit {
		return &weir.Limit{By: weir.ByCPU, CPU: "CPU 1", Busy: busy, Work: []weir.CPUWork{{Kind: "system", Share: .7}}, Place: "dut port 0 full", Counted: 1}
	}
	for name, c := range map[string]struct {
		grid Grid
		want []string
	}{
		"nobody looked": {of(nil, nil), nil},
		"one for all": {of(cpu(.91), cpu(.97)), []string{
			`the DUT's CPU 1: 91 to 97 % busy where frames were lost (system 70 %); 100 % of the lost frames were counted as "dut port 0 full"`}},
		"one each": {of(&weir.Limit{By: weir.ByUnknown}, &weir.Limit{By: weir.ByMedium, Rate: 81_274}), []string{
			"64: not known: neither a CPU nor a counter of the DUT shows it", "128: the medium, which carries no more than 81.3 kpps"}},
		"a queue": {of(&weir.Limit{By: weir.ByQueue, CPU: "CPU 0", Busy: .3, Place: "dut port 1 qdisc fq", Counted: .8}), []string{
			`a queue or a table of the DUT: 80 % of the lost frames were counted as "dut port 1 qdisc fq"; its CPU 0 was 30 % busy where frames were lost`}},
		"a transfer": {transfers(of(&weir.Limit{By: weir.ByHost, End: weir.Source, Busy: .97}, &weir.Limit{By: weir.ByPlan})), []string{
			"64: the end hosts: the program at the source used 97 % of a CPU", "128: the plan, which asks for no more"}},
		"files": {transfers(of(&weir.Limit{By: weir.ByStorage, End: weir.Destination}, &weir.Limit{By: weir.ByUnknown})), []string{
			"64: the storage at the destination, which by itself is no faster",
			"128: not known: neither the plan, the link, a CPU of the DUT nor a program shows it"}},
		"a transfer between busy hosts":               {transfers(of(&weir.Limit{By: weir.ByHost})), []string{"the end hosts, whose CPUs had no time left"}},
		"a transfer, through a DUT without time left": {transfers(of(&weir.Limit{By: weir.ByCPU, CPU: "CPUs", Busy: .93})), []string{"the DUT's CPUs: 93 % busy"}},
	} {
		if d := cmp.Diff(c.want, WhatLimits(c.grid)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
