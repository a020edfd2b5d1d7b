package method

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/internal/sim"
)

// The rate of a DUT with a queue or a bucket is what leaves in the long run, however much
// it holds, and the size of that stands beside it.
func TestLongRun(t *testing.T) {
	const capacity = 2000.
	for _, held := range []int{10, 100, 500, 1000, 10_000, 100_000} { // 5 ms to 50 s
		for kind, dut := range map[string]sim.Config{
			"bucket": {Bucket: held, Buffer: 1}, "queue": {Buffer: held},
			"bucket of octets": {Bucket: held, Buffer: 1, OctetRate: capacity * (512 - 18)},
		} {
			for _, both := range []bool{false, true} {
				t.Run(fmt.Sprint(kind, " ", held, " ", both), func(t *testing.T) {
					if dut.Capacity = capacity; dut.OctetRate > 0 {
						dut.Capacity = 1e6
					}
					dut.Latency = 100 * time.Microsecond
					env := flowing(t, dut, 16, 512)
					env.Traffic.Bidirectional = both
					r := run(t, throughputName, env, Params{Maximum: 1e6, Width: .02})
					off := r.Value/capacity - 1
					if math.Abs(off) > .025 && !(held == 10 && math.Abs(off) < .03) {
						t.Errorf("%.1f %% off: %v (%v to %v), want %v; %v", 100*off, r.Value, r.Lower, r.Upper, capacity, r.Warnings)
					}
					size, ok := r.Figure(HeldFrames)
					if ok != (held >= 100) || ok && math.Abs(size/float64(held)-1) > .15 { // a simulated frame waits no longer than a trial takes
						t.Errorf("holds %v, want %v", size, held)
					}
					octets, ok := r.Figure(LongRunOctets)
					if ok != (dut.OctetRate > 0 && held >= 100) || ok && math.Abs(octets/dut.OctetRate-1) > .03 {
						t.Errorf("%v octets/s, want %v", octets, dut.OctetRate)
					}
				})
			}
		}
	}
}

// A sweep of a DUT that holds more than its windows show has the rate that leaves, too;
// one that holds a ring has its knee.
func TestLongRunOfSweep(t *testing.T) {
	const capacity = 2000.
	for name, c := range map[string]struct {
		dut  sim.Config
		held float64
	}{
		"bucket":           {sim.Config{Bucket: 2000, Buffer: 1}, 2000},
		"bucket of octets": {sim.Config{Bucket: 500, Buffer: 1, OctetRate: capacity * (512 - 18)}, 500},
		"queue":            {sim.Config{Buffer: 500}, 500},
		"ring":             {sim.Config{Buffer: 16}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if c.dut.Capacity = capacity; c.dut.OctetRate > 0 {
				c.dut.Capacity = 1e6
			}
			c.dut.Latency = 100 * time.Microsecond
			r := run(t, sweepName, flowing(t, c.dut, 16, 512), Params{Maximum: 1e5, Windows: Windows{Time: 10 * time.Second}})
			size, ok := r.Figure(HeldFrames)
			if math.Abs(r.Value/capacity-1) > .03 || ok != (c.held > 0) || ok && math.Abs(size/c.held-1) > .15 {
				t.Errorf("%v (%v to %v), holds %v; want %v, %v; %v", r.Value, r.Lower, r.Upper, size, capacity, c.held, r.Warnings)
			}
		})
	}
}

// Trials that are disturbed put the bounds of a search far too low, so that 2.5 times that is
// no overload: the rate in the long run is then that of a higher one. Where overloads do not
// agree, the result says by how much it may be too high.
func TestLongRunOfDisturbedTrials(t *testing.T) {
	const capacity, least = 22_400., 9_000.
	for name, unsteady := range map[string]bool{"disturbed": false, "unsteady": true} {
		env := flowing(t, sim.Config{Capacity: capacity, Bucket: 20_000, Buffer: 1, Latency: 100 * time.Microsecond}, 16, 64)
		measure := env.Measure
		env.Measure = func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
			r, err := measure(ctx, trial)
			switch {
			case trial.Purpose == throughputName && trial.Intended > least && !unsteady:
				r.Received -= r.Received / 10
			case unsteady && trial.Then != nil && trial.Intended > trial.Then.Intended: // right after an overload
				r.Timeline = nil
			}
			return r, err
		}
		r := run(t, throughputName, env, Params{Maximum: 1e6, Width: .02, Trial: 500 * time.Millisecond})
		_, held := r.Figure(HeldFrames)
		doubted := slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return strings.Contains(w.Text, "% too high") })
		if held == unsteady || doubted != unsteady || !unsteady && math.Abs(r.Value/capacity-1) > .03 {
			t.Errorf("%s: %v (%v to %v), want %v; held %v, %v", name, r.Value, r.Lower, r.Upper, capacity, held, r.Warnings)
		}
	}
}

// A DUT that holds no more than a ring is never told to hold more, whatever the machine does
// to it.
func TestNoLongRun(t *testing.T) {
	for name, c := range map[string]sim.Config{
		"quiet":  {Capacity: 7e5, Buffer: 256, Livelock: .1},
		"shared": {Capacity: 7e5, Buffer: 256, SharedWave: .08, Interruptions: 8, WindowNoise: .02, Noise: .05},
		"stalls": {Capacity: 7e5, Buffer: 256, Interruptions: 16, Interruption: [2]time.Duration{time.Millisecond, 60 * time.Millisecond}, Stalls: 4},
		"speeds": {Capacity: 7e5, Buffer: 256, Speeds: [sim.MaxSpeeds]float64{1, .73, .46}, SpeedTime: 500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range 3 * *healthyCount {
				c.Seed = uint64(seed + 1)
				r := run(t, throughputName, flowing(t, c, 16, 64), Params{Trial: 200 * time.Millisecond, Width: .05, Maximum: 3e6, Loss: .05})
				for _, w := range r.Warnings {
					if w.Code == weir.HeldFrames {
						t.Errorf("seed %d: %s", seed, w.Text)
					}
				}
			}
		})
	}
}
