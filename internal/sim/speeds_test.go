package sim

import (
	"math"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

// several is the simulated DUT with three speeds.
func several(seed uint64) Config {
	c := ringed
	c.Speeds, c.SpeedTime, c.Seed = [MaxSpeeds]float64{1, .73, .46}, 500*ms, seed
	return c
}

// Each speed holds for as long as is asked for in the mean, and for a third of the time.
func TestSimSpeeds(t *testing.T) {
	const length = 2000. // s
	d := inTrial(t, several(3), 1)
	all := d.atSpeeds(0, length)
	share, last, changes := map[float64]float64{}, 0., 0.
	for i, s := range all {
		if i > 0 && s.pace == all[i-1].pace {
			t.Fatalf("stretch %d has the speed of the one before it", i)
		}
		share[s.pace] += (min(s.end, length) - last) / length
		last, changes = s.end, changes+1
	}
	apart(t, "changes", changes, length/.5, 4*math.Sqrt(length/.5))
	for _, speed := range d.speeds() {
		apart(t, "share of a speed", share[speed], 1./3, .05)
	}
	for _, from := range []float64{.1, 7, 500} { // the same, seen from later on
		later := d.atSpeeds(from, 10)
		for _, at := range []float64{0, .4, 3, 9.9} {
			if a, b := paceAt(all, from+at), paceAt(later, at); a != b {
				t.Errorf("%v s after %v s the speed is %v and not %v", at, from, b, a)
			}
		}
	}
}

func paceAt(all []stretch, at float64) float64 {
	for _, s := range all {
		if at < s.end {
			return s.pace
		}
	}
	return math.NaN()
}

// The speeds go on from trial to trial, and an overload shows them.
func TestSimSpeedsGoOn(t *testing.T) {
	c := several(5)
	s := sim(t, c)
	all := inTrial(t, c, 1).atSpeeds(1, 100) // the first trial, number 1, begins after 1 s
	speeds := map[float64]bool{}
	for n := 1; n <= 20; n++ {
		var windows []weir.Window
		for range 100 {
			windows = append(windows, primed(weir.Window{Intended: 2e6, Duration: 5 * ms, Silence: ms}))
		}
		trial := weir.Trial{Number: n, Windows: windows}
		r := measured(t, s, trial)
		whole := 0
		for i, w := range r.Windows {
			at := float64(n-1)*trial.Length().Seconds() + w.Begin.Seconds()
			from, until := paceAt(all, at), paceAt(all, at+.005)
			if speeds[from] = true; from != until {
				continue
			}
			whole++
			apart(t, "rate of a window", float64(w.Received)/5e-3, 700e3*from, 2e3)
			if i == 0 && n == 1 && trial.Length() != time.Duration(100)*windows[0].Length() {
				t.Error("trials have pauses between windows")
			}
		}
		if whole < 90 {
			t.Errorf("trial %d has %d windows in which the speed stays", n, whole)
		}
	}
	if len(speeds) != 3 {
		t.Errorf("20 trials have met the speeds %v", speeds)
	}
}

// A trial that is performed again is the same, and its truth is that of the speeds it met.
func TestSimSpeedsAgain(t *testing.T) {
	s := sim(t, several(2))
	var all []weir.Window
	for range 400 {
		all = append(all, primed(weir.Window{Intended: 2e6, Duration: 5 * ms, Silence: ms}))
	}
	trial := windows(all...)
	trial.Number = 7
	first := measured(t, s, trial)
	measured(t, s, load(10))
	if d := gocmp.Diff(first, measured(t, s, trial), cmpopts.IgnoreFields(weir.TrialResult{}, "Start", "Trial")); d != "" {
		t.Errorf("the second time:\n%s", d)
	}
	truth, err := s.CapacityOf(trial)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.
	for _, w := range first.Windows {
		sum += math.Log(float64(w.Received)/5e-3) / 400
	}
	apart(t, "capacity of a trial, relative to its windows", truth/math.Exp(sum), 1, .01)
	trial.Bypass = true
	if r := measured(t, s, trial); r.Received != r.Offered {
		t.Errorf("without the DUT %d of %d came back", r.Received, r.Offered)
	}
}

func TestSimMultiply(t *testing.T) {
	end := math.Inf(1)
	got := multiply([]stretch{{1, 1}, {2, 0}, {end, 1}}, []stretch{{.5, .7}, {2, 1}, {end, .4}})
	want := []stretch{{.5, .7}, {1, 1}, {2, 0}, {end, .4}}
	if d := gocmp.Diff(want, got, gocmp.AllowUnexported(stretch{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
