package search

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Loads that were tried once are judged together with those above them. What is
// forwarded at a load that looks bad is enough for the one below.
func TestMLRPoolsLoads(t *testing.T) {
	m := fast(0)
	m.Goals[0].Sum, m.Goals[0].Exceed = 21*time.Second, .5
	l := m.ladder()
	for _, tt := range []struct {
		name      string
		losses    map[int][]float64
		good, bad int
	}{
		{"in order", map[int][]float64{100: {0}, 101: {.005}}, 100, 101},
		{"one that was disturbed", map[int][]float64{90: {0}, 95: {.005}, 100: {0}, 101: {.005}}, 100, 101},
		{"one that is worse than the higher one is good", map[int][]float64{90: {0}, 95: {.005, .005}, 100: {0}, 101: {.005}}, 90, 95},
		{"two and two", map[int][]float64{95: {.005, .005}, 100: {0, 0}, 101: {.005}}, 100, 101},
		{"several in one", map[int][]float64{90: {0, .005}, 92: {.005}, 94: {0}, 96: {0, 0, .005}, 98: {.005}}, 96, 98},
		{"half of the time", map[int][]float64{100: {.005, 0}, 101: {.005, .005, 0}}, 100, 101},
	} {
		var past []Observation
		for rung, losses := range tt.losses {
			for _, loss := range losses {
				past = append(past, Observation{Load: l.load(rung), Loss: loss, Duration: time.Second})
			}
		}
		f := l.field(m.Goals[0], l.sort(past))
		if f.good != tt.good || f.bad != tt.bad || f.lower != -1 || f.upper != l.top+1 {
			t.Errorf("%s: %d looks good and %d bad, want %d and %d", tt.name, f.good, f.bad, tt.good, tt.bad)
		}
	}
}

// A DUT that stalls in three of ten trials forwards what it forwards: the usual
// goals allow half of the time to lose frames, and are met up to its capacity.
func TestMLRKeepsItsTailUnderStalls(t *testing.T) {
	for _, c := range referenceCases[1:4] {
		for known, start := range referenceStart {
			errors, _ := c.search(t, usual(referenceMaximum).Goals, start, 50)
			for i, e := range errors {
				if worst := slices.Min(e); worst < -10 || e.median() > 1.5 {
					t.Errorf("%s, %s known, goal %d: worst error %.1f %%, median %.2f %%", c.name, known, i+1, worst, e.median())
				}
			}
		}
	}
}

// Where a DUT is good in its first trials and not in long ones, or loses a
// little at all loads above its capacity, the steps grow.
func TestMLRStepsGrow(t *testing.T) {
	const capacity = 1e5
	m := MLR{Minimum: 1000, Maximum: 1e6, Goals: []MLRGoal{{Initial: time.Second, Final: time.Minute, Sum: time.Minute}}}
	for name, loss := range map[string]func(load float64, d time.Duration) float64{
		"a slip at all loads": func(load float64, _ time.Duration) float64 { return 1e-4 },
		"a slip in time":      func(load float64, d time.Duration) float64 { return 1e-4 * math.Floor(d.Minutes()) },
	} {
		var past []Observation
		for at, d, ok := m.Next(past); ok; at, d, ok = m.Next(past) {
			o := Observation{Load: at, Duration: d}
			if at > capacity {
				o.Loss = loss(at, d)
			}
			if past = append(past, o); len(past) > 100 {
				break
			}
		}
		o := m.Outcomes(past)[0]
		if !o.Done || o.Lower > capacity || o.Upper < capacity {
			t.Errorf("%s: after %d trials %+v", name, len(past), o)
		}
	}
}
