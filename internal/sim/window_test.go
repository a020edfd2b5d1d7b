package sim

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

// ringed is the simulated DUT of these tests: a ring of 256 frames, which is
// 0.37 ms of its 700,000 frames/s.
var ringed = Config{Capacity: 700_000, Buffer: 256, Latency: 20 * time.Microsecond, Seed: 1}

func windows(all ...weir.Window) weir.Trial { return weir.Trial{Number: 1, Windows: all} }

// window is one of 10 ms, with silence enough after it to empty the ring.
func window(load float64) weir.Window {
	return weir.Window{Intended: load, Duration: 10 * ms, Silence: ms}
}

func primed(w weir.Window) weir.Window {
	w.Prime = &weir.Phase{Intended: Ceiling, Duration: 16 * time.Microsecond} // 320 frames
	return w
}

// measuredWindows is what became of the windows of a trial, checked for what
// holds of every one.
func measuredWindows(t *testing.T, c Config, trial weir.Trial) (weir.TrialResult, []weir.WindowResult) {
	t.Helper()
	r := measured(t, sim(t, c), trial)
	if len(r.Windows) != len(trial.Windows) {
		t.Fatalf("%d of %d windows came back", len(r.Windows), len(trial.Windows))
	}
	var sent, received uint64
	var longest time.Duration
	begin := time.Duration(0)
	for i, w := range r.Windows {
		asked := trial.Windows[i]
		if asked.Prime != nil {
			begin += asked.Prime.Duration
		}
		sent, received, longest = sent+w.Sent+w.PrimeSent, received+w.Received+w.PrimeReceived, max(longest, w.Delay)
		if w.Begin != begin || w.Preempted != -1 || w.Received > w.Sent || w.PrimeReceived > w.PrimeSent || w.LostRun > w.Lost() || (w.LostRun > 0) != (w.Lost() > 0) {
			t.Errorf("window %d, which began after %v: %+v", i+1, begin, w)
		}
		begin += asked.Duration + asked.Silence
	}
	if sent != r.Offered || received != r.Received || r.Latency.Max < uint64(longest) {
		t.Errorf("the windows sent %d and received %d, the trial %d and %d; delays up to %v and %v ns", sent, received, r.Offered, r.Received, longest, r.Latency.Max)
	}
	if r.DUTCPU < 0 || r.DUTIdle < 0 || r.DUTCPU+r.DUTIdle > r.Sending || r.Sending != trial.Length() {
		t.Errorf("busy for %v, idle for %v, of %v", r.DUTCPU, r.DUTIdle, r.Sending)
	}
	return r, r.Windows
}

