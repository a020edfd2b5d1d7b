package stats

import (
	"math"
	"testing"
)

func TestRuns(t *testing.T) {
	for _, c := range []struct {
		deviation, detect float64
		want              int
	}{
		{0.008, 0.01, 8}, // paired: R's power.t.test(type = "paired", sd = 0.008 * sqrt(2)) says 7.95 on logs of 1.01
		{0, 0.01, FewestRuns},
		{0.13, 0, MostRuns},
		{10, 0.001, MostRuns},
	} {
		got := Runs(c.deviation, c.detect, 0, 0)
		if math.Abs(float64(got-c.want)) > 5 || (c.want == MostRuns || c.want == FewestRuns) && got != c.want {
			t.Errorf("Runs(%v, %v) is %d, want %d", c.deviation, c.detect, got, c.want)
		}
		if got < MostRuns && got > FewestRuns {
			s, d := logDeviation(c.deviation), math.Log1p(c.detect)
			at := func(n int) float64 {
				return chance(d, s*math.Sqrt(2/float64(n)), float64(n-1), 0.05)
			}
			if at(got) < 0.8 || at(got-1) >= 0.8 {
				t.Errorf("%d runs see it in %v, one less in %v", got, at(got), at(got-1))
			}
		}
	}
	if few, many := Runs(0.05, 0.02, 0.95, 0.8), Runs(0.05, 0.02, 0.99, 0.95); few >= many {
		t.Errorf("%d runs, and %d for more confidence", few, many)
	}
}

func TestNeeded(t *testing.T) {
	p := Pilot{Deviation: 0.05, Freedom: 8, Blocks: 5, Arms: 3, Detect: 0.05}
	known := Runs(p.Deviation, p.Detect, 0, 0)
	if got := Needed(p); got <= known || got > 3*known {
		t.Errorf("%d blocks by the pilot, %d if its deviation were known", got, known)
	}
	for name, change := range map[string]func(*Pilot){
		"several effects":   func(p *Pilot) { p.Effects = 6 },
		"a smaller change":  func(p *Pilot) { p.Detect = 0.03 },
		"more power":        func(p *Pilot) { p.Power = 0.95 },
		"more confidence":   func(p *Pilot) { p.Confidence = 0.99 },
		"a shorter pilot":   func(p *Pilot) { p.Freedom, p.Blocks = 4, 3 },
		"a noisier machine": func(p *Pilot) { p.Deviation = 0.08 },
	} {
		q := p
		change(&q)
		if Needed(q) <= Needed(p) {
			t.Errorf("%s: %d blocks, no more than %d", name, Needed(q), Needed(p))
		}
	}
	// The A/A vetoes one campaign in twenty, and halves the baseline's noise.
	q := p
	q.Same = true
	if Needed(q) > Needed(p) {
		t.Errorf("with an A/A it takes %d blocks, and %d without", Needed(q), Needed(p))
	}
	for name, c := range map[string]struct {
		pilot Pilot
		want  int
	}{
		"no noise":    {Pilot{Freedom: 8, Blocks: 5, Arms: 3, Detect: 0.01}, 10},
		"no change":   {Pilot{Deviation: 0.05, Freedom: 8, Blocks: 5, Arms: 3}, MostRuns},
		"no pilot":    {Pilot{Deviation: 0.05, Arms: 3, Detect: 0.01}, MostRuns},
		"nothing":     {Pilot{}, MostRuns},
		"hopeless":    {Pilot{Deviation: 5, Freedom: 8, Blocks: 5, Arms: 3, Detect: 0.001}, MostRuns},
		"no number":   {Pilot{Deviation: math.NaN(), Freedom: 8, Blocks: 5, Arms: 3, Detect: 0.01}, MostRuns},
		"no freedom":  {Pilot{Deviation: 0.05, Freedom: math.NaN(), Arms: 3, Detect: 0.01}, MostRuns},
		"lone blocks": {Pilot{Deviation: 0.05, Freedom: 8, Blocks: 5, Arms: 1, Detect: 0.01}, MostRuns},
	} {
		if got := Needed(c.pilot); got != c.want {
			t.Errorf("%s: %d blocks, want %d", name, got, c.want)
		}
	}
}
