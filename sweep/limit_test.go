package sweep

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"weir"
)

// A policer, and a shaper with a bucket of 167 and a queue of 333 frames, lose by
// the frame what exceeds their rate: the knee is within 1 %, whether the ring
// before them is known or not.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limit  bucket
		within time.Duration
	}{
		{"policer of 50,000", bucket{rate: 50e3, burst: 5}, 5 * time.Second},
		{"policer of 200,000", bucket{rate: 200e3, burst: 5}, 5 * time.Second},
		{"policer of 10,000", bucket{rate: 10e3, burst: 5}, 10 * time.Second},
		{"shaper of 50,000", bucket{rate: 50e3, burst: 167, queue: 333}, 15 * time.Second},
		{"shaper of 200,000", bucket{rate: 200e3, burst: 167, queue: 333}, 15 * time.Second},
		{"shaper of 50,000 that holds 2,000", bucket{rate: 50e3, burst: 167, queue: 2000}, 15 * time.Second},
	} {
		for _, buffer := range []int{0, usualRing} {
			for seed := range uint64(1) {
				g := Goal{Maximum: 1.6e6, Buffer: buffer, Within: c.within, Seed: seed}
				past := sweepOf(g, policed(c.limit))
				e := g.Estimate(past)
				off := e.Knee.Value/(c.limit.rate/(1-DefaultLoss)) - 1
				zero := e.KneeZero.Value/c.limit.rate - 1
				rate := e.Saturated.Value/c.limit.rate - 1
				if math.Abs(off) > .01 || math.Abs(zero) > .01 || math.Abs(rate) > .01 {
					t.Errorf("%s, ring %d, seed %d: knee off by %.2f %%, at no loss by %.2f %%, saturated rate by %.2f %%; %v", c.name, buffer, seed, 100*off, 100*zero, 100*rate, e.Flags)
				}
				if l := length(past); l > c.within+c.within/10 {
					t.Errorf("%s takes %v and has %v", c.name, l, c.within)
				}
			}
		}
	}
}

// aimed sends other windows than were asked for.
type aimed struct {
	sender
	aim func(weir.Window) weir.Window
}

func (a aimed) send(windows []weir.Window) []weir.WindowResult {
	out := make([]weir.Window, len(windows))
	for i, w := range windows {
		out[i] = a.aim(w)
	}
	return a.sender.send(out)
}

// Priming has to be paced. A burst that is larger than the first ring on its way
// is lost there, which looks as if a queue behind it was full: a shaper is then
// found 20 to 90 % too fast, and nothing says so. Without priming it is too fast
// as well, and that is said.
func TestPriming(t *testing.T) {
	shaper := bucket{rate: 50e3, burst: 167, queue: 333}
	g := Goal{Maximum: 1.6e6, Buffer: 256, Within: 15 * time.Second, Silence: 20 * time.Millisecond}
	of := func(aim func(weir.Window) weir.Window) (float64, Estimate) {
		e := g.Estimate(sweepOf(g, aimed{policed(shaper), aim}))
		return e.Knee.Value*(1-DefaultLoss)/shaper.rate - 1, e
	}
	if off, e := of(func(w weir.Window) weir.Window { return w }); math.Abs(off) > .01 || len(e.Flags) > 0 {
		t.Errorf("paced: off by %.2f %%, %v", 100*off, e.Flags)
	}
	if off, e := of(burst); off < .2 || e.Primed < .9 {
		t.Errorf("a burst is no worse: off by %.2f %%, full before %.2f of the windows: it may be used", 100*off, e.Primed)
	}
	if off, e := of(unprimed); off < .2 || !e.Has(ShortWindows) {
		t.Errorf("unprimed: off by %.2f %%, %v", 100*off, e.Flags)
	}
}

// Priming is as fast as the way to the buffer takes: before a slow policer faster
// than usual, never so fast that the ring before the limit fills, and as usual
// where that ring belongs to what limits the DUT.
func TestPrimingLoad(t *testing.T) {
	for _, c := range []struct {
		name        string
		cpu         float64 // frames/s, behind a ring of 256
		limit       bucket
		least, most float64 // load of priming, of the knee
	}{
		{"slow policer", 700e3, bucket{rate: 50e3, burst: 50}, 3.5, 4.5},
		{"slow shaper", 700e3, bucket{rate: 50e3, burst: 50, queue: 64}, 3.5, 4.5},
		{"half as fast as the DUT", 400e3, bucket{rate: 200e3, burst: 200}, 1.2, 2},
		{"not much slower than the DUT", 300e3, bucket{rate: 200e3, burst: 200}, 1.2, 1.5},
		{"the DUT itself", 700e3, bucket{rate: 1e7, burst: 5}, 1.5, 1.5},
		{"a queue larger than the ring", 700e3, bucket{rate: 50e3, burst: 5, queue: 333}, 1.5, 1.5},
	} {
		c.limit.level = -c.limit.burst
		dut := &path{stages: []*bucket{{rate: c.cpu, burst: 1, queue: 256}, &c.limit}}
		g := Goal{Maximum: 3e6, Buffer: 256}
		p, _ := g.Next(nil)
		p.Results = dut.send(p.Windows)
		fine, _ := g.Next([]Pass{p})
		if load := fine.Windows[0].Prime.Intended / fine.Knee; load < c.least-1e-9 || load > c.most+1e-9 {
			t.Errorf("%s: primed at %.2f of the knee, want %.1f to %.1f", c.name, load, c.least, c.most)
		}
	}
}

