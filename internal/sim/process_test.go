package sim

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

// shared is the simulated DUT on a machine that others use too.
func shared(seed uint64) Config {
	c := ringed
	c.SharedWave, c.Interruptions, c.WindowNoise, c.Seed = .08, 8, .02, seed
	return c
}

// inTrial is a DUT in the trial of a number.
func inTrial(t *testing.T, c Config, number int) dut {
	t.Helper()
	d, err := sim(t, c).dut(weir.Trial{Number: number})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// correlation of the values of a series with those so many later, whose mean is
// 0, and the standard deviation of it.
func correlation(x []float64, lag int) (correlation, deviation float64) {
	var both, squares float64
	for i, v := range x {
		squares += v * v
		if i+lag < len(x) {
			both += v * x[i+lag]
		}
	}
	n := float64(len(x))
	return both / (n - float64(lag)) / (squares / n), math.Sqrt(squares / n)
}

func TestSimSharedWave(t *testing.T) {
	const length = 300. // s, 200 time constants
	for _, constant := range []time.Duration{0, 500 * ms} {
		c := Config{Capacity: 1, SharedWave: .08, WaveTime: constant, Seed: 11}
		expected := cmp.Or(constant, DefaultWaveTime).Seconds()
		paces, step := inTrial(t, c, 1).wave(length)
		apart(t, "length of the wave", step*float64(len(paces)), length, step)
		var logs []float64
		for _, p := range paces {
			logs = append(logs, math.Log(p))
		}
		_, deviation := correlation(logs, 0)
		apart(t, "deviation of the wave", deviation, .08, .08*4*math.Sqrt(expected/length))
		for _, constants := range []float64{.1, .5, 1} {
			got, _ := correlation(logs, int(constants*expected/step))
			apart(t, "correlation", got, math.Exp(-constants), .2)
		}
	}
	// Each trial begins anywhere in the wave.
	var first []float64
	for n := range 2000 {
		paces, _ := inTrial(t, Config{Capacity: 1, SharedWave: .08, Seed: 3}, n+1).wave(.001)
		first = append(first, math.Log(paces[0]))
	}
	next, deviation := correlation(first, 1)
	apart(t, "deviation at the beginning", deviation, .08, .08*4/math.Sqrt(2*2000))
	apart(t, "correlation of trials", next, 0, 4/math.Sqrt(2000))
	if paces, _ := inTrial(t, Config{Capacity: 1, SharedWave: .08}, 1).wave(1e6); len(paces) != mostWaveSteps/2+1 && len(paces) > mostWaveSteps {
		t.Errorf("a wave of %d steps", len(paces))
	}
}

func TestSimInterruptions(t *testing.T) {
	const length = 1000. // s
	for _, tt := range []struct {
		rate     float64
		of       [2]time.Duration
		from, to float64
	}{
		{.5, [2]time.Duration{}, 1e-3, 30e-3},
		{2, [2]time.Duration{5 * ms, 5 * ms}, 5e-3, 5e-3},
		{8, [2]time.Duration{100 * time.Microsecond, ms}, 1e-4, 1e-3},
	} {
		d := inTrial(t, Config{Capacity: 1, Interruptions: tt.rate, Interruption: tt.of, Seed: 5}, 1)
		stops := d.interruptions(length)
		var logs, sum float64
		last := 0.
		for _, stop := range stops {
			l := stop[1] - stop[0]
			if stop[0] < last || l < tt.from-1e-9 {
				t.Fatalf("an interruption from %v to %v after one until %v", stop[0], stop[1], last)
			}
			last, logs, sum = stop[1], logs+math.Log(l), sum+l
		}
		n, mean := float64(len(stops)), tt.from
		if tt.to > tt.from {
			mean = (tt.to - tt.from) / math.Log(tt.to/tt.from)
		}
		// Those that overlap are one: exp(-rate x mean) of them have the DUT going before.
		apart(t, "number of interruptions", n, length*tt.rate*math.Exp(-tt.rate*mean), 4*math.Sqrt(length*tt.rate))
		apart(t, "time that the DUT stands still", sum/length, 1-math.Exp(-tt.rate*mean), 5*mean*math.Sqrt(2*tt.rate/length)+1e-5)
		spread := math.Log(tt.to/tt.from) / math.Sqrt(12)
		apart(t, "length of the interruptions", logs/n, math.Log(math.Sqrt(tt.from*tt.to)), 4*spread/math.Sqrt(n)+.02)
	}
	var at0 float64
	for n := range 4000 {
		if stops := inTrial(t, Config{Capacity: 1, Interruptions: 8}, n+1).interruptions(.1); len(stops) > 0 && stops[0][0] == 0 {
			at0 += 1. / 4000
		}
	}
	apart(t, "trials that begin with an interruption", at0, 1-math.Exp(-8*29e-3/math.Log(30)), 4*math.Sqrt(.07/4000))

	long := load(1)
	long.Duration = 100 * 24 * time.Hour
	if _, err := sim(t, Config{Capacity: 1, Interruptions: 1}).Measure(t.Context(), long); err == nil || !strings.Contains(err.Error(), "more than the 1048576") {
		t.Errorf("8,640,000 interruptions in a trial: %v", err)
	}
}

func TestSimWindowNoise(t *testing.T) {
	c := ringed
	c.WindowNoise = .02
	var all []weir.Window
	for range 4000 {
		all = append(all, primed(weir.Window{Intended: 2e6, Duration: 5 * ms, Silence: ms}))
	}
	_, got := measuredWindows(t, c, windows(all...))
	var logs []float64
	for _, w := range got {
		logs = append(logs, math.Log(float64(w.Received)/3500))
	}
	next, deviation := correlation(logs, 1)
	apart(t, "deviation of windows", deviation, .02, .02*4/math.Sqrt(2*4000))
	apart(t, "correlation of windows", next, 0, 4/math.Sqrt(4000))
}

// The truth about a trial is what overloads see of it in the mean.
func TestSimCapacityOf(t *testing.T) {
	for seed := range uint64(20) {
		c := shared(seed)
		c.Interruptions, c.Noise, c.FilterCost = 0, .1, .02
		var all []weir.Window
		for range 400 {
			all = append(all, primed(weir.Window{Intended: 2e6, Duration: 5 * ms, Silence: ms}))
		}
		trial := windows(all...)
		trial.Condition = weir.ConditionOf(weir.Filters(10))
		r, got := measuredWindows(t, c, trial)
		truth, err := sim(t, c).CapacityOf(r.Trial)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.
		for _, w := range got {
			sum += math.Log(float64(w.Received)/5e-3) / 400
		}
		apart(t, "capacity of a trial, relative to its windows", truth/math.Exp(sum), 1, 4*.02/math.Sqrt(400))
	}
	trial := load(1)
	trial.Condition.Put(weir.Path("dpdk"))
	if _, err := sim(t, ringed).CapacityOf(trial); err == nil {
		t.Error("a condition that there is not has a capacity")
	}
}

// schedule is one of 25 blocks of 20 loads, of windows of 5 ms.
func schedule() weir.Trial {
	var all []weir.Window
	for i := range 500 {
		w := weir.Window{Intended: 400e3 + 35e3*float64(i*7%20), Duration: 5 * ms, Silence: ms}
		if i%3 == 0 {
			w = primed(w)
		}
		all = append(all, w)
	}
	return windows(all...)
}

// A trial is the same whatever was measured before it, in the same process or
// in another one that goes on with the campaign; others are different.
func TestSimProcessIsOfTheTrial(t *testing.T) {
	for name, trial := range map[string]weir.Trial{"windows": schedule(), "one load": load(800e3)} {
		trial.Number = 42
		fresh := measured(t, sim(t, shared(7)), trial)
		used := sim(t, shared(7))
		measured(t, used, load(10))
		same := cmpopts.IgnoreFields(weir.TrialResult{}, "Start", "Trial")
		if d := gocmp.Diff(fresh, measured(t, used, trial), same); d != "" {
			t.Errorf("%s: trial 42 depends on what was measured before:\n%s", name, d)
		}
		other := trial
		other.Number = 43
		if measured(t, used, other).Received == fresh.Received || measured(t, sim(t, shared(8)), trial).Received == fresh.Received {
			t.Errorf("%s: another trial, or another seed, gives the same", name)
		}
	}
	// One process is as it is whatever the others are.
	c := shared(7)
	before := inTrial(t, c, 1).interruptions(10)
	c.SharedWave, c.WindowNoise = 0, 0
	if !gocmp.Equal(before, inTrial(t, c, 1).interruptions(10)) {
		t.Error("without a wave the interruptions are others")
	}
}

// A trial of one load is one window.
func TestSimSharedTrialOfOneLoad(t *testing.T) {
	c := shared(2)
	c.Jitter = 10 * time.Microsecond
	for _, rate := range []float64{300e3, 680e3, 1e6} {
		one := measured(t, sim(t, c), load(rate))
		got, _ := measuredWindows(t, c, windows(weir.Window{Intended: rate, Duration: time.Second}))
		if d := gocmp.Diff(one, got, cmpopts.IgnoreFields(weir.TrialResult{}, "Start", "Trial", "Windows")); d != "" {
			t.Errorf("(-load +window):\n%s", d)
		}
	}
	trial := load(300e3)
	trial.Tags, trial.Resolution, trial.Variation = weir.Tags{Count: 1000}, ms, true
	r := measured(t, sim(t, c), trial)
	if len(r.Tagged) < 900 || r.Timeline.LastLoss == 0 || r.Variation == nil {
		t.Errorf("%d tagged frames, the last loss at %v", len(r.Tagged), r.Timeline.LastLoss)
	}
	if longest := uint64(slices.Max(r.Tagged)); longest > r.Latency.Max || longest < uint64(ms) {
		t.Errorf("a tagged frame took %d ns of %d", longest, r.Latency.Max)
	}
	trial.Bypass = true
	if r := measured(t, sim(t, c), trial); r.Received != r.Offered || r.Latency.Max != 0 {
		t.Errorf("without the DUT %d of %d came back", r.Received, r.Offered)
	}
}

func BenchmarkSimWindows(b *testing.B) {
	s, err := New(shared(1))
	if err != nil {
		b.Fatal(err)
	}
	trial := schedule()
	for b.Loop() {
		if _, err := s.Measure(b.Context(), trial); err != nil {
			b.Fatal(err)
		}
	}
}
