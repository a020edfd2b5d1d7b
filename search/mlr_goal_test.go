package search

import (
	"math"
	"strings"
	"testing"
	"time"
)

// The goals of the example in RFC 9971 appendix C.
var exampleGoals = [4]MLRGoal{
	{Final: time.Minute, Sum: time.Minute},
	{Final: time.Minute, Sum: 2 * time.Minute, Exceed: .5},
	{Final: time.Second, Sum: 2 * time.Minute, LossRatio: .005, Exceed: .5},
	{Final: time.Minute, Sum: time.Minute, LossRatio: .005, Exceed: .2},
}

// trialsOf are n trials of a duration and a loss ratio.
func trialsOf(n int, d time.Duration, loss float64) (out []Observation) {
	for range n {
		out = append(out, Observation{Load: 1e6, Loss: loss, Duration: d})
	}
	return out
}

// ratios are the exceed ratios of a load if all of the time that is missing to
// the duration sum had low loss, and if all of it had high loss.
func (g MLRGoal) ratios(s standing) (optimistic, pessimistic float64) {
	high, whole := g.exceeding(s)
	return high.Seconds() / whole.Seconds(), (whole - s.low).Seconds() / whole.Seconds()
}

// The trials of the example, one set after the other, and what they make of
// the load of 1,000,000 frames/s for each goal. The durations of the third goal
// are all full; for the others those of 1 s are short, and of these 60 s of high
// loss outweigh 60 s of low loss by 60 s, 0 s and 45 s.
func TestMLRClassesOfTheExample(t *testing.T) {
	type ratio struct{ optimistic, pessimistic float64 } // percent
	var trials []Observation
	for _, step := range []struct {
		name   string
		add    []Observation
		class  [4]kind
		ratios [4]ratio
	}{
		{"nothing", nil,
			[4]kind{undecided, undecided, undecided, undecided},
			[4]ratio{{0, 100}, {0, 100}, {0, 100}, {0, 100}}},
		{"59 s clean", trialsOf(59, time.Second, 0),
			[4]kind{undecided, undecided, undecided, undecided},
			[4]ratio{{0, 100}, {0, 100}, {0, 50.833}, {0, 100}}},
		{"60 s clean", trialsOf(1, time.Second, 0),
			[4]kind{undecided, undecided, lowerBound, undecided},
			[4]ratio{{0, 100}, {0, 100}, {0, 50}, {0, 100}}},
		{"the first second of loss", trialsOf(1, time.Second, .01),
			[4]kind{upperBound, undecided, lowerBound, undecided},
			[4]ratio{{1.667, 100}, {0, 100}, {.833, 50}, {0, 100}}},
		{"27 s of it: 15 s are balanced", trialsOf(26, time.Second, .01),
			[4]kind{upperBound, undecided, lowerBound, undecided},
			[4]ratio{{45, 100}, {0, 100}, {22.5, 50}, {20, 100}}},
		{"28 s of it", trialsOf(1, time.Second, .01),
			[4]kind{upperBound, undecided, lowerBound, upperBound},
			[4]ratio{{46.667, 100}, {0, 100}, {23.333, 50}, {21.667, 100}}},
		{"60 s of it", trialsOf(32, time.Second, .01),
			[4]kind{upperBound, undecided, lowerBound, upperBound},
			[4]ratio{{100, 100}, {0, 100}, {50, 50}, {75, 100}}},
		{"a long trial of little loss", trialsOf(1, time.Minute, .001),
			[4]kind{upperBound, undecided, lowerBound, upperBound},
			[4]ratio{{100, 100}, {50, 100}, {33.333, 33.333}, {42.857, 42.857}}},
		// The RFC prints the figures of the fourth goal as they are here, and calls
		// the load a lower bound: but 27.273 % are more than 20 %.
		{"a long one without", trialsOf(1, time.Minute, 0),
			[4]kind{upperBound, lowerBound, lowerBound, upperBound},
			[4]ratio{{66.667, 66.667}, {50, 50}, {25, 25}, {27.273, 27.273}}},
	} {
		trials = append(trials, step.add...)
		for i, g := range exampleGoals {
			s := g.standing(trials)
			if got := g.classify(s); got != step.class[i] {
				t.Errorf("%s: goal %d: class %v, want %v", step.name, i+1, got, step.class[i])
			}
			optimistic, pessimistic := g.ratios(s)
			if math.Abs(100*optimistic-step.ratios[i].optimistic) > .0005 || math.Abs(100*pessimistic-step.ratios[i].pessimistic) > .0005 {
				t.Errorf("%s: goal %d: exceed ratios %.3f %% to %.3f %%, want %v", step.name, i+1, 100*optimistic, 100*pessimistic, step.ratios[i])
			}
		}
	}
	for i, want := range []float64{1: 1e6, 2: 1e6, 3: 999_000} {
		if got := exampleGoals[i].conditional(1e6, trials); i > 0 && got != want {
			t.Errorf("goal %d: conditional throughput %v, want %v", i+1, got, want)
		}
	}
}

