package sweep

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"weir"
)

// calm is a router without anything that disturbs.
func calm(capacity float64) *router {
	r := &router{capacity: capacity, ring: 256, random: rand.New(rand.NewPCG(1, 1))}
	return r.start()
}

// Each block holds each load once, and no pass has more windows than a trial.
func TestBlocks(t *testing.T) {
	g := Goal{Maximum: 1.6e6, Buffer: 256, Within: time.Minute}
	past := sweepOf(g, newRouter(3).start())
	orders := map[float64]bool{}
	for i, p := range past {
		if len(p.Windows) > weir.MaxWindows || len(p.Windows) != len(p.Blocks) {
			t.Fatalf("pass %d has %d windows and %d blocks", i, len(p.Windows), len(p.Blocks))
		}
		blocks := map[int]map[float64]bool{}
		for j, w := range p.Windows {
			b := p.Blocks[j]
			if blocks[b] == nil {
				blocks[b] = map[float64]bool{}
				orders[w.Intended] = true
			}
			if blocks[b][w.Intended] {
				t.Fatalf("pass %d has load %v twice in block %d", i, w.Intended, b)
			}
			blocks[b][w.Intended] = true
		}
		for b, loads := range blocks {
			if !reflect.DeepEqual(loads, blocks[0]) {
				t.Fatalf("pass %d: block %d has other loads than block 0", i, b)
			}
		}
	}
	if len(orders) < 10 {
		t.Errorf("blocks begin with %d different loads: their order is not random", len(orders))
	}
	trial := weir.Trial{Windows: past[0].Windows, Traffic: weir.Traffic{}}
	if err := trial.CheckWindows(); err != nil {
		t.Error(err)
	}
	if l := length(past); l > time.Minute || l < 50*time.Second {
		t.Errorf("a sweep within a minute takes %v", l)
	}
}

// The knee is bracketed wherever it is.
func TestAnyRate(t *testing.T) {
	for _, capacity := range []float64{300, 2e3, 10e3, 100e3, 1e6, 5e6, 15e6} {
		g := Goal{Maximum: 20e6, Buffer: 256, Within: 6 * time.Second}
		e := g.Estimate(sweepOf(g, calm(capacity)))
		want := capacity / (1 - DefaultLoss)
		limit := .01
		if capacity < 5e3 {
			limit = .1 // a window of 25 ms has few frames
		}
		if off := e.Knee.Value/want - 1; math.Abs(off) > limit {
			t.Errorf("capacity %v: knee off by %.2f %%: %+v %v %v", capacity, 100*off, e.Knee, e.Limited, e.Flags)
		}
		if capacity < 15e6 && capacity > 5e3 && (e.Verdict != Graceful || math.Abs(e.Saturated.Value/capacity-1) > .01) {
			t.Errorf("capacity %v: saturated %v, %q", capacity, e.Saturated, e.Verdict)
		}
	}
}

// What the tester cannot send is not said to be the DUT's.
func TestTesterLimits(t *testing.T) {
	g := Goal{Maximum: 600e3, Buffer: 256}
	e := g.Estimate(sweepOf(g, calm(700e3)))
	if e.Limited != ByTester || e.Knee.Value != 0 || !e.Has(Short) || e.Verdict != "" || e.MLFRR != 600e3 || e.Conditional != 600e3 {
		t.Errorf("a DUT that is faster than the tester: %+v", e)
	}
	g.Maximum = 730e3
	e = g.Estimate(sweepOf(g, calm(700e3)))
	if math.Abs(e.Knee.Value/703.5e3-1) > .03 || !e.Has(Short) {
		t.Errorf("a tester that can send a little more than the DUT takes: %+v", e)
	}
	// It was said to send more than it can.
	r := calm(700e3)
	r.most = 900e3
	g.Maximum = 1.6e6
	e = g.Estimate(sweepOf(g, r))
	if math.Abs(e.Knee.Value/703.5e3-1) > .01 || e.Limited != "" {
		t.Errorf("a tester that falls short: %+v", e)
	}
}

// A DUT that takes more than all that the tester sends beside it is limited by the
// tester, however much it was said to send; and what there was no time to find is
// not said to be the tester's limit.
func TestFasterThanTheTester(t *testing.T) {
	for _, most := range []float64{.9e6, 1.4e6, 2e6, 2.9e6} {
		r := calm(10e6)
		r.most = most
		g := Goal{Maximum: 3e6, Buffer: 256}
		past := sweepOf(g, r)
		e := g.Estimate(past)
		if e.Limited != ByTester || e.Knee.Value != 0 || e.LeftOutShare > 0 || e.Has(Hidden) {
			t.Errorf("a tester that sends %.0f: limited by %q, knee %v, %.2f left out", most, e.Limited, e.Knee, e.LeftOutShare)
		}
		if e.Conditional < .9*most || e.Conditional > 1.01*most {
			t.Errorf("a tester that sends %.0f showed %.0f to be without loss", most, e.Conditional)
		}
	}
	slow := policed(bucket{rate: 100, burst: 5})
	g := Goal{Maximum: 1.6e6, Buffer: 256, Within: 2 * time.Second}
	if e := g.Estimate(sweepOf(g, slow)); e.Limited == ByTester {
		t.Errorf("a limit of 100 in too short a time: %q, %+v", e.Limited, e.Knee)
	}
}

