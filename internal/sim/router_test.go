package sim

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
)

func sim(t *testing.T, c Config) *Router {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// measured is the result of one simulated trial, checked for what holds of
// every one.
func measured(t *testing.T, s *Router, trial weir.Trial) weir.TrialResult {
	t.Helper()
	r, err := s.Measure(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Simulated || r.Backend != "sim" {
		t.Errorf("the result is not marked as simulated: %v, %q", r.Simulated, r.Backend)
	}
	if r.Latency.N != r.Received || r.Ledger.Unexplained != 0 || len(r.Streams) != trial.Traffic.Ports() {
		t.Errorf("%d received, %d latencies, %d unexplained, %d streams", r.Received, r.Latency.N, r.Ledger.Unexplained, len(r.Streams))
	}
	var sum weir.StreamResult
	for _, stream := range r.Streams {
		sum.Sent += stream.Sent
		sum.Received += stream.Received
		sum.Lost += stream.Lost
	}
	if sum.Sent != r.Offered || sum.Received != r.Received || sum.Lost != r.Offered-r.Received {
		t.Errorf("streams add up to %+v, want %d sent and %d received", sum, r.Offered, r.Received)
	}
	return r
}

func load(intended float64) weir.Trial {
	return weir.Trial{Number: 1, Intended: intended, Duration: time.Second}
}

func both(t weir.Trial) weir.Trial {
	t.Traffic.Bidirectional = true
	return t
}

func TestSimLoss(t *testing.T) {
	plain := Config{Capacity: 1_000_000, Buffer: 256}
	livelock := Config{Capacity: 1_000_000, Buffer: 256, Livelock: .5}
	long := load(1_000_100)
	long.Duration = 60 * time.Second
	tests := []struct {
		name              string
		config            Config
		trial             weir.Trial
		offered, received uint64
	}{
		{"below capacity", plain, load(900_000), 900_000, 900_000},
		{"at capacity", plain, load(1_000_000), 1_000_000, 1_000_000},
		{"the buffer holds the excess", plain, load(1_000_256), 1_000_256, 1_000_256},
		{"and no frame more", plain, load(1_000_257), 1_000_257, 1_000_256},
		{"for long", plain, long, 60_006_000, 60_000_256},
		{"twice the capacity", plain, load(2_000_000), 2_000_000, 1_000_256},
		{"both directions share the capacity", plain, both(load(1_000_000)), 2_000_000, 1_000_256},
		{"livelock", livelock, load(2_000_000), 2_000_000, 500_256},
		{"complete livelock", livelock, load(4_000_000), 4_000_000, 256},
		{"maximum", plain, weir.Trial{Maximum: true, Duration: time.Second}, Ceiling, 1_000_256},
		{"more than the tester can send", plain, load(2 * Ceiling), Ceiling, 1_000_256},
		{"bypass", plain, weir.Trial{Maximum: true, Bypass: true, Duration: time.Second}, Ceiling, Ceiling},
		{"bypass in both directions", plain, both(weir.Trial{Maximum: true, Bypass: true, Duration: time.Second}), 2 * Ceiling, 2 * Ceiling},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := measured(t, sim(t, tt.config), tt.trial)
			if r.Offered != tt.offered || r.Received != tt.received {
				t.Errorf("%d of %d frames came back, want %d of %d", r.Received, r.Offered, tt.received, tt.offered)
			}
			want := weir.Balance(tt.offered, tt.received, []weir.Drop{{Place: "sim buffer full", Count: tt.offered - tt.received}})
			if d := cmp.Diff(want, r.Ledger); d != "" {
				t.Errorf("ledger (-want +got):\n%s", d)
			}
		})
	}
}

func TestSimLatency(t *testing.T) {
	c := Config{Capacity: 1_000_000, Buffer: 1000, Latency: 20 * time.Microsecond}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > want*weir.HistogramError {
			t.Errorf("%s is %v s, want %v", name, got, want)
		}
	}
	r := measured(t, sim(t, c), load(500_000))
	near("latency below capacity", r.Latency.Quantile(0), 20e-6)
	near("latency below capacity", r.Latency.Quantile(1), 20e-6)

	// 1000 frames at 1 us each wait before the last one; at twice the
	// capacity the queue is full after a thousandth of the trial.
	r = measured(t, sim(t, c), load(2_000_000))
	near("highest latency at overload", r.Latency.Quantile(1), 1020e-6)
	near("median latency at overload", r.Latency.Quantile(.5), 1020e-6)
	near("mean latency at overload", r.Latency.Mean(), 1020e-6-2000*500e-6/1_001_000)
	if low := r.Latency.Quantile(0); low < 20e-6 || low > 20e-6+1000e-6/queuePoints {
		t.Errorf("lowest latency at overload is %v s", low)
	}

	// The excess of 500 frames fills half of the queue by the end.
	r = measured(t, sim(t, c), load(1_000_500))
	near("mean latency of a queue that grows", r.Latency.Mean(), 270e-6)

	c.Livelock = 1
	r = measured(t, sim(t, c), load(3_000_000))
	near("latency of frames that are stuck", r.Latency.Quantile(1), 1+20e-6)
}

