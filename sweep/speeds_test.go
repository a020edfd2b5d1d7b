package sweep

import (
	"math"
	"testing"
	"time"

	"weir"
)

// Speeds are where phases are frequent, whatever lies between; each phase has one of them.
func TestSpeedsOf(t *testing.T) {
	of := func(capacity, time float64) stay {
		return stay{log: math.Log(capacity), shown: 50, time: time, visit: 0}
	}
	for name, c := range map[string]struct {
		stays []stay
		want  []float64 // capacities
		which []int
	}{
		"none":           {nil, nil, nil},
		"one phase":      {[]stay{of(700, 1)}, []float64{700}, []int{0}},
		"three":          {[]stay{of(460, 2), of(1000, 1), of(465, 1), of(730, 3)}, []float64{1000, 730, 461.7}, []int{2, 0, 2, 1}},
		"a chain of two": {[]stay{of(1000, 4), of(950, .2), of(900, .2), of(850, .2), of(800, 4)}, []float64{997, 802}, []int{0, 0, 0, 1, 1}},
		"a tail of one":  {[]stay{of(1000, 10), of(870, .5)}, []float64{993}, []int{0, 0}},
	} {
		speeds, which := speedsOf(c.stays)
		if len(speeds) != len(c.want) {
			t.Errorf("%s: %d speeds, want %v: %+v", name, len(speeds), c.want, speeds)
			continue
		}
		for k, s := range speeds {
			if math.Abs(math.Exp(s.log)/c.want[k]-1) > .01 {
				t.Errorf("%s: speed %d is %.0f, want %.0f", name, k+1, math.Exp(s.log), c.want[k])
			}
		}
		for i, k := range which {
			if k != c.which[i] {
				t.Errorf("%s: phase %d has speed %d, want %d", name, i+1, k, c.which[i])
			}
		}
	}
}

// The headline is of the fastest speed that held for long enough and was met by the sweep.
func TestChoose(t *testing.T) {
	var samples []sample
	for i := range 100 {
		samples = append(samples, sample{round: 1 + i/50, at: time.Duration(i) * 100 * time.Millisecond, window: weir.Window{Duration: 100 * time.Millisecond}})
	}
	usual := func(time float64) speed { return speed{time: time, rounds: 2, own: true} }
	alone := func(time float64) speed { return speed{time: time, rounds: 2} } // of neighbours
	once := func(time float64) speed { return speed{time: time, rounds: 1, own: true} }
	for name, c := range map[string]struct {
		speeds  []speed
		unknown float64 // s
		lead    int
		least   bool
	}{
		"the fastest held half as long":             {[]speed{usual(3), usual(5), usual(2)}, 0, 0, false},
		"the fastest held a fifth as long":          {[]speed{usual(1.6), usual(8)}, 0, 1, false},
		"the fastest held long, in one round":       {[]speed{once(4), usual(6)}, 0, 1, false},
		"all in one round":                          {[]speed{once(4), once(6)}, 0, 1, true},
		"all in one round, the fastest for longest": {[]speed{once(6), once(4)}, 0, 0, false},
		"neighbours alone met the fastest":          {[]speed{alone(8), usual(8)}, 0, 1, true},
		"neighbours alone met the usual one":        {[]speed{usual(3), alone(20)}, 0, 0, false},
		"it may have been faster":                   {[]speed{usual(6), usual(3)}, 1.1, 0, true},
		"it may have been faster for a moment":      {[]speed{usual(6), usual(3)}, .9, 0, false},
	} {
		p := phases{speeds: c.speeds, visits: []visit{{from: 0, to: 100}}}
		if p.choose(samples, c.unknown); p.lead != c.lead || p.least != c.least {
			t.Errorf("%s: speed %d leads, and it is a lower bound: %v", name, p.lead+1, p.least)
		}
	}
}

// A DUT whose capacity does not change with that of its machine has no speed of its
// neighbours, and a lower bound of a neighbour is time at the speed that alone is above it.
func TestJoin(t *testing.T) {
	s := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	neighbour := Neighbour{Speeds: []Speed{{Capacity: 1000}, {Capacity: 700}}}
	for i := range 20 {
		neighbour.Track = append(neighbour.Track, Moment{At: s(float64(i) / 2), Until: s(float64(i)/2 + .5), Capacity: 1000 - 300*float64(i%2)})
	}
	neighbour.Track = append(neighbour.Track, Moment{At: s(10), Until: s(14), Capacity: 800, AtLeast: true})
	var samples []sample
	for i := range 100 {
		samples = append(samples, sample{at: s(float64(i) / 10), window: weir.Window{Duration: s(.1)}})
	}
	steady := phases{visits: []visit{{to: 100, shown: 90, log: math.Log(650), bound: math.Inf(-1)}}}
	if steady.group([]Neighbour{neighbour}, samples, false) || len(steady.speeds) != 1 {
		t.Errorf("a steady DUT has %d speeds", len(steady.speeds))
	}
	jumping := phases{visits: []visit{
		{to: 50, shown: 40, log: math.Log(900), bound: math.Inf(-1)}, {from: 50, to: 100, shown: 40, log: math.Log(630), bound: math.Inf(-1)}}}
	if !jumping.group([]Neighbour{neighbour}, samples, true) || len(jumping.speeds) != 2 {
		t.Fatalf("a DUT that jumps has %d speeds", len(jumping.speeds))
	}
	for k, want := range []float64{5 + 5 + 4, 5 + 5} {
		if got := jumping.speeds[k].time; math.Abs(got-want) > .1 {
			t.Errorf("speed %d held for %.1f s, want %.1f", k+1, got, want)
		}
	}
}
