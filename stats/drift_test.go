package stats

import (
	"math"
	"testing"
)

// steady are runs without waves.
var steady = machine{title: "steady", own: 0.02, least: 1, most: 1}

// TestDrift: where there is none one is seen in about 5 % of campaigns, and the
// interval covers what there is, within blocks and without.
func TestDrift(t *testing.T) {
	for _, blocked := range []bool{true, false} {
		const n = 600
		truth := 0.02
		falsely, covered, stretches := 0, 0, 0
		for seed := range uint64(n) {
			obs := steady.runs(seed, 12, 3)
			for i := range obs {
				if !blocked {
					obs[i].Block = 0
				}
			}
			c, err := Compare(obs, asked)
			if err != nil {
				t.Fatal(err)
			}
			if c.DriftP <= 0.05 {
				falsely++
			}
			if c.Stretch != nil && c.Stretch.P <= 0.05 {
				stretches++
			}
			for i := range obs {
				// The last third is truth above the first; the middle is anything.
				if 3*i >= 2*len(obs) {
					obs[i].Value *= math.Exp(truth)
				}
			}
			if c, err = Compare(obs, asked); err != nil {
				t.Fatal(err)
			}
			if holds(c.Drift, truth) {
				covered++
			}
		}
		if f := float64(falsely) / n; f < 0.03 || f > 0.07 {
			t.Errorf("blocks %v: a drift that is not there in %.3f, want 0.05", blocked, f)
		}
		if f := float64(covered) / n; f < 0.93 || f > 0.97 {
			t.Errorf("blocks %v: the interval covers the drift in %.3f, want 0.95", blocked, f)
		}
		if f := float64(stretches) / n; f > 0.05 {
			t.Errorf("blocks %v: a stretch that is not there in %.3f, want 0.05 at most", blocked, f)
		}
	}
}

// TestDriftNotKnown: too few blocks, or no order, and nothing is said.
func TestDriftNotKnown(t *testing.T) {
	few := steady.runs(1, 5, 2)
	orderless := steady.runs(1, 12, 2)
	for i := range orderless {
		orderless[i].Order = 0
	}
	for name, obs := range map[string][]Observation{"five blocks": few, "no order": orderless} {
		c, err := Compare(obs, asked)
		if err != nil {
			t.Fatal(err)
		}
		if c.Drift != (Interval{}) || c.DriftP != 1 || c.Stretch != nil {
			t.Errorf("%s: drift %v, p %v, stretch %v", name, c.Drift, c.DriftP, c.Stretch)
		}
	}
}

// TestArmsInTurnAreNoDrift: without blocks all of one arm and then all of
// another is a difference between arms.
func TestArmsInTurnAreNoDrift(t *testing.T) {
	var obs []Observation
	for i, v := range []float64{1, 1.01, 0.99, 1, 1.02, 0.98, 2, 2.02, 1.98, 2, 2.04, 1.96} {
		obs = append(obs, Observation{Arm: arm(i / 6), Value: v, Order: i + 1})
	}
	c, err := Compare(obs, Options{Baseline: arm(0)})
	if err != nil {
		t.Fatal(err)
	}
	if c.DriftP < 0.05 || math.Abs(c.Drift.Estimate) > 0.03 {
		t.Errorf("drift %v, p %v", c.Drift, c.DriftP)
	}
}

// TestStretch: half the rate for a third of the runs, in the middle, where the
// first and the last third do not see it.
func TestStretch(t *testing.T) {
	obs := shared.runs(4, 12, 3)
	for i := range obs {
		if i >= 12 && i < 24 {
			obs[i].Value /= 2
		}
	}
	c, err := Compare(obs, asked)
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Stretch; s == nil || s.First != 13 || s.Last != 24 || s.P > 0.01 || math.Abs(s.Change+0.5) > 0.15 {
		t.Errorf("stretch %+v", s)
	}
	if c.DriftP < 0.05 {
		t.Errorf("drift %+v", c.Drift)
	}
}
