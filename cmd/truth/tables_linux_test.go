package main

import (
	"slices"
	"testing"
)

// A row that is not there, one without a number, and a run without one are missing.
func TestMissingInTables(t *testing.T) {
	e := comparing{rows: []string{"old", "new"}, runs: []int{2, 1}}
	run := func(value float64) result { return result{Method: "tcp", Value: value, Unmeasured: "no way"} }
	full := []campaign{{Name: "a", Results: []result{run(1), run(2)}}, {Name: "b", Results: []result{run(3)}}}
	const head = "# 2 campaigns\n\n## goodput\n\n| kernel | forward |\n|---|---|\n"
	const both = head + "| old | 941 |\n| new | - |\n\n## CPU\n\n| kernel | forward |\n|---|---|\n| old | 5 |\n| new | 7 ! |\n"
	for _, c := range []struct {
		all  []campaign
		page string
		want []string
	}{
		{full, both, nil},
		{full, head + "| old | 941 |\n| new | - |\n", []string{"no row with a number: new"}},
		{full, head + "| machines, old | 941 |\n| machines, new | 94 |\n", nil},
		{full, head + "| older | 941 |\n", []string{"no row with a number: old", "no row with a number: new"}},
		{append(full[:2:2], campaign{Results: []result{{Method: curve}}}), both, nil},
		{full[:1], both, []string{"plan 2 was not measured"}},
		{[]campaign{{Name: "a", Results: []result{run(0)}}, full[1]}, both, []string{"a has 1 results, and not 2", "a: tcp at map[] has no number: no way"}},
	} {
		if got := e.missing(c.all, c.page); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
