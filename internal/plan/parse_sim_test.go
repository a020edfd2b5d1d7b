package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir/internal/sim"
)

// Every truth about a simulated router can be set in a plan.
func TestSimulatedTestbedOfAPlan(t *testing.T) {
	text := "testbed: {kind: sim, capacity: 2M, buffer: 99, latency: 1us, jitter: 2us, livelock: 0.3, noise: 0.04, seed: 5," +
		" recovery: 6ms, reset: 7s, learning: 8k, route_cost: 0.09, filter_cost: 0.1," +
		" firewall_cost: 0.2, xdp_gain: 3, napi_cost: 0.3, mtu: 9000, disk: 200 MB, run_noise: 0.01, wave: 0.05, drift: -0.001," +
		" shared_wave: 8%, wave_time: 2s, interruptions: 8, interruption: [1ms, 30ms], window_noise: 0.02, stalls: 4, stall: [2ms, 3ms], bucket: 5, speeds: [1, 73%, 0.46], speed_time: 3s}\n"
	p, err := Parse("sim.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := sim.Config{
		Capacity: 2e6, Buffer: 99, Latency: time.Microsecond, Jitter: 2 * time.Microsecond, Livelock: .3, Noise: .04, Seed: 5,
		Recovery: 6 * time.Millisecond, Reset: 7 * time.Second, Learning: 8000, RouteCost: .09, FilterCost: .1,
		FirewallCost: .2, XDPGain: 3, NAPICost: .3, MTU: 9000, Disk: 200e6, RunNoise: .01, Wave: .05, Drift: -.001,
		SharedWave: .08, WaveTime: 2 * time.Second, Interruptions: 8, Interruption: [2]time.Duration{time.Millisecond, 30 * time.Millisecond},
		WindowNoise: .02, Stalls: 4, Stall: [2]time.Duration{2 * time.Millisecond, 3 * time.Millisecond}, Bucket: 5,
		Speeds: [sim.MaxSpeeds]float64{1, .73, .46}, SpeedTime: 3 * time.Second,
	}
	if d := cmp.Diff(want, p.Testbed.Sim); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	p, err = Parse("sim.yaml", []byte("testbed: {kind: sim, interruption: 5ms}\n"))
	if want := 5 * time.Millisecond; err != nil || p.Testbed.Sim.Interruption != [2]time.Duration{want, want} {
		t.Errorf("one length: %v, %v", p.Testbed.Sim.Interruption, err)
	}
	for field, value := range map[string]string{"jitter": "2", "recovery": "-1s", "reset": "soon", "learning": "0", "route_cost": "1", "filter_cost": "-1",
		"firewall_cost": "-2", "xdp_gain": "0", "napi_cost": "1", "mtu": "60", "disk": "fast", "run_noise": "1.6", "wave": "1.5", "drift": "1.5",
		"shared_wave": "160%", "wave_time": "0s", "interruptions": "1001", "stalls": "-1", "stall": "2m", "window_noise": "-1", "speeds": "[1, 0]", "speed_time": "0s", "bucket": "-5"} {
		_, err := Parse("sim.yaml", []byte(strings.ReplaceAll("testbed: {kind: sim, FIELD: "+value+"}\n", "FIELD", field)))
		if err == nil || !strings.Contains(err.Error(), value) {
			t.Errorf("%s: %s is taken, or the error does not show it: %v", field, value, err)
		}
	}
	if _, err := Parse("sim.yaml", []byte("testbed: {kind: sim, speeds: [1, 2, 3, 4, 5, 6, 7, 8, 9]}\n")); err == nil || !strings.Contains(err.Error(), "9 speeds are more than the 8") {
		t.Errorf("nine speeds: %v", err)
	}
	for value, want := range map[string]string{
		"[30ms, 1ms]":     "the shortest and the longest",
		"[1ms, 2ms, 3ms]": "the shortest and the longest",
		"[0s, 1ms]":       "0s is outside of 1µs",
		"[1, 30]":         "needs a unit",
		"[]":              "is empty",
	} {
		if _, err := Parse("sim.yaml", []byte("testbed: {kind: sim, interruption: "+value+"}\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("interruption: %s: %v, want %q", value, err, want)
		}
	}
}