func TestSimWindows(t *testing.T) {
	const full = 365714 * time.Nanosecond // the ring
	frame := seconds(1 / 700e3)
	for name, tt := range map[string]struct {
		windows []weir.Window
		want    []weir.WindowResult // but for their times
	}{
		"nothing is lost up to the capacity": {
			[]weir.Window{window(100e3), window(699_900), window(700e3), primed(window(700e3))},
			[]weir.WindowResult{
				{Sent: 1000, Received: 1000, ReceiverGap: 10 * time.Microsecond},
				{Sent: 6999, Received: 6999, ReceiverGap: seconds(1 / 699_900.)},
				{Sent: 7000, Received: 7000, ReceiverGap: frame},
				{Sent: 7000, Received: 7000, PrimeSent: 320, PrimeReceived: 267, Delay: full, ReceiverGap: frame},
			},
		},
		"the ring hides an overload": {
			[]weir.Window{window(725_600), window(725_700), window(1.4e6)},
			[]weir.WindowResult{
				{Sent: 7256, Received: 7256, Delay: full, ReceiverGap: frame},
				{Sent: 7257, Received: 7256, Delay: full, ReceiverGap: frame, LostRun: 1},
				{Sent: 14000, Received: 7256, Delay: full, ReceiverGap: frame, LostRun: 1},
			},
		},
		"but not once it is full": {
			[]weir.Window{primed(window(725_600)), primed(window(1.4e6)), primed(window(7e6))},
			[]weir.WindowResult{
				{Sent: 7256, Received: 7000, PrimeSent: 320, PrimeReceived: 267, Delay: full, ReceiverGap: frame, LostRun: 1},
				{Sent: 14000, Received: 7000, PrimeSent: 320, PrimeReceived: 267, Delay: full, ReceiverGap: frame, LostRun: 1},
				{Sent: 70000, Received: 7000, PrimeSent: 320, PrimeReceived: 267, Delay: full, ReceiverGap: frame, LostRun: 9},
			},
		},
		"the next window finds what the one before has left": {
			[]weir.Window{
				{Intended: 1.4e6, Duration: 10 * ms},
				{Intended: 1.4e6, Duration: 10 * ms, Silence: 200 * time.Microsecond}, // in which 140 leave
				{Intended: 1.4e6, Duration: 10 * ms},
				{Intended: 350e3, Duration: 10 * ms},
				{Intended: 1.4e6, Duration: 10 * ms},
			},
			[]weir.WindowResult{
				{Sent: 14000, Received: 7256, Delay: full, ReceiverGap: frame, LostRun: 1},
				{Sent: 14000, Received: 7000, Delay: full, ReceiverGap: frame, LostRun: 1},
				{Sent: 14000, Received: 7140, Delay: full, ReceiverGap: frame, LostRun: 1},
				{Sent: 3500, Received: 3500, Delay: full, ReceiverGap: seconds(1 / 350e3)},
				{Sent: 14000, Received: 7256, Delay: full, ReceiverGap: frame, LostRun: 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := measuredWindows(t, ringed, windows(tt.windows...))
			for i, w := range got {
				w.Begin, w.Preempted, w.Delay = 0, 0, w.Delay-ringed.Latency
				if math.Abs(float64(w.Delay-tt.want[i].Delay)) > 10 || math.Abs(float64(w.ReceiverGap-tt.want[i].ReceiverGap)) > 10 {
					t.Errorf("window %d: delay %v, gap %v, want %v and %v", i+1, w.Delay, w.ReceiverGap, tt.want[i].Delay, tt.want[i].ReceiverGap)
				}
				w.Delay, w.ReceiverGap = tt.want[i].Delay, tt.want[i].ReceiverGap
				if d := cmp.Diff(tt.want[i], w); d != "" {
					t.Errorf("window %d (-want +got):\n%s", i+1, d)
				}
			}
		})
	}
}

// What changes the capacity of other trials does so here, and the tester has no
// more to send.
func TestSimWindowsOfAnyTrial(t *testing.T) {
	one := func(c Config, w weir.Window, change func(*weir.Trial)) weir.WindowResult {
		t.Helper()
		trial := windows(w)
		change(&trial)
		_, got := measuredWindows(t, c, trial)
		return got[0]
	}
	livelock := ringed
	livelock.Livelock = .5
	filtered := ringed
	filtered.FilterCost = .02
	long := weir.Window{Intended: 1.4e6, Duration: time.Second}
	for name, tt := range map[string]struct {
		got      weir.WindowResult
		sent, of uint64
	}{
		"plain":     {one(ringed, long, func(*weir.Trial) {}), 1_400_000, 700_256},
		"livelock":  {one(livelock, long, func(*weir.Trial) {}), 1_400_000, 350_256},
		"filters":   {one(filtered, long, func(t *weir.Trial) { t.Condition.Put(weir.Filters(50)) }), 1_400_000, 350_256},
		"ceiling":   {one(ringed, weir.Window{Intended: 1e9, Duration: 10 * ms}, func(*weir.Trial) {}), 200_000, 7256},
		"bypass":    {one(ringed, long, func(t *weir.Trial) { t.Bypass = true }), 1_400_000, 1_400_000},
		"one frame": {one(ringed, weir.Window{Intended: 1000, Duration: ms}, func(t *weir.Trial) { t.Resolution = ms }), 1, 1},
		"reset":     {one(ringed, weir.Window{Intended: 100e3, Duration: time.Second}, reset(100*ms)), 100_000, 100_000},
		"announce": {one(ringed, weir.Window{Intended: 100e3, Duration: 100 * ms}, func(t *weir.Trial) {
			t.Event = &weir.Event{Name: "announce", After: 50 * ms}
			t.Condition.Put(weir.RouteSet{Count: 10})
		}), 10_000, 5000},
	} {
		if tt.got.Sent != tt.sent || tt.got.Received != tt.of {
			t.Errorf("%s: %d of %d frames came back, want %d of %d", name, tt.got.Received, tt.got.Sent, tt.of, tt.sent)
		}
	}
	down := ringed
	down.Reset = 20 * ms
	lost := one(down, weir.Window{Intended: 100e3, Duration: 100 * ms}, reset(30*ms))
	if lost.Lost() != 2000 || lost.LostRun != 2000 {
		t.Errorf("after a reset of 20 ms: %+v", lost)
	}
	apart(t, "gap of a reset", lost.ReceiverGap.Seconds(), .02, 1.1e-5)
}

func reset(after time.Duration) func(*weir.Trial) {
	return func(t *weir.Trial) { t.Event = &weir.Event{Name: "reset", After: after} }
}

func TestSimWindowsOfPorts(t *testing.T) {
	side := func(w weir.Window, n int) weir.Window { w.Side = n; return w }
	trial := both(windows(window(700e3), side(window(700e3), 1), side(window(1.4e6), 2), side(primed(window(100e3)), 2)))
	r, got := measuredWindows(t, ringed, trial)
	for i, want := range [][2]uint64{{14000, 7256}, {7000, 7000}, {14000, 7256}, {1000, 1000}} {
		if got[i].Sent != want[0] || got[i].Received != want[1] {
			t.Errorf("window %d: %+v, want %v", i+1, got[i], want)
		}
	}
	want := []weir.StreamResult{
		{Stream: 0, Direction: "forward", Sent: 14000, Received: 3628 + 7000, Lost: 3372},
		{Stream: 1, Direction: "reverse", Sent: 7000 + 14000 + 1320, Received: 3628 + 7256 + 1000 + 267, Lost: 3372 + 6744 + 53},
	}
	if d := cmp.Diff(want, r.Streams); d != "" {
		t.Errorf("streams (-want +got):\n%s", d)
	}
}

// A token bucket without a queue is a limit of nftables, one with a queue is tbf.
func TestSimPolicer(t *testing.T) {
	over := weir.Window{Intended: 60e3, Duration: 100 * ms} // 6000 frames, of which the rate lets 5000 pass
	for name, tt := range map[string]struct {
		bucket, buffer int
		received       uint64
		delay          time.Duration
	}{
		"limit": {5, 0, 5005, 0},
		"tbf":   {167, 333, 5500, 6660 * time.Microsecond},
	} {
		c := Config{Capacity: 50e3, Bucket: tt.bucket, Buffer: tt.buffer}
		_, got := measuredWindows(t, c, windows(over))
		if got[0].Received != tt.received || got[0].Delay.Round(time.Microsecond) != tt.delay {
			t.Errorf("%s: %+v, want %d and %v", name, got[0], tt.received, tt.delay)
		}
		trial := load(60e3)
		trial.Duration = 100 * ms
		if r := measured(t, sim(t, c), trial); r.Received != tt.received || time.Duration(r.Latency.Max).Round(time.Microsecond) != tt.delay {
			t.Errorf("%s in a trial of one load: %d came back, after up to %d ns", name, r.Received, r.Latency.Max)
		}
	}
}

// Windows that follow each other without silence are the trial of two loads.
func TestSimWindowsAndPhases(t *testing.T) {
	c := ringed
	c.Jitter = 10 * time.Microsecond
	trial := load(900e3)
	trial.Duration, trial.Then = 100*ms, &weir.Phase{Intended: 500e3, Duration: 50 * ms}
	trial.Resolution = ms
	phases := measured(t, sim(t, c), trial)
	trial = windows(weir.Window{Intended: 900e3, Duration: 100 * ms}, weir.Window{Intended: 500e3, Duration: 50 * ms})
	trial.Resolution = ms
	got, _ := measuredWindows(t, c, trial)
	ignored := cmpopts.IgnoreFields(weir.TrialResult{}, "Start", "Trial", "Latency", "Windows", "DUTCPU", "DUTIdle")
	if d := cmp.Diff(phases, got, ignored); d != "" {
		t.Errorf("(-phases +windows):\n%s", d)
	}
	for _, q := range []float64{.25, .5, .75, 1} {
		apart(t, "latency", got.Latency.Quantile(q), phases.Latency.Quantile(q), .02*phases.Latency.Quantile(q))
	}
	apart(t, "mean latency", got.Latency.Mean(), phases.Latency.Mean(), .005*phases.Latency.Mean())
	apart(t, "busy", got.DUTCPU.Seconds(), phases.DUTCPU.Seconds(), 256/700e3)
}

func TestSimWindowsThatCannotBe(t *testing.T) {
	transfer := windows(window(1))
	transfer.Transfer = &weir.Transfer{Program: "tcp"}
	backward := both(windows(window(1)))
	backward.Traffic.Backward = true
	load := windows(window(1))
	load.Intended = 1
	for want, trial := range map[string]weir.Trial{
		"simulated trial: window 1: 0 frames/s":     windows(window(0)),
		"simulated trial: a trial of windows has":   load,
		"simulated trial: a transfer has no window": transfer,
		"in both directions":                        backward,
	} {
		if _, err := sim(t, ringed).Measure(t.Context(), trial); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// What a window is held with comes after its priming and before its pause, and is
// counted with neither.
func TestSimulatedHold(t *testing.T) {
	trial := weir.Trial{Windows: []weir.Window{{
		Intended: 1e6, Duration: 10 * time.Millisecond, Silence: time.Millisecond,
		Prime: &weir.Phase{Intended: 2e6, Duration: time.Millisecond}, Pause: 100 * time.Microsecond,
	}}}
	dut, err := New(Config{Capacity: 7e5, Buffer: 256})
	if err != nil {
		t.Fatal(err)
	}
	a, err := dut.Measure(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	trial.Windows[0].Hold = &weir.Phase{Intended: 7e5, Duration: 2 * time.Millisecond}
	b, err := dut.Measure(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	held, before := b.Windows[0], a.Windows[0]
	if held.Begin != before.Begin+2*time.Millisecond || b.Offered != a.Offered+1400 || b.Received != a.Received+1400 {
		t.Errorf("held from %v on, %d of %d frames; not held from %v on, %d of %d", held.Begin, b.Received, b.Offered, before.Begin, a.Received, a.Offered)
	}
	held.Begin = before.Begin
	if held != before {
		t.Errorf("held it is %+v, not held %+v", held, before)
	}
}
