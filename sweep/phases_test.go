package sweep

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// changing is a campaign on a router whose capacity changes with time.
type changing struct {
	name   string
	dut    func(*router)
	within time.Duration // of the windows
	rounds int
}

// at gives a router three speeds, each of a mean time in s.
func at(dwell float64) func(*router) {
	return func(r *router) {
		r.wave, r.speeds, r.dwell = 0, []float64{1, .73, .46}, dwell
	}
}

var manyPhases = []changing{
	{"one speed: wave, noise, interruptions", func(*router) {}, 6 * time.Second, 3},
	{"one speed: the same for 26 s", func(*router) {}, 26 * time.Second, 3},
	{"one speed: no wave", func(r *router) { r.wave = 0 }, 6 * time.Second, 3},
	{"one speed: drift of 1 % a second", func(r *router) { r.wave, r.sinks = 0, .01 }, 26 * time.Second, 3},
	{"three speeds, 0.3 s each", at(.3), 26 * time.Second, 3},
	{"three speeds, 1 s each", at(1), 26 * time.Second, 3},
	{"three speeds, 2 s each", at(2), 26 * time.Second, 3},
	{"the same in 12 rounds", at(2), 26 * time.Second, 12},
	{"the same in 6 s", at(2), 6 * time.Second, 3},
	{"three speeds, 10 s each", at(10), 26 * time.Second, 3},
	{"three speeds, 10 minutes each", at(600), 26 * time.Second, 3},
	{"three speeds, 2 s each, livelock of 0.3", func(r *router) { at(2)(r); r.excess = -.3 }, 26 * time.Second, 3},
	{"three speeds, 2 s each, wave of 3 %", func(r *router) { at(2)(r); r.wave = .03 }, 26 * time.Second, 3},
}

// found is how campaigns compare with the truth. Errors are root mean squares.
type found struct {
	campaigns int     // in which the fastest speed held for a tenth of the windows
	invented  int     // with several speeds though there is one
	drifting  int     // that say that the capacity drifts
	least     int     // that say "at least"
	above     int     // of these, whose lower bound lies above the fastest speed
	none      int     // without a number
	numbers   int     // with one that is none of these
	fast      float64 // error of the fastest speed that is known
	slower    float64 // of the others
	slowerOf  int
	ratio     float64 // of the knee in terms of the headline's speed
	held      int     // whose interval holds the knee at the headline's speed
	missed    int     // of the numbers, those of which the fastest speed is not the fastest by more than 5 %
	needless  int     // that say "at least" though their fastest speed is the fastest
	widths    []float64
}

// run performs campaigns from a seed on.
func (c changing) run(from, campaigns int) (f found) {
	for seed := from; seed < from+campaigns; seed++ {
		dut := newRouter(uint64(seed))
		c.dut(dut)
		g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: uint64(seed), Within: c.within, Rounds: c.rounds}
		e := g.Estimate(sweepOf(g, dut.start()))
		fast := 0.
		for _, held := range dut.held {
			if held == 1 {
				fast++
			}
		}
		if len(dut.speeds) == 0 || fast >= .1*float64(len(dut.held)) {
			f.add(dut, g, e)
		}
	}
	for _, v := range []*float64{&f.fast, &f.ratio} {
		*v = math.Sqrt(*v / float64(max(f.numbers, 1)))
	}
	f.slower = math.Sqrt(f.slower / float64(max(f.slowerOf, 1)))
	return f
}

