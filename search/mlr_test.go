package search

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fast are goals of one trial of 1 s at each load, and of a hundredth of width.
func fast(losses ...float64) MLR {
	m := MLR{Minimum: 1000, Maximum: 100_000}
	for _, loss := range losses {
		m.Goals = append(m.Goals, MLRGoal{LossRatio: loss, Final: time.Second, Sum: time.Second, Width: .01})
	}
	return m
}

// usual are the two fast goals that are in wide use.
func usual(maximum float64) MLR {
	m := MLR{Maximum: maximum}
	for _, loss := range []float64{0, .005} {
		m.Goals = append(m.Goals, MLRGoal{LossRatio: loss, Exceed: .5, Final: time.Second, Sum: 21 * time.Second, Width: .005})
	}
	return m
}

// limited is a DUT that forwards no more than its capacity.
func limited(capacity float64) func(context.Context, float64, time.Duration) (Observation, error) {
	return func(_ context.Context, load float64, _ time.Duration) (Observation, error) {
		return Observation{Loss: max(0, 1-capacity/load)}, nil
	}
}

// recorded keeps the trials that a search performs.
func recorded(past *[]Observation, measure func(context.Context, float64, time.Duration) (Observation, error)) func(context.Context, float64, time.Duration) (Observation, error) {
	return func(ctx context.Context, load float64, d time.Duration) (Observation, error) {
		o, err := measure(ctx, load, d)
		o.Load, o.Duration = load, d
		*past = append(*past, o)
		return o, err
	}
}

// The whole of a search where nothing disturbs: the maximum, the load that it
// hints at, and one step more for each goal find the bounds; then each of the
// three loads is settled by nine further trials, for both goals at once: those of
// the second goal in turn, and then the one that the first goal lacks.
func TestMLRUsesFewTrialsWhereTheHintIsRight(t *testing.T) {
	var past []Observation
	m := usual(20e6)
	out, err := m.Run(t.Context(), recorded(&past, limited(743_210)))
	if err != nil {
		t.Fatal(err)
	}
	l := m.ladder()
	low := l.below(743_210)
	want := []int{l.top, low, low + 1, low + 2}
	for range 9 {
		want = append(want, low+2, low+1)
	}
	for range 9 {
		want = append(want, low)
	}
	var rungs []int
	for _, o := range past {
		rungs = append(rungs, l.below(o.Load))
	}
	if d := cmp.Diff(want, rungs); d != "" {
		t.Errorf("%d trials, rungs in their order (-want +got):\n%s", len(past), d)
	}
	for _, o := range past {
		if o.Duration != 1051*time.Millisecond {
			t.Errorf("a trial of %v", o.Duration)
		}
	}
	if out[0].Upper != out[1].Lower || out[0].Conditional != out[0].Lower || math.Abs(out[1].Conditional-743_210) > 1e-6 {
		t.Errorf("outcomes %+v", out)
	}
}

