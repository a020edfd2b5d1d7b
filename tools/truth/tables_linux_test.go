package main

import (
	"slices"
	"strings"
	"testing"
)

// A table that is not there, a row, a number of one, a run without one, and a verdict are
// missing, whatever the other tables have.
func TestMissingInTables(t *testing.T) {
	e := comparing{runs: []int{2, 1}, judged: "firewall stateful", arms: 1, tables: map[string][]row{
		"TCP": {{"old", 2}, {"new", 1}}, "CPU load of the DUT, TCP": {{"old", 2}},
	}}
	run := func(value float64) result { return result{Method: "tcp", Value: value, Unmeasured: "no way"} }
	compared := func(arm, verdict string) []comparison {
		return []comparison{{Metric: saturated, Arm: "none", Again: true, Verdict: vetoed}, {Metric: saturated, Arm: arm, Verdict: verdict, Veto: "why"}}
	}
	first := campaign{Name: "a", Results: []result{run(1), run(2)}, Comparisons: compared("old, firewall stateful", "inconclusive")}
	with := func(change func(*campaign)) []campaign {
		c := first
		change(&c)
		return []campaign{c, {Name: "b", Results: []result{run(3)}}}
	}
	full := with(func(*campaign) {})
	const goodput = "\n## TCP, Mbit/s\n\n| kernel | none | stateful |\n|---|---|---|\n| old | 941 | 900 |\n| machines, new | 94 ! | - |\n| older | 9 | 9 |\n"
	const load = "\n## CPU load of the DUT, TCP, %\n\n| kernel | none | stateful |\n|---|---|---|\n| old | 5 | 7 |\n| new | 7 | 8 |\n"
	const both = "# 2 campaigns\n" + goodput + load
	without := func(old, new string) string {
		if !strings.Contains(both, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(both, old, new, 1)
	}
	for _, c := range []struct {
		name string
		all  []campaign
		page string
		want []string
	}{
		{"nothing", full, both, nil},
		{"a row, which the other table has", full, without("| machines, new | 94 ! | - |\n", ""), []string{"TCP: new has 0 numbers, and not 1"}},
		{"a number of a level", full, without("| old | 941 | 900 |", "| old | 941 | - |"), []string{"TCP: old has 1 numbers, and not 2"}},
		{"a table", full, goodput, []string{"CPU load of the DUT, TCP: old has 0 numbers, and not 2"}},
		{"the goodput, with another table of TCP", full, without("## TCP, Mbit/s", "## latency of TCP, us"), []string{"TCP: old has 0 numbers, and not 2", "TCP: new has 0 numbers, and not 1"}},
		{"a plan", full[:1], both, []string{"plan 2 was not measured"}},
		{"nothing but a loss in a curve", append(full[:1:1], campaign{Results: []result{{Method: curve}}}), both, nil},
		{"runs", with(func(c *campaign) { c.Results = []result{run(0)} }), both, []string{"a has 1 results, and not 2", "a: tcp at map[] has no number: no way"}},
		{"a verdict", with(func(c *campaign) { c.Comparisons = compared("old, firewall stateful", vetoed) }), both, []string{"a: no verdict on old, firewall stateful: why"}},
		{"what is judged", with(func(c *campaign) { c.Comparisons = compared("old, firewall none", "inconclusive") }), both, []string{"0 arms with firewall stateful are compared, and not 1"}},
	} {
		if got := e.missing(c.all, c.page); !slices.Equal(got, c.want) {
			t.Errorf("without %s: %q, want %q", c.name, got, c.want)
		}
	}
}