func (f *found) add(dut *router, g Goal, e Estimate) {
	f.campaigns++
	loss := g.or().Loss
	ratio := 1 + loss/(1-dut.excess-loss)
	if len(dut.speeds) == 0 && len(e.Speeds) > 0 {
		f.invented++
	}
	if e.Has(Drifts) {
		f.drifting++
	}
	capacity, fastest, truth := e.KneeZero.Value, e.KneeZero.Value, dut.capacity
	for i, s := range e.Speeds {
		near := dut.nearest(s.Capacity)
		if s.Lead {
			capacity, truth = s.Capacity, near
		}
		if i == 0 {
			fastest = s.Capacity
		} else {
			f.slower, f.slowerOf = f.slower+math.Pow(s.Capacity/near-1, 2), f.slowerOf+1
		}
	}
	switch {
	case e.Knee.Value == 0:
		f.none++
		return
	case e.Limited == BySpeed:
		f.least++
		if math.Abs(fastest/dut.capacity-1) < .02 {
			f.needless++
		}
		if e.Knee.Lower > dut.capacity*ratio {
			f.above++
		}
		return
	}
	f.numbers++
	if fastest < .95*dut.capacity {
		f.missed++
	}
	f.fast += math.Pow(fastest/dut.capacity-1, 2)
	f.ratio += math.Pow(e.Knee.Value/capacity/ratio-1, 2)
	if e.Knee.Lower <= truth*ratio && truth*ratio <= e.Knee.Upper {
		f.held++
	}
	f.widths = append(f.widths, (e.Knee.Upper-e.Knee.Lower)/2/e.Knee.Value)
}

// nearest is the capacity of the router's speed that is nearest to a capacity.
func (r *router) nearest(capacity float64) float64 {
	best := r.capacity
	for _, s := range r.speeds {
		if of := s * r.capacity; math.Abs(of-capacity) < math.Abs(best-capacity) {
			best = of
		}
	}
	return best
}

var campaignCount = flag.Int("campaigns", 20, "campaigns of each row of BenchmarkPhases")

// BenchmarkPhases prints what campaigns find of simulated routers whose capacity
// changes with time, a row for each kind: -campaigns 1000 for more of them, -from for
// others.
func BenchmarkPhases(b *testing.B) {
	fmt.Println("\n| machine | campaigns | phases invented | drift told | fast speed, rmse | slower ones | knee ratio | fast speed missed | interval holds | half width | at least (too high, needless) | no number |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, c := range manyPhases {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				f := c.run(*firstSeed, *campaignCount)
				held := float64(f.held) / float64(max(f.numbers, 1))
				fmt.Printf("\n| %s | %d | %d | %d | %s | %s | %s | %d | %s | %s | %d (%d, %d) | %d |\n", c.name, f.campaigns, f.invented, f.drifting,
					percent(f.fast), percent(f.slower), percent(f.ratio), f.missed, percent(held), percent(median(f.widths)), f.least, f.above, f.needless, f.none)
			}
		})
	}
}