func TestMLRNext(t *testing.T) {
	l := fast(0).ladder()
	at := func(rung int, loss float64) Observation {
		return Observation{Load: l.load(rung), Loss: loss, Duration: time.Second}
	}
	three := fast(0)
	three.Goals[0].Sum, three.Goals[0].Exceed = 3*time.Second, .5
	short := fast(0)
	short.Goals[0].Initial = time.Second / 2
	blink := Observation{Load: 100_000, Duration: time.Second / 2}
	wide := fast(0, 0)
	wide.Goals[0].Width = .05
	top := l.top // 459 rungs from 1000 to 100,000
	tests := []struct {
		name     string
		search   MLR
		past     []Observation
		want     int // rung; -1: done
		duration time.Duration
	}{
		{"first load is the maximum", fast(0), nil, top, time.Second},
		{"or one a little above the start", MLR{Goals: fast(0).Goals, Minimum: 1000, Maximum: 100_000, Start: l.load(200) + 1}, nil, 201, time.Second},
		{"a start out of range is moved into it", MLR{Goals: fast(0).Goals, Minimum: 1000, Maximum: 100_000, Start: 5}, nil, 0, time.Second},
		{"maximum passes", fast(0), []Observation{at(top, 0)}, -1, 0},
		{"minimum fails", fast(0), []Observation{at(0, .1)}, -1, 0},
		{"a hint", fast(0), []Observation{at(top, 1-l.load(300)/100_000)}, 300, time.Second},
		{"a hint at a loss ratio", fast(.5), []Observation{at(top, 1-l.load(300)/200_000)}, 300, time.Second},
		{"of a DUT that forwards nothing", fast(0), []Observation{at(top, 1)}, 229, time.Second},
		{"a hint that passed: the next load", fast(0), []Observation{at(top, 1-l.load(300)/100_000), at(300, 0)}, 301, time.Second},
		{"and that ends the search", fast(0), []Observation{at(top, .5), at(300, 0), at(301, .1)}, -1, 0},
		{"or goes on in greater steps", fast(0), []Observation{at(top, 1-l.load(300)/100_000), at(300, 0), at(301, 0)}, 305, time.Second},
		{"up to the middle", fast(0), []Observation{at(310, 1-l.load(300)/l.load(310)), at(300, 0), at(301, 0), at(305, 0)}, 307, time.Second},
		{"down by a hint", fast(0), []Observation{at(top, .9), at(301, .05)}, 295, time.Second},
		{"not by one of a load at which less was forwarded than at a higher one", fast(0), []Observation{at(top, 1-l.load(301)/100_000), at(301, .05)}, 300, time.Second},
		{"by little steps", fast(0), []Observation{at(top, 1-l.load(301)/100_000), at(301, .001), at(300, .001), at(299, .001)}, 298, time.Second},
		{"that grow at last", fast(0), []Observation{at(top, 1-l.load(301)/100_000), at(301, .001), at(300, .001), at(299, .001), at(298, .001), at(297, .001)}, 295, time.Second},
		{"up from a start that passes", fast(0), []Observation{at(200, 0)}, 201, time.Second},
		{"never above the maximum", fast(0), []Observation{at(top-2, 0), at(top-1, 0)}, top, time.Second},
		{"frames were lost below a load at which none were", fast(0), []Observation{at(100, 0), at(102, .1), at(200, 0)}, 101, time.Second},
		{"a bound that is not settled", three, []Observation{at(100, 0), at(101, .1)}, 101, time.Second},
		{"is left as soon as it looks like the other one", three, []Observation{at(100, 0), at(101, .1), at(101, 0)}, 105, time.Second},
		{"a load is tried twice when more was forwarded at a higher one", three, []Observation{at(top, 1-l.load(301)/100_000), at(301, .05)}, 301, time.Second},
		{"and no more", three, []Observation{at(top, 1-l.load(301)/100_000), at(301, .05), at(301, .05)}, 300, time.Second},
		{"one that looks bad below others that do not", three, []Observation{at(100, 0), at(101, .1), at(105, 0), at(109, .1)}, 107, time.Second},
		{"then the other one", three, []Observation{at(100, 0), at(101, .1), at(101, .1)}, 100, time.Second},
		{"that ends the search", three, []Observation{at(100, 0), at(101, .1), at(101, .1), at(100, 0)}, -1, 0},
		{"a bound that turned out to be the other", three, []Observation{at(100, 0), at(101, .1), at(101, 0), at(101, 0)}, 105, time.Second},
		{"the first trials are short", short, nil, top, time.Second / 2},
		{"the last ones are not", short, []Observation{blink}, top, time.Second},
		{"steps are as wide as the goal", wide, []Observation{at(top, 1-l.load(300)/100_000), at(300, 0)}, 305, time.Second},
		{"and neighbours of that width are enough for it", wide, []Observation{at(top, 1-l.load(300)/100_000), at(300, 0), at(305, .1)}, 301, time.Second},
		{"what is not a trial of this search is left out", fast(0), []Observation{
			{Load: math.NaN(), Duration: time.Second}, {Load: math.Inf(1), Duration: time.Second}, {Load: 0, Duration: time.Second},
			{Load: 99_999, Duration: time.Second}, {Load: 100_000}}, top, time.Second},
		{"a loss that is not a number is high", fast(0), []Observation{at(0, math.NaN())}, -1, 0},
		{"a goal that is not valid", MLR{Goals: []MLRGoal{{}}, Maximum: 1e6}, nil, -1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			load, d, ok := tt.search.Next(tt.past)
			if got := l.below(load); ok != (tt.want >= 0) || ok && got != tt.want || d != tt.duration {
				t.Errorf("Next is rung %d for %v, %v; want %d for %v", got, d, ok, tt.want, tt.duration)
			}
		})
	}
}

