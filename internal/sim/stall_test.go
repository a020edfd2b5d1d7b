package sim

import (
	"math"
	"testing"
	"time"

	"weir"
)

// What is due while the generator stands still is not sent, and the windows say
// for how long it did; the DUT drains meanwhile.
func TestSimStalls(t *testing.T) {
	c := ringed
	c.Stalls, c.Stall = 20, [2]time.Duration{4 * ms, 4 * ms}
	trial := schedule()
	r, got := measuredWindows(t, c, trial)
	stalls := inTrial(t, c, 1).stalls(trial)
	if n := uint64(len(stalls)); r.Pacing.Stalls > n || r.Pacing.Stalls < n*9/10 || n < 30 {
		t.Errorf("%d of %d stalls", r.Pacing.Stalls, n)
	}
	var stood time.Duration
	for i, w := range got {
		missing := trial.Windows[i].Intended*trial.Windows[i].Duration.Seconds() - float64(w.Sent)
		if one := trial.Windows[i].Intended * w.GeneratorGap.Seconds(); missing < one-2 {
			t.Errorf("window %d did not send %v frames, in a stall of %v", i+1, missing, w.GeneratorGap)
		}
		if w.GeneratorGap == 0 && math.Abs(missing) > 1 {
			t.Errorf("window %d did not send %v frames, without a stall", i+1, missing)
		}
		if trial.Windows[i].Intended < 700e3 && w.Lost() > 0 {
			t.Errorf("window %d lost %d frames to a stall of the generator", i+1, w.Lost())
		}
		stood, r.Pacing.LongestStall = max(stood, w.GeneratorGap), max(r.Pacing.LongestStall, w.GeneratorGap)
	}
	if stood < 4*ms || r.Pacing.LongestStall < stood {
		t.Errorf("the longest stall is %v, in a window %v", r.Pacing.LongestStall, stood)
	}

	one := load(300e3)
	one.Then = &weir.Phase{Intended: 100e3, Duration: time.Second}
	for _, one.Bypass = range []bool{false, true} {
		r := measured(t, sim(t, c), one)
		if r.Received != r.Offered || !r.Short() || r.Pacing.Stalls == 0 {
			t.Errorf("%d of %d frames of %d came back, with %d stalls", r.Received, r.Offered, one.Frames(), r.Pacing.Stalls)
		}
		var sum float64
		for _, stall := range inTrial(t, c, 1).stalls(one) {
			for from := range 2 {
				sum += max(0, min(stall[1], float64(from+1))-max(stall[0], float64(from))) * []float64{300e3, 100e3}[from]
			}
		}
		apart(t, "frames that were not sent", float64(one.Frames()-r.Offered), sum, 2)
	}
	burst := weir.Trial{Maximum: true, Count: 1000, Number: 1}
	if r := measured(t, sim(t, c), burst); r.Offered != 1000 {
		t.Errorf("%d frames of a burst", r.Offered)
	}
	c.Stalls, c.Stall = 1, [2]time.Duration{time.Minute, time.Minute}
	if r, _ := measuredWindows(t, c, trial); r.Offered != 0 || r.Windows[0].GeneratorGap != trial.Windows[0].Duration {
		t.Errorf("a generator that never sends sent %d frames, after %v", r.Offered, r.Windows[0].GeneratorGap)
	}
}