// Each kind a few times, with limits that are no luck.
func TestPhases(t *testing.T) {
	for _, c := range manyPhases {
		if c.within > 6*time.Second && c.name != "three speeds, 0.3 s each" {
			continue
		}
		f := c.run(0, 4)
		if f.invented > 0 || f.none > 0 || f.above > 0 {
			t.Errorf("%s: %+v", c.name, f)
		}
		if c.name == "three speeds, 0.3 s each" && (f.least > 0 || f.fast > .02 || f.slower > .02 || f.ratio > .02 || f.held < f.numbers-1) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// A machine that changes its speed once a second shows each of its speeds; one that does so
// once in ten minutes has one while it is measured.
func TestOftenAndSeldom(t *testing.T) {
	often := changing{dut: at(1), within: 26 * time.Second, rounds: 3}.run(0, 2)
	if often.numbers == 0 || often.missed+often.none+often.above > 0 || often.fast > .02 || often.slower > .02 || often.ratio > .02 {
		t.Errorf("once a second: %+v", often)
	}
	for seed := range uint64(6) {
		dut := newRouter(seed)
		at(600)(dut)
		g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: seed}
		e := g.Estimate(sweepOf(g, dut.start()))
		truth := dut.capacity * dut.held[0]
		if slices.Min(dut.held) == slices.Max(dut.held) && (len(e.Speeds) > 0 || e.Limited != "" || math.Abs(e.KneeZero.Value/truth-1) > .03) {
			t.Errorf("once in ten minutes, seed %d: %.0f, limited by %q, %+v; the router had %.0f", seed, e.KneeZero.Value, e.Limited, e.Speeds, truth)
		}
	}
}

// A speed is not taken for the fastest while loads were too low to show a faster one: of these
// campaigns one had only such loads while it was fast, and in one the windows before it hid that.
func TestBlindPhases(t *testing.T) {
	for _, seed := range []int{183, 286} {
		f := changing{dut: at(10), within: 26 * time.Second, rounds: 3}.run(seed, 1)
		if f.campaigns != 1 || f.missed > 0 || f.none > 0 {
			t.Errorf("seed %d: %+v", seed, f)
		}
	}
}

// A capacity that sinks all the time is told as that, and one that jumps as several
// speeds; both whatever an overload costs.
func TestTrack(t *testing.T) {
	for _, c := range []struct {
		name    string
		dut     func(*router)
		drifts  bool
		several bool
	}{
		{"steady", func(r *router) { r.wave = 0 }, false, false},
		{"sinking", func(r *router) { r.wave, r.sinks = 0, .04 }, true, false},
		{"overload costs", func(r *router) { r.wave, r.excess = 0, -.3 }, false, false},
		{"two speeds", func(r *router) { r.wave, r.speeds, r.dwell = 0, []float64{1, .8}, .5 }, false, true},
		{"two speeds, overload costs", func(r *router) { r.wave, r.excess, r.speeds, r.dwell = 0, -.3, []float64{1, .6}, .5 }, false, true},
	} {
		dut := newRouter(3)
		c.dut(dut)
		g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: 3}
		e := g.Estimate(sweepOf(g, dut.start()))
		if e.Has(Drifts) != c.drifts || (len(e.Speeds) > 1) != c.several {
			t.Errorf("%s: speeds %+v, flags %v", c.name, e.Speeds, e.Flags)
		}
		for i, s := range e.Speeds {
			if truth := dut.capacity * dut.speeds[i]; math.Abs(s.Capacity/truth-1) > .02 {
				t.Errorf("%s: speed %d is %.0f and not %.0f", c.name, i+1, s.Capacity, truth)
			}
		}
		for i, m := range e.Track {
			if m.Until <= m.At || i > 0 && m.At < e.Track[i-1].Until {
				t.Errorf("%s: moment %d of the track is %+v", c.name, i, m)
			}
		}
	}
}

// The curve of a router with several speeds rises with the load, and its intervals hold it.
func TestCurveRises(t *testing.T) {
	for seed := range uint64(3) {
		dut := newRouter(seed)
		at(.3)(dut)
		g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: seed}
		e := g.Estimate(sweepOf(g, dut.start()))
		if len(e.Speeds) < 2 || len(e.Curve) < 5 {
			t.Fatalf("seed %d: %d speeds, %d points", seed, len(e.Speeds), len(e.Curve))
		}
		last := 0.
		for _, p := range e.Curve {
			if p.Windows > 0 && (p.Loss < last || p.Lower > p.Loss || p.Upper < p.Loss) {
				t.Errorf("seed %d: at %.0f a loss of %v (%v to %v) after one of %v", seed, p.Load, p.Loss, p.Lower, p.Upper, last)
			}
			if p.Windows > 0 {
				last = p.Loss
			}
		}
	}
}

// BenchmarkTrack measures what Next and Estimate take after the last pass of a sweep of
// three speeds, alone and with three neighbours: what a sweep computes between passes.
func BenchmarkTrack(b *testing.B) {
	dut := newRouter(1)
	at(2)(dut)
	g := Goal{Maximum: 1.6e6, Buffer: 256, Within: 26 * time.Second}
	past := sweepOf(g, dut.start())
	b.Run("next", func(b *testing.B) {
		for b.Loop() {
			g.Next(past[:len(past)-1])
		}
	})
	b.Run("estimate", func(b *testing.B) {
		for b.Loop() {
			g.Estimate(past)
		}
	})
	all := together(dut, 26*time.Second, []float64{1, .97, .9, .8}, true)
	g, past = all[0].goal, all[0].past
	g.Neighbours = neighboursOf(all, 0)
	b.Run(fmt.Sprintf("next with %d neighbours", len(g.Neighbours)), func(b *testing.B) {
		for b.Loop() {
			g.Next(past[:len(past)-1])
		}
	})
	b.Run(fmt.Sprintf("estimate with %d neighbours", len(g.Neighbours)), func(b *testing.B) {
		for b.Loop() {
			g.Estimate(past)
		}
	})
}
