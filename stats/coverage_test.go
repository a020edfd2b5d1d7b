package stats

import (
	"math"
	"testing"
)

// campaigns is how many are simulated. Of 1,000 a share of 5 % is off by 1.5 % in
// one case of thirty by chance alone, of 2,000 in one of five hundred.
const campaigns = 2000

// TestCoverage simulates campaigns of runs in slow waves. The A/A differs no more
// often than it may, and the interval holds the true effect at least as often as it
// says: some pairs have a wave that breaks between them, and Student's t of such a
// mixture is wrong less often than it says. It is not wide for that: effects are
// seen.
func TestCoverage(t *testing.T) {
	t.Parallel()
	for _, blocks := range []int{6, 12} {
		truth := math.Log(0.9)
		m := shared
		m.effects = []float64{0, 0, truth}
		differs, covered, welch, proven := 0, 0, 0, 0
		for seed := range uint64(campaigns) {
			c, err := Compare(m.runs(seed, blocks, 3), asked)
			if err != nil {
				t.Fatal(err)
			}
			if c.Same.P <= 0.05 {
				differs++
			}
			if holds(c.Effects[0].Change, truth) {
				covered++
			}
			if holds(c.Effects[0].Welch, truth) {
				welch++
			}
			if c.Effects[0].P <= 0.05 {
				proven++
			}
		}
		t.Logf("%d blocks: the A/A differs in %.2f %%, the interval covers the truth in %.2f %%, Welch's in %.2f %%, it is proven in %.2f %%",
			blocks, percent(differs), percent(covered), percent(welch), percent(proven))
		if least := map[int]float64{6: 60, 12: 85}[blocks]; percent(differs) > 6.5 || percent(covered) < 93.5 || percent(proven) < least {
			t.Errorf("asked is an A/A that differs in 5 +1.5 %% at most, an interval that covers the truth in 95 -1.5 %% at least, and a tenth less proven in %.0f %%", least)
		}
	}
}

// TestPlanKeepsItsPromise simulates campaigns whose length is chosen by a
// pilot that is a part of them: an effect of the size that the plan was made
// for is proven in at least 80 %, all vetoes of an A/A counted against it, and
// looking at the pilot does not spoil the interval or the A/A.
func TestPlanKeepsItsPromise(t *testing.T) {
	for _, c := range []struct {
		name        string
		pilot, arms int
		effects     int
		detect      float64
		noise       machine
	}{
		{"waves, one effect, short pilot", 3, 3, 1, 0.08, shared},
		{"waves, one effect", 6, 3, 1, 0.06, shared},
		{"waves, four arms", 6, 4, 2, 0.06, shared},
		{"waves, three effects", 4, 5, 3, 0.10, shared},
		{"quiet, one effect", 5, 3, 1, 0.01, machine{own: 0.008, least: 1, most: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			truth := math.Log1p(c.detect)
			m := c.noise
			m.effects = []float64{0, 0, truth, 0, 0}
			proven, differs, covered, sum := 0, 0, 0, 0
			for seed := range uint64(campaigns) {
				first, err := Compare(m.runs(seed, c.pilot, c.arms), asked)
				if err != nil {
					t.Fatal(err)
				}
				n := Needed(Pilot{Deviation: first.Deviation, Freedom: first.Freedom, Blocks: c.pilot, Arms: c.arms,
					Effects: c.effects, Same: true, Detect: c.detect})
				sum += n
				all, err := Compare(m.runs(seed, n, c.arms), asked)
				if err != nil {
					t.Fatal(err)
				}
				Judge([]*Comparison{&all}, asked)
				if all.Effects[0].Verdict == Proven {
					proven++
				}
				if all.Same.Verdict == Proven {
					differs++
				}
				if holds(all.Effects[0].Change, truth) {
					covered++
				}
			}
			t.Logf("proven in %.2f %%, the A/A differs in %.2f %%, the interval covers the truth in %.2f %%, with %.1f blocks on the average",
				percent(proven), percent(differs), percent(covered), float64(sum)/campaigns)
			if percent(proven) < 80 {
				t.Errorf("proven in %.2f %% of campaigns, want 80 %%", percent(proven))
			}
			within(t, "A/A differs", percent(differs), 5, 1.5)
			within(t, "interval covers the truth", percent(covered), 95, 1.5)
		})
	}
}

// holds reports whether a true difference of logarithms is in the interval.
func holds(i Interval, truth float64) bool {
	return math.Log1p(i.Lower) <= truth && truth <= math.Log1p(i.Upper)
}

// percent of all campaigns.
func percent(n int) float64 { return 100 * float64(n) / campaigns }

func within(t *testing.T, what string, got, want, off float64) {
	t.Helper()
	if math.Abs(got-want) > off {
		t.Errorf("%s in %.2f %% of campaigns, want %.2f %% +/- %.2f %%", what, got, want, off)
	}
}