// Windows of which a buffer hides an overload, as the tester cannot send enough
// to fill it before, are made longer until the knee stays, or it is said that
// they are too short.
func TestHidden(t *testing.T) {
	slow := func() *router {
		r := calm(700e3)
		r.ring = 2000
		return r
	}
	g := Goal{Maximum: 800e3, Silence: 4 * time.Millisecond, Within: 30 * time.Second}
	e := g.Estimate(sweepOf(g, slow()))
	if off := e.Knee.Value/703.5e3 - 1; !e.Has(Moved) || math.Abs(off) > .02 {
		t.Errorf("2,000 frames: knee off by %.2f %% with windows of %v, %v %v", 100*off, e.Window, e.Flags, e.Limited)
	}
	g.Within = time.Second
	if e := g.Estimate(sweepOf(g, slow())); !e.Has(ShortWindows) {
		t.Errorf("2,000 frames, and a second: %v %+v", e.Flags, e.Knee)
	}
	// Of a buffer for longer than a window lasts even the best windows say nothing.
	for _, ring := range []float64{40_000, 100_000, 300_000} {
		r := calm(1.2e6)
		r.ring = ring
		g := Goal{Maximum: 14e6}
		if e := g.Estimate(sweepOf(g, r)); !e.Has(Hidden) || e.Knee.Value > 1.3e6 || e.Has(Interrupted) {
			t.Errorf("%.0f frames: knee %+v, %v %v", ring, e.Knee, e.Flags, e.Limited)
		}
	}
}

// DUTs that forward less the more they are offered.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		excess float64
		want   Verdict
	}{{0, Graceful}, {-.5, Degrading}, {-1.2, Livelock}} {
		r := calm(700e3)
		r.excess = c.excess
		g := Goal{Maximum: 1.6e6, Buffer: 256}
		e := g.Estimate(sweepOf(g, r))
		if e.Verdict != c.want || e.Has(Costs) != (c.excess < 0) {
			t.Errorf("%v of the excess: %q, index %.3f, FRMOL %.0f, MFR %.0f, %v", c.excess, e.Verdict, e.Index, e.FRMOL, e.MFR, e.Flags)
		}
		if math.Abs(e.KneeZero.Value/700e3-1) > .01 {
			t.Errorf("%v of the excess: the knee at no loss is %+v", c.excess, e.KneeZero)
		}
	}
}

// The same past leads to the same pass and the same estimate, and what was cut
// short counts as far as its blocks are whole.
func TestPure(t *testing.T) {
	g := Goal{Maximum: 1.6e6, Buffer: 256, Seed: 7}
	past := sweepOf(g, newRouter(7).start())
	for n := range past {
		p, ok := g.Next(past[:n])
		p.Results = past[n].Results
		if !ok || !reflect.DeepEqual(p, past[n]) {
			t.Fatalf("pass %d is another one the second time", n)
		}
	}
	if _, ok := g.Next(past); ok {
		t.Error("there is no end")
	}
	if a, b := g.Estimate(past), g.Estimate(past); !reflect.DeepEqual(a, b) {
		t.Error("two estimates of one past differ")
	}
	last := &past[len(past)-1]
	last.Results = last.Results[:len(last.Results)-7]
	cut := g.Estimate(past)
	if cut.Knee.Value <= 0 || math.Abs(cut.Knee.Value/g.Estimate(past[:len(past)-1]).Knee.Value-1) > .1 {
		t.Errorf("a sweep that was cut short: %+v", cut.Knee)
	}
	whole := last.whole()
	if whole >= len(last.Results) || len(last.Results)-whole >= fineLoads || last.Blocks[whole-1] == last.Blocks[whole] {
		t.Errorf("%d of %d windows are those of whole blocks", whole, len(last.Results))
	}
	if e := g.Estimate(past[:1]); e.Limited != ByTime || e.Knee.Value != 0 || len(e.Curve) == 0 {
		t.Errorf("a coarse pass alone: %+v", e)
	}
}

// several is a DUT with as many sending ports, each of which has a router of its
// own.
type several struct {
	sender
	ports uint64
}

func (s several) send(windows []weir.Window) []weir.WindowResult {
	out := s.sender.send(windows)
	for i := range out {
		for _, v := range []*uint64{&out[i].Sent, &out[i].Received, &out[i].PrimeSent, &out[i].PrimeReceived} {
			*v *= s.ports
		}
	}
	return out
}

// Rates are those of one port, however many send.
func TestPorts(t *testing.T) {
	g := Goal{Maximum: 1.6e6, Buffer: 256}
	one := g.Estimate(sweepOf(g, calm(700e3)))
	g.Ports = 3
	three := g.Estimate(sweepOf(g, several{calm(700e3), 3}))
	if math.Abs(three.Knee.Value/one.Knee.Value-1) > .002 || math.Abs(three.Saturated.Value/one.Saturated.Value-1) > .002 || math.Abs(three.Buffer-one.Buffer) > 20 {
		t.Errorf("three ports: %+v; one: %+v", three.Knee, one.Knee)
	}
}

func TestValidate(t *testing.T) {
	if err := (Goal{Maximum: 1e6}).Validate(); err != nil {
		t.Error(err)
	}
	for _, g := range []Goal{{}, {Maximum: math.NaN()}, {Maximum: math.Inf(1)}, {Maximum: 1e6, Loss: 1}, {Maximum: 1e6, Loss: math.NaN()},
		{Maximum: 1e6, Minimum: 1e6}, {Maximum: 1e6, Window: -1}, {Maximum: 1e6, Buffer: -1}, {Maximum: 1e6, Rounds: -1}, {Maximum: 1e6, Ports: -1}, {Maximum: 1e6, Within: -1}} {
		if g.Validate() == nil {
			t.Errorf("%+v is valid", g)
		}
		if _, ok := g.Next(nil); ok {
			t.Errorf("%+v has a first pass", g)
		}
	}
}