// A machine that others take two thirds of the time leaves a number all the same, and
// an interval that says how little it is.
func TestLeastDisturbed(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 5))
		g := Goal{Maximum: 4e6, Buffer: 256, Seed: seed}
		r := newRouter(seed).start()
		var past []Pass
		for p, ok := g.Next(past); ok; p, ok = g.Next(past) {
			p.Results = r.send(p.Windows)
			for i := range p.Results {
				if o := &p.Results[i]; p.Kind == Fine && random.Float64() < .65 {
					o.Received -= uint64((.2 + .8*random.Float64()) * float64(o.Received))
				}
			}
			past = append(past, p)
		}
		e := g.Estimate(past)
		if !e.Has(LeastDisturbed) || e.Knee.Value < 100e3 || e.Knee.Value > 900e3 || e.Knee.Lower > 700e3 || e.Knee.Upper < 600e3 || e.Limited != "" {
			t.Errorf("seed %d: knee %+v, limited by %q, %v", seed, e.Knee, e.Limited, e.Flags)
		}
		if e.KneeZero.Value <= 0 || e.KneeZero.Value > e.Knee.Value || e.KneeZero.Lower > e.KneeZero.Value {
			t.Errorf("seed %d: knee at no loss %+v", seed, e.KneeZero)
		}
	}
}

// A DUT whose CPU is slower for moments than a clear load said leaves frames of the
// priming before a policer, which take the place of those of the window: it is held
// until they have passed.
func TestHeld(t *testing.T) {
	const limit = 200e3
	for seed := range uint64(4) {
		random := rand.New(rand.NewPCG(seed, 9))
		dut := policed(bucket{rate: limit, burst: limit / 1000})
		dut.moment = func() { dut.stages[0].rate = []float64{700e3, 320e3}[random.IntN(2)] }
		g := Goal{Maximum: 3e6, Buffer: 256, Within: 5 * time.Second, Seed: seed}
		past := sweepOf(g, dut)
		e := g.Estimate(past)
		if w := past[len(past)-1].Windows[0]; w.Prime == nil || w.Hold == nil || w.Hold.Intended < limit || w.Hold.Intended >= w.Prime.Intended {
			t.Errorf("seed %d: a window is %+v, held by %+v", seed, w, w.Hold)
		}
		if off := e.Knee.Value*(1-DefaultLoss)/limit - 1; math.Abs(off) > .01 {
			t.Errorf("seed %d: knee off by %.2f %%", seed, 100*off)
		}
	}
}

// What a DUT holds is learned from how long frames wait in it, to a few per cent, in one
// fine pass at the latest: a queue of a box that nobody knows is filled from then on as
// one that is known. What holds tokens and no frames shows nothing of that.
func TestLearned(t *testing.T) {
	for _, ring := range []float64{32, 256, 1000, 8000} {
		r := calm(700e3)
		r.ring = ring
		g := Goal{Maximum: 1.6e6}
		past := sweepOf(g, r)
		for n := 3; n <= len(past); n++ {
			if learned := g.or().knowing(past[:n]).learned; math.Abs(learned/ring-1) > .1 {
				t.Errorf("%.0f frames: %.0f after %d passes", ring, learned, n)
			}
		}
		if e := g.Estimate(past); e.Primed < .9 || e.Buffer < .9*ring || math.Abs(e.Knee.Value/703.5e3-1) > .01 || e.Has(Moved) {
			t.Errorf("%.0f frames: the buffer is %.0f, full before %.2f of the windows, the knee %.0f, %v", ring, e.Buffer, e.Primed, e.Knee.Value, e.Flags)
		}
		g.Buffer = 256
		if learned := g.or().knowing(past).learned; learned != 0 {
			t.Errorf("%.0f frames are learned of a buffer that is known", learned)
		}
	}
	g := Goal{Maximum: 650e3} // which fills no ring before the policer
	if learned := g.or().knowing(sweepOf(g, policed(bucket{rate: 50e3, burst: 500}))).learned; learned != 0 {
		t.Errorf("a policer holds %.0f frames", learned)
	}
}

// A sweep that has just learned that its windows are too short, and has no time left for
// longer ones, still says what the longer ones have shown.
func TestNoTimeForLonger(t *testing.T) {
	learned := 0
	for _, within := range []time.Duration{1200 * time.Millisecond, 2 * time.Second, 3 * time.Second} {
		for seed := range uint64(20) {
			g := Goal{Maximum: 1.6e6, Within: within, Seed: seed}
			past := sweepOf(g, policed(bucket{rate: 50e3, burst: 1167}))
			st := g.or().knowing(past).replay(past, false)
			if st.trusted == 0 {
				continue
			}
			learned++
			if e := g.Estimate(past); e.Blocks == 0 || e.Limited == ByTime {
				t.Errorf("%v, seed %d: %d blocks, limited by %q, of %d passes", within, seed, e.Blocks, e.Limited, len(past))
			}
		}
	}
	if learned == 0 {
		t.Error("no sweep has learned that its windows are too short")
	}
}