// With an exceed ratio that 27.273 % are within, the load of the example is a
// lower bound.
func TestMLRExceedRatioDecides(t *testing.T) {
	trials := append(trialsOf(1, time.Minute, 0), trialsOf(1, time.Minute, .001)...)
	trials = append(trials, trialsOf(45, time.Second, .01)...)
	for exceed, want := range map[float64]kind{.27: upperBound, .28: lowerBound} {
		g := MLRGoal{Final: time.Minute, Sum: time.Minute, LossRatio: .005, Exceed: exceed}
		if got := g.classify(g.standing(trials)); got != want {
			t.Errorf("exceed ratio %v: class %v, want %v", exceed, got, want)
		}
	}
}

// Of 21 s, 11 trials of 1 s decide, and 10 do not.
func TestMLRSettlesEarly(t *testing.T) {
	g := MLRGoal{Final: time.Second, Sum: 21 * time.Second, Exceed: .5}
	for _, tt := range []struct {
		good, bad int
		want      kind
	}{{10, 0, undecided}, {11, 0, lowerBound}, {0, 10, undecided}, {0, 11, upperBound}, {10, 10, undecided}, {11, 10, lowerBound}, {10, 11, upperBound}} {
		trials := append(trialsOf(tt.good, time.Second, 0), trialsOf(tt.bad, time.Second, .1)...)
		if got := g.classify(g.standing(trials)); got != tt.want {
			t.Errorf("%d good and %d bad: class %v, want %v", tt.good, tt.bad, got, tt.want)
		}
	}
}

// Exceed ratios that are no binary fractions allow exactly their share.
func TestMLRSharesAreExact(t *testing.T) {
	for n := 2; n <= 40; n++ {
		for bad := 1; bad < n; bad++ {
			g := MLRGoal{Final: time.Second, Sum: time.Duration(n) * time.Second, Exceed: float64(bad) / float64(n)}
			trials := append(trialsOf(n-bad, time.Second, 0), trialsOf(bad, time.Second, .1)...)
			if got := g.classify(g.standing(trials)); got != lowerBound {
				t.Errorf("%d of %d bad: class %v", bad, n, got)
			}
			if got := g.conditional(1e6, trials); got != 1e6 {
				t.Errorf("%d of %d bad: conditional throughput %v", bad, n, got)
			}
		}
	}
}

func TestMLRConditionalThroughput(t *testing.T) {
	g := MLRGoal{Final: time.Second, Sum: 4 * time.Second, LossRatio: .01, Exceed: .25}
	losing := func(losses ...float64) (out []Observation) {
		for _, l := range losses {
			out = append(out, trialsOf(1, time.Second, l)...)
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		trials []Observation
		want   float64
	}{
		{"the third best of four", losing(.5, .001, .003, .002), 997_000},
		{"what is missing is lost", losing(.001, .003, .002), 997_000},
		{"and may be too much", losing(.001, .002), 0},
		{"short trials do not count", append(losing(.001, .003, .002), trialsOf(9, time.Millisecond, 0)...), 997_000},
		{"a long trial is all of its time", append(losing(.001), trialsOf(1, 5*time.Second, .002)...), 998_000},
		{"more than was sent is all", losing(-.1, -.1, -.1), 1e6},
		{"a loss that is not a number", losing(0, 0, math.NaN()), 0},
	} {
		if got := g.conditional(1e6, tt.trials); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestMLRGoalValidate(t *testing.T) {
	valid := MLRGoal{Final: time.Second, Sum: time.Second}
	for want, change := range map[string]func(*MLRGoal){
		"goal loss ratio 1 ":                 func(g *MLRGoal) { g.LossRatio = 1 },
		"goal loss ratio NaN":                func(g *MLRGoal) { g.LossRatio = math.NaN() },
		"goal exceed ratio 1 ":               func(g *MLRGoal) { g.Exceed = 1 },
		"goal width 1 ":                      func(g *MLRGoal) { g.Width = 1 },
		"goal width 1e-09":                   func(g *MLRGoal) { g.Width = 1e-9 },
		"final trial duration 0s":            func(g *MLRGoal) { g.Final = 0 },
		"initial trial duration 2s":          func(g *MLRGoal) { g.Initial = 2 * time.Second },
		"duration sum 1ns is less than one ": func(g *MLRGoal) { g.Sum = 1 },
	} {
		g := valid
		change(&g)
		err := MLR{Goals: []MLRGoal{valid, g}, Maximum: 1e6}.Validate()
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "goal 2: ") {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	for want, m := range map[string]MLR{
		"without goals":        {Maximum: 1e6},
		"below the minimum":    {Goals: []MLRGoal{valid}},
		"below the minimum 50": {Goals: []MLRGoal{valid}, Minimum: 50, Maximum: 40},
		"not negative":         {Goals: []MLRGoal{valid}, Maximum: 1e6, Start: -1},
		"finite":               {Goals: []MLRGoal{valid}, Maximum: math.Inf(1)},
	} {
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	if err := (MLR{Goals: []MLRGoal{valid}, Maximum: 1e6}).Validate(); err != nil {
		t.Error(err)
	}
}
