package sweep

import (
	"math"
	"testing"
	"time"

	"weir"
)

// A generator that stands still is left out, and said; when too much is left
// out there is no number.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		gaps   float64
		number bool
	}{{10, true}, {400, false}} {
		r := newRouter(5)
		r.wave, r.stalls, r.gaps = 0, 0, c.gaps
		r.start()
		g := Goal{Maximum: 1.6e6, Buffer: 256}
		e := g.Estimate(sweepOf(g, r))
		if (e.Knee.Value > 0) != c.number || !c.number && e.Limited != ByOutside || len(e.LeftOut) == 0 || e.LeftOut[0].Name != GeneratorStood {
			t.Errorf("%v gaps a second: knee %+v, %q, %+v", c.gaps, e.Knee, e.Limited, e.LeftOut)
		}
		if c.number && math.Abs(e.Knee.Value/703.5e3-1) > .02 {
			t.Errorf("%v gaps a second: knee %+v", c.gaps, e.Knee)
		}
	}
}

func TestEvidence(t *testing.T) {
	g := Goal{Maximum: 1e6, Buffer: 256}.or()
	w := weir.Window{Intended: 100e3, Duration: 10 * time.Millisecond}
	for _, c := range []struct {
		r    weir.WindowResult
		want string
	}{
		{weir.WindowResult{Sent: 1000, Received: 1000}, ""},
		{weir.WindowResult{Sent: 1000, Received: 100, ReceiverGap: 9 * time.Millisecond, LostRun: 900, Delay: time.Second, Preempted: -1}, ""},
		{weir.WindowResult{Sent: 1000, Received: 1000, GeneratorGap: 2600 * time.Microsecond}, ""},
		{weir.WindowResult{Sent: 1000, Received: 1000, GeneratorGap: 2620 * time.Microsecond}, GeneratorStood},
		{weir.WindowResult{Sent: 1000, Received: 1000, Preempted: 1900 * time.Microsecond}, ""},
		{weir.WindowResult{Sent: 1000, Received: 1000, Preempted: 1950 * time.Microsecond}, Preempted},
		{weir.WindowResult{Sent: 989, Received: 989}, ""},
		{weir.WindowResult{Sent: 987, Received: 987}, Unsent},
		{weir.WindowResult{Sent: 1000, Received: 1001}, Unknown},
		{weir.WindowResult{}, Unknown},
		{weir.WindowResult{GeneratorGap: 10 * time.Millisecond}, GeneratorStood},
	} {
		if got := g.outside(sample{window: w, result: c.r}); got != c.want {
			t.Errorf("%+v is left out for %q and not for %q", c.r, got, c.want)
		}
	}
	g.Ports = 2
	if got := g.outside(sample{window: w, result: weir.WindowResult{Sent: 1000, Received: 1000}}); got != Unsent {
		t.Errorf("one of two ports that sends is %q", got)
	}
	w.Side = 2
	if got := g.outside(sample{window: w, result: weir.WindowResult{Sent: 1000, Received: 1000}}); got != "" {
		t.Errorf("the only port that should send is %q", got)
	}
}

// Interruptions are counted, and their number and lengths are about the truth:
// those between windows, and those of less than a buffer, are not seen.
func TestInterruptions(t *testing.T) {
	r := newRouter(2)
	r.wave = 0
	r.start()
	g := Goal{Maximum: 1.6e6, Buffer: 256, Within: 20 * time.Second}
	i := g.Estimate(sweepOf(g, r)).Interruptions
	if i.Rate < 5 || i.Rate > 9 || i.Median < 2*time.Millisecond || i.Median > 10*time.Millisecond || i.Longest < 10*time.Millisecond || i.Longest > 60*time.Millisecond {
		t.Errorf("8 a second of 1 to 30 ms are %+v", i)
	}
}

// The reasons add up to the share that was left out; loads that are more than the
// tester sends are in neither.
func TestReasonsAddUp(t *testing.T) {
	r := newRouter(5)
	r.most = 1e6
	r.start()
	g := Goal{Maximum: 3e6, Buffer: 256}
	e := g.Estimate(sweepOf(g, r))
	sum := 0.
	for _, reason := range e.LeftOut {
		sum += reason.Share
	}
	if math.Abs(sum-e.LeftOutShare) > 1e-9 || !e.Has(Beyond) {
		t.Errorf("%+v add up to %v, not to %v; %v", e.LeftOut, sum, e.LeftOutShare, e.Flags)
	}
}

// One window of a load that a pass tried while it learned says nothing between
// loads with many.
func TestBounded(t *testing.T) {
	var all []sample
	put := func(load, loss float64, n int) {
		for range n {
			all = append(all, sample{window: weir.Window{Intended: load, Duration: time.Millisecond}, loss: loss})
		}
	}
	put(90e3, 0, 60)
	put(91e3, .5, 1)
	put(100e3, 0, 60)
	put(110e3, .1, 60)
	load, _ := bounded(all, 0, func(s *sample) float64 { return s.loss }, (*sample).quiet)
	if load != 100e3 {
		t.Errorf("without loss up to %v", load)
	}
}

func TestIsotonic(t *testing.T) {
	got := isotonic([]float64{0, 3, 1, 2, 9, 8}, []float64{1, 1, 1, 2, 1, 3})
	want := []float64{0, 2, 2, 2, 8.25, 8.25}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("isotonic gives %v, not %v", got, want)
		}
	}
}