func TestMLROutcomes(t *testing.T) {
	l := fast(0).ladder()
	at := func(rung int, loss float64) Observation {
		return Observation{Load: l.load(rung), Loss: loss, Duration: time.Second}
	}
	for _, tt := range []struct {
		name   string
		search MLR
		past   []Observation
		want   []Outcome
	}{
		{"nothing yet", fast(0, .2), nil, []Outcome{{Upper: 100_000}, {Upper: 100_000}}},
		{"maximum", fast(0), []Observation{at(l.top, 0)},
			[]Outcome{{Lower: 100_000, Upper: 100_000, Conditional: 100_000, Trials: 1, Limited: "maximum", Done: true}}},
		{"minimum", fast(0), []Observation{at(l.top, 1), at(0, .1)},
			[]Outcome{{Upper: 1000, Trials: 2, Limited: "minimum", Done: true}}},
		{"one goal is met, and one is not", fast(0, .2), []Observation{at(l.top, .1)},
			[]Outcome{{Upper: 100_000, Trials: 1}, {Lower: 100_000, Upper: 100_000, Conditional: 90_000, Trials: 1, Limited: "maximum", Done: true}}},
		{"bounds of two goals at three loads", fast(0, .2), []Observation{at(100, 0), at(101, .1), at(102, .3)},
			[]Outcome{{Lower: l.load(100), Upper: l.load(101), Conditional: l.load(100), Trials: 3, Done: true},
				{Lower: l.load(101), Upper: l.load(102), Conditional: .9 * l.load(101), Trials: 3, Done: true}}},
		{"loss inversion", fast(0), []Observation{at(100, 0), at(101, .1), at(102, 0)},
			[]Outcome{{Lower: l.load(100), Upper: l.load(101), Conditional: l.load(100), Trials: 3, Done: true}}},
		{"trials that disagree", fast(0), []Observation{at(100, 0), at(101, .1), at(101, 0)},
			[]Outcome{{Lower: l.load(100), Upper: l.load(101), Conditional: l.load(100), Trials: 3, Unstable: true, Done: true}}},
		{"not valid", MLR{Goals: []MLRGoal{{}}}, nil, []Outcome{{}}},
	} {
		if d := cmp.Diff(tt.want, tt.search.Outcomes(tt.past)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

// Goals of other durations: trials of one are short for the other, and a load
// of which a short trial loses frames is never tried at length for RFC 2544.
func TestMLRGoalsOfOtherDurations(t *testing.T) {
	m := MLR{Maximum: 10e6, Goals: []MLRGoal{
		{Initial: time.Second, Final: time.Minute, Sum: time.Minute},
		{Final: time.Second, Sum: 21 * time.Second, LossRatio: .005, Exceed: .5},
	}}
	var past []Observation
	out, err := m.Run(t.Context(), recorded(&past, limited(1e6)))
	if err != nil || !out[0].Done || !out[1].Done {
		t.Fatalf("%+v, %v", out, err)
	}
	for i, truth := range []float64{1e6, 1e6 / .995} {
		if out[i].Lower > truth || out[i].Upper <= truth || out[i].Upper-out[i].Lower > .005*out[i].Upper {
			t.Errorf("goal %d: %+v, want bounds around %v", i+1, out[i], truth)
		}
	}
	long := 0
	for _, o := range past {
		if o.Duration == time.Minute {
			long++
		}
	}
	if long != 1 {
		t.Errorf("%d trials of a minute, want that at the lower bound alone", long)
	}
}

func TestMLRFindsTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	for i := range 300 {
		truth := 10 * math.Exp(rng.Float64()*math.Log(1e6))
		m := usual(20e6)
		if i%3 > 0 {
			m.Start = truth * []float64{0, 1, 1.2}[i%3]
		}
		if i%2 > 0 {
			slices.Reverse(m.Goals)
		}
		var past []Observation
		out, err := m.Run(t.Context(), recorded(&past, limited(truth)))
		if err != nil {
			t.Fatal(err)
		}
		for j, o := range out {
			truth := truth / (1 - m.Goals[j].LossRatio)
			if !o.Done || o.Lower > truth*(1+1e-12) || o.Upper <= truth || o.Upper-o.Lower > max(.005*o.Upper*(1+1e-9), 1) {
				t.Fatalf("truth %v, start %v: %+v", truth, m.Start, o)
			}
		}
		if len(past) > 50 {
			t.Errorf("truth %v, start %v: %d trials", truth, m.Start, len(past))
		}
	}
}

func TestMLRRunStops(t *testing.T) {
	broken := errors.New("link down")
	m := usual(1e6)
	n := 0
	out, err := m.Run(t.Context(), func(ctx context.Context, load float64, d time.Duration) (Observation, error) {
		if n++; n == 3 {
			return Observation{}, broken
		}
		return limited(5000)(ctx, load, d)
	})
	if !errors.Is(err, broken) || out[0].Trials != 2 || out[0].Done {
		t.Errorf("with a failing measurement: %+v, %v", out, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err = m.Run(ctx, nil); !errors.Is(err, context.Canceled) || len(out) != 2 {
		t.Errorf("with a context that has ended: %+v, %v", out, err)
	}
	m.Goals[1].Final = 0
	if out, err = m.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "MLRsearch: goal 2: ") || len(out) != 2 {
		t.Errorf("a search that is not valid: %+v, %v", out, err)
	}
}
