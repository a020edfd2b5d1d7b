package weir

import (
	"math"
	"testing"
	"time"
)

func result(intended float64, d time.Duration, offered, received uint64) TrialResult {
	return TrialResult{Trial: Trial{Intended: intended, Duration: d, Traffic: Traffic{Sizes: []Size{64}}}, Offered: offered, Received: received}
}

func TestLossRatio(t *testing.T) {
	both := result(1000, time.Second, 2000, 1500)
	both.Trial.Traffic.Bidirectional = true
	most := result(0, time.Second, 4000, 1000)
	most.Trial.Maximum = true
	for _, c := range []struct {
		name  string
		r     TrialResult
		loss  float64
		short bool
	}{
		{"none", result(1000, time.Second, 1000, 1000), 0, false},
		{"half", result(1000, time.Second, 1000, 500), .5, false},
		{"all", result(1000, time.Second, 1000, 0), 1, false},
		{"nothing sent", result(1000, time.Second, 0, 0), 1, true},
		{"not sent counts as lost", result(1000, time.Second, 900, 900), .1, true},
		{"one frame fewer is forgiven", result(1000, time.Second, 999, 999), 0, false},
		{"10 us worth is forgiven", result(1e6, time.Second, 999_990, 999_990), 0, false},
		{"11 us worth is not", result(1e6, time.Second, 999_989, 999_989), 11e-6, true},
		{"negative", result(1000, time.Second, 1000, 1001), -.001, false},
		{"both directions", both, .25, false},
		{"maximum load intends nothing", most, .75, false},
	} {
		if got := c.r.LossRatio(); math.Abs(got-c.loss) > 1e-12 || c.r.Short() != c.short {
			t.Errorf("%s: loss %v, short %v; want %v, %v", c.name, got, c.r.Short(), c.loss, c.short)
		}
	}
}

func TestUntold(t *testing.T) {
	for _, c := range []struct {
		name  string
		r     TrialResult
		ratio float64
		want  bool
	}{
		{"all came back", result(1000, time.Second, 1000, 1000), 0, false},
		{"a loss", result(1000, time.Second, 1000, 900), 0, false},
		{"less was sent, and all of it came back", result(1000, time.Second, 900, 900), 0, true},
		{"nothing was sent", result(1000, time.Second, 0, 0), 0, true},
		{"less was sent, and some of it was lost", result(1000, time.Second, 900, 800), 0, false},
		{"no more than the goal allows", result(1000, time.Second, 900, 896), .005, true},
		{"so little was not sent that the goal is met", result(1000, time.Second, 996, 996), .005, false},
		{"more came back than were sent", result(1000, time.Second, 900, 1001), 0, false},
	} {
		if got := c.r.Inconclusive(c.ratio); got != c.want {
			t.Errorf("%s: inconclusive %v", c.name, got)
		}
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		intended float64
		d        time.Duration
		both     bool
		want     uint64
	}{
		{1000, time.Second, false, 1000},
		{1000, time.Second, true, 2000},
		{999.5, time.Second, false, 1000}, // rounded, for each port
		{999.4, time.Second, true, 1998},
		{1, 100 * time.Millisecond, false, 0},
	} {
		trial := Trial{Intended: c.intended, Duration: c.d, Traffic: Traffic{Bidirectional: c.both}}
		if got := trial.Frames(); got != c.want {
			t.Errorf("%v frames/s for %v: %d frames, want %d", c.intended, c.d, got, c.want)
		}
	}
}

func TestRates(t *testing.T) {
	r := result(1000, 2*time.Second, 2000, 1000)
	r.Sending, r.DUTCPU = 1900*time.Millisecond, time.Second
	if r.OfferedRate() != 1000 || r.ForwardingRate() != 500 || r.CPUPerFrame() != .001 {
		t.Errorf("%v offered, %v forwarded, %v s a frame", r.OfferedRate(), r.ForwardingRate(), r.CPUPerFrame())
	}
	// A trial at maximum load is as long as it was, not as long as was asked.
	r.Trial.Maximum, r.Sending = true, time.Second
	if r.OfferedRate() != 2000 {
		t.Errorf("%v offered at maximum load", r.OfferedRate())
	}
	if (TrialResult{}).ForwardingRate() != 0 || (TrialResult{}).CPUPerFrame() != 0 || (TrialResult{}).LossRatio() != 0 {
		t.Error("an empty result has rates")
	}
}

func TestBalance(t *testing.T) {
	l := Balance(100, 60, []Drop{{Place: "ring", Count: 30}, {Place: "nothing"}, {Place: "filter", Count: 4}})
	if len(l.Drops) != 2 || l.Unexplained != 6 {
		t.Errorf("%+v", l)
	}
	if l := Balance(100, 90, []Drop{{Place: "ring", Count: 30}}); l.Unexplained != -20 {
		t.Errorf("counters that claim too much: %+v", l)
	}
}
