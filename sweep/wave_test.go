package sweep

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// series are the saturated rates of blocks of a machine whose wave is known,
// with a mean of 0 in the long run.
type series struct {
	slow, wave, noise float64 // time constant in s, deviations
	rounds, blocks    int
	pause             float64 // s between rounds
	minute            float64 // deviation of what all rounds have in common; others share the machine
}

func (s series) draw(seed uint64) (out []saturation) {
	const block = .15 // s
	random := rand.New(rand.NewPCG(seed, 7))
	x, at := s.wave*random.NormFloat64(), 0.
	minute := 0.
	if s.minute > 0 {
		minute = s.minute * random.NormFloat64()
	}
	on := func(d float64) {
		a := math.Exp(-d / s.slow)
		x, at = x*a+s.wave*math.Sqrt(1-a*a)*random.NormFloat64(), at+d
	}
	for r := range s.rounds {
		if r > 0 {
			on(s.pause)
		}
		for range s.blocks {
			out = append(out, saturation{len(out), r, minute + x + s.noise*random.NormFloat64(), at})
			on(block)
		}
	}
	return out
}

// covered is the share of intervals that hold the mean of the long run, and
// their median half width.
func (s series) covered(seeds int) (float64, float64) {
	var widths []float64
	held := 0
	for seed := range seeds {
		i := Goal{Shared: s.minute > 0}.saturated(s.draw(uint64(seed)))
		if i.Lower <= 1 && 1 <= i.Upper {
			held++
		}
		widths = append(widths, (i.Upper-i.Lower)/2)
	}
	return float64(held) / float64(seeds), median(widths)
}

// The interval holds the long run whether rounds are apart or not, of a wave
// that there was time for; and that of one round as well.
func TestLongRun(t *testing.T) {
	for _, c := range []struct {
		name string
		series
		low, high float64 // coverage
		width     float64 // at most
		seeds     int
	}{
		{"rounds back to back", series{slow: 1.5, wave: .08, noise: .01, rounds: 3, blocks: 12}, .93, .98, .13, 600},
		{"rounds 20 s apart", series{slow: 1.5, wave: .08, noise: .01, rounds: 3, blocks: 12, pause: 20}, .93, .98, .145, 600},
		// Shorter, and without a second round: as near as it gets.
		{"one round", series{slow: 1.5, wave: .08, noise: .01, rounds: 1, blocks: 36}, .9, .98, .12, 300},
		{"a faster wave", series{slow: .5, wave: .08, noise: .01, rounds: 3, blocks: 12}, .93, 1, .14, 300},
		{"a shared machine", series{slow: 5, wave: .09, noise: .13, rounds: 3, blocks: 6, pause: 15, minute: .07}, .93, .99, .26, 600},
		{"the same, two rounds", series{slow: 5, wave: .09, noise: .13, rounds: 2, blocks: 6, pause: 8, minute: .07}, .93, .99, .35, 600},
		{"the same, one round", series{slow: 5, wave: .09, noise: .13, rounds: 1, blocks: 6, minute: .07}, .93, .995, .45, 600},
		{"of it what no other work slows down", series{slow: 1.5, wave: .001, noise: .001, rounds: 3, blocks: 6, pause: 15, minute: 1e-9}, .93, 1, .005, 100},
		{"no wave", series{slow: 1, noise: .01, rounds: 3, blocks: 12}, .93, 1, .008, 300},
	} {
		share, width := c.covered(c.seeds)
		t.Logf("%s: %.1f %% of the intervals hold the long run, half width %.1f %%", c.name, 100*share, 100*width)
		if share < c.low || share > c.high || width > c.width {
			t.Errorf("%s: asked for are %v to %v, and half a width of %v", c.name, c.low, c.high, c.width)
		}
	}
}

// Where a wave is slower than a sweep its interval is too narrow, which is said
// in the documentation: nothing in it tells of that.
func TestSlowerWave(t *testing.T) {
	s := series{slow: 20, wave: .08, noise: .01, rounds: 3, blocks: 12}
	together, _ := s.covered(200)
	s.pause = 60
	if apart, _ := s.covered(200); apart < .93 || together > .8 {
		t.Errorf("rounds a minute apart hold the long run in %v, together in %v", apart, together)
	}
}

func TestWander(t *testing.T) {
	blocks := series{slow: 1.5, wave: .08, noise: .01, rounds: 3, blocks: 12}.draw(1)
	far := wander(blocks)
	if far < .02 || far > .5 {
		t.Errorf("the mean of the long run is within %v", far)
	}
	for name, b := range map[string][]saturation{
		"none":           nil,
		"three":          blocks[:3],
		"at one time":    {{log: 1}, {log: 2}, {log: 1}, {log: 3}, {log: 2}},
		"time goes back": {{log: 1, at: 3}, {log: 2, at: 2}, {log: 1, at: 1}, {log: 3, at: 0}},
	} {
		if w := wander(b); w != 0 {
			t.Errorf("%s: %v", name, w)
		}
	}
	equal := slices.Clone(blocks)
	for i := range equal {
		equal[i].log = 13
	}
	if w := wander(equal); !(w >= 0 && w < 1e-6) {
		t.Errorf("of blocks that are all equal: %v", w)
	}
	twice := slices.Clone(blocks)
	for i := range twice {
		twice[i].log *= 2
	}
	if w := wander(twice); math.Abs(w/far-2) > 1e-6 {
		t.Errorf("of twice the wave: %v times", w/far)
	}
	apart := slices.Clone(blocks)
	for i := range apart {
		apart[i].at += 20 * float64(apart[i].round)
	}
	if w := wander(apart); w >= far {
		t.Errorf("of rounds apart %v, back to back %v", w, far)
	}
}

// When passes began is in the interval and nowhere else: not in the next pass,
// nor in the values.
func TestStart(t *testing.T) {
	g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: 3}
	past := sweepOf(g, newRouter(3).start())
	known := g.Estimate(past)
	for i := range past {
		past[i].Start = time.Duration(i) * 20 * time.Second
	}
	if _, ok := g.Next(past); ok {
		t.Error("a sweep that was done goes on")
	}
	apart := g.Estimate(past)
	if apart.Knee.Value != known.Knee.Value || apart.Knee.LowerThen != known.Knee.LowerThen {
		t.Errorf("of passes apart %+v, back to back %+v", apart.Knee, known.Knee)
	}
	if apart.Knee.Upper > known.Knee.Upper || apart.Saturated.Upper > known.Saturated.Upper || apart.Saturated.Lower < known.Saturated.Lower {
		t.Errorf("of passes apart %+v, back to back %+v", apart.Saturated, known.Saturated)
	}
	for i := range past {
		past[i].Start = -time.Second // of clocks that were set
	}
	if again := g.Estimate(past); again.Knee != known.Knee {
		t.Errorf("of passes that began before the first %+v, at once %+v", again.Knee, known.Knee)
	}
}
