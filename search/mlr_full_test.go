package search

import (
	"math"
	"testing"
	"time"
)

// How long the full-length trials of a goal are, and how many of one kind then
// settle a load: never more than of the final duration.
func TestMLRFullLength(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		name       string
		goal       MLRGoal
		full       time.Duration
		good, evil int // trials that make a lower bound, and an upper one
	}{
		{"the usual goals", MLRGoal{Final: s, Sum: 21 * s, Exceed: .5}, 1051 * time.Millisecond, 10, 10},
		{"in little", MLRGoal{Final: 100 * time.Millisecond, Sum: 2100 * time.Millisecond, Exceed: .5}, 105100 * time.Microsecond, 10, 10},
		{"RFC 2544", MLRGoal{Final: 60 * s, Sum: 60 * s}, 60 * s, 1, 1},
		{"TST 009: one good trial of two", MLRGoal{Final: 60 * s, Sum: 120 * s, Exceed: .5}, 60 * s, 1, 2},
		{"an even number", MLRGoal{Final: s, Sum: 20 * s, Exceed: .5}, s, 10, 11},
		{"a fifth", MLRGoal{Final: s, Sum: 21 * s, Exceed: .2}, s, 17, 5},
		{"two of three: one longer trial would not be like them", MLRGoal{Final: s, Sum: 3 * s, Exceed: .5}, s, 2, 2},
		{"shorter than a unit", MLRGoal{Final: 999, Sum: 21 * 999, Exceed: .5}, 999, 11, 11},
	} {
		if got := tt.goal.full(); got != tt.full {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.full)
		}
		for loss, want := range map[float64]int{0: tt.good, .1: tt.evil} {
			n := 1
			for tt.goal.classify(tt.goal.standing(trialsOf(n, tt.full, loss))) == undecided {
				n++
			}
			if n != want {
				t.Errorf("%s: %d trials of loss %v settle a load, want %d", tt.name, n, loss, want)
			}
		}
	}
}

// With a guess that is no more than 2 % off, a search of the usual goals takes
// three loads of ten trials each, and hardly a trial more: without the steps
// down from the maximum, and from below.
func TestMLRBeginsNearTheGuess(t *testing.T) {
	const capacity = 743_210.
	trials := 0
	for guess := .98; guess < 1.0201; guess += .001 {
		var past []Observation
		m := usual(20e6)
		m.Start = guess * capacity
		out, err := m.Run(t.Context(), recorded(&past, limited(capacity)))
		if err != nil || out[0].Lower > capacity || out[0].Upper <= capacity {
			t.Fatalf("guess %v: %+v, %v", guess, out, err)
		}
		if first := past[0].Load / m.Start; math.Abs(first-1.0175) > .0026 || len(past) > 32 {
			t.Errorf("guess %.3f: begins at %.4f of it and takes %d trials", guess, first, len(past))
		}
		trials += len(past)
	}
	if mean := float64(trials) / 41; mean > 31 {
		t.Errorf("%.2f trials in the mean", mean)
	}
}

// A goal that allows some loss begins where a stricter one has seen the DUT
// lose frames: not in steps that grow.
func TestMLRGoalsShareWhatWasForwarded(t *testing.T) {
	m := fast(0, .05)
	l := m.ladder()
	past := []Observation{
		{Load: l.load(200), Duration: time.Second},
		{Load: l.load(201), Loss: .001, Duration: time.Second},
	}
	want := l.below(l.load(201)*.999/.95) + 1
	if load, _, ok := m.Next(past); !ok || l.below(load) != want {
		t.Errorf("rung %d, want %d", l.below(load), want)
	}
}

// An upper bound that only looks like one is not settled before what the higher
// loads forward is heard.
func TestMLRHearsHigherLoads(t *testing.T) {
	m := usual(1e6)
	l := m.ladder()
	at := func(rung int, losses ...float64) (past []Observation) {
		for _, loss := range losses {
			past = append(past, Observation{Load: l.load(rung), Loss: loss, Duration: m.Goals[0].full()})
		}
		return past
	}
	for name, tt := range map[string]struct {
		above Observation
		want  int // what looks good
	}{
		"nothing above":            {Observation{}, 99},
		"enough was forwarded":     {at(103, .001)[0], 100},
		"too little was forwarded": {at(103, .05)[0], 99},
		"too far above":            {at(120, .001)[0], 99},
	} {
		past := append(at(99, 0, 0), at(100, .02, .02, 0, 0, .02)...)
		if tt.above.Load > 0 {
			past = append(past, tt.above, tt.above, tt.above)
		}
		f := l.field(m.Goals[0], l.sort(past))
		if f.good != tt.want {
			t.Errorf("%s: rung %d looks good, want %d", name, f.good, tt.want)
		}
	}
}