func TestSimCPU(t *testing.T) {
	for intended, want := range map[float64]time.Duration{250_000: 250 * time.Millisecond, 1_000_000: time.Second, 3_000_000: time.Second} {
		if r := measured(t, sim(t, Config{Capacity: 1_000_000}), load(intended)); r.DUTCPU != want {
			t.Errorf("at %v frames/s the DUT spent %v, want %v", intended, r.DUTCPU, want)
		}
	}
}

func TestSimNoise(t *testing.T) {
	const trials = 1000
	c := Config{Capacity: 1_000_000, Noise: .05, Seed: 7}
	rates := func(c Config, numbered bool) (out []float64) {
		s := sim(t, c)
		for i := range trials {
			trial := load(2_000_000)
			if trial.Number = i + 1; !numbered {
				trial.Number = 0
			}
			out = append(out, measured(t, s, trial).ForwardingRate())
		}
		return out
	}
	got := rates(c, true)
	var sum, squares float64
	for _, v := range got {
		sum += v
		squares += (v - 1e6) * (v - 1e6)
	}
	if mean := sum / trials; math.Abs(mean-1e6) > 4*50_000/math.Sqrt(trials) {
		t.Errorf("mean capacity %v", mean)
	}
	if deviation := math.Sqrt(squares / trials); math.Abs(deviation-50_000) > 5000 {
		t.Errorf("deviation of the capacity %v, want 50000", deviation)
	}
	if d := cmp.Diff(got, rates(c, false)); d != "" {
		t.Error("counted trials differ from numbered ones")
	}
	c.Seed = 8
	if cmp.Equal(got, rates(c, true)) {
		t.Error("another seed gives the same capacities")
	}
	c.Noise = 1
	for _, v := range rates(c, true) {
		if !(v > 0) {
			t.Fatalf("capacity %v", v)
		}
	}
}

func TestSimTrialIsTheSameAgain(t *testing.T) {
	c := Config{Capacity: 1_000_000, Noise: .1, Seed: 3, Buffer: 64}
	trial := load(1_200_000)
	trial.Number = 42
	fresh := measured(t, sim(t, c), trial)
	used := sim(t, c)
	measured(t, used, load(10))
	if d := cmp.Diff(fresh, measured(t, used, trial), cmpopts.IgnoreFields(weir.TrialResult{}, "Start", "Trial")); d != "" {
		t.Errorf("trial 42 depends on what was measured before:\n%s", d)
	}
}

func TestSimErrors(t *testing.T) {
	for want, c := range map[string]Config{
		"capacity": {Capacity: math.NaN()},
		"buffer":   {Capacity: 1, Buffer: -1},
		"latency":  {Capacity: 1, Latency: -1},
		"livelock": {Capacity: 1, Livelock: -1},
		"noise":    {Capacity: 1, Noise: 1.5},
		"jitter":   {Capacity: 1, Jitter: -1},
		"recovery": {Capacity: 1, Recovery: -1},
		"reset":    {Capacity: 1, Reset: -1},
		"learning": {Capacity: 1, Learning: math.Inf(1)},
		"routes":   {Capacity: 1, RouteCost: 1},
		"filters":  {Capacity: 1, FilterCost: -1},
		"runs":     {Capacity: 1, RunNoise: 1.1},
		"wave":     {Capacity: 1, Wave: -1},
		"drift":    {Capacity: 1, Drift: -1},
		"firewall": {Capacity: 1, FirewallCost: math.NaN()},
		"XDP":      {Capacity: 1, XDPGain: -1},

		"shared wave":                      {Capacity: 1, SharedWave: 2},
		"time of the wave":                 {Capacity: 1, WaveTime: -1},
		"number of interruptions":          {Capacity: 1, Interruptions: math.NaN()},
		"interruptions: lengths of":        {Capacity: 1, Interruption: [2]time.Duration{2, 1}},
		"above 0, the shortest":            {Capacity: 1, Interruption: [2]time.Duration{0, 1}},
		"window noise":                     {Capacity: 1, WindowNoise: -1},
		"number of stalls":                 {Capacity: 1, Stalls: 1001},
		"stalls of the generator: lengths": {Capacity: 1, Stall: [2]time.Duration{-1, 1}},
		"speeds":                           {Capacity: 1, Speeds: [MaxSpeeds]float64{1, 0, 1}},
		"time of a speed":                  {Capacity: 1, SpeedTime: -1},
		"bucket":                           {Capacity: 1, Bucket: -1},
	} {
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name the %s", err, want)
		}
	}
	s := sim(t, Config{Capacity: 1})
	if _, err := s.Measure(t.Context(), weir.Trial{Intended: 1}); err == nil {
		t.Error("a trial without a duration is performed")
	}
	if _, err := s.Measure(t.Context(), load(0)); err == nil {
		t.Error("a trial without a load is performed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Measure(ctx, load(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}
