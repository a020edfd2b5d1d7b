package plan

import (
	"math"
	"time"

	"weir/internal/schema"
	"weir/internal/sim"
)

// Bounds of what a plan may ask of a simulated DUT.
const (
	mostInterruptions    = 1000 // a second, and stalls
	shortestInterruption = time.Microsecond
	longestInterruption  = time.Minute
)

// simFields are the parameters of a simulated DUT.
func simFields(s *sim.Config) []field {
	return []field{
		scalarField("capacity", &s.Capacity, schema.Rate),
		scalarField("buffer", &s.Buffer, schema.Int),
		scalarField("latency", &s.Latency, schema.Duration),
		scalarField("jitter", &s.Jitter, schema.Duration),
		scalarField("livelock", &s.Livelock, schema.Fraction),
		scalarField("noise", &s.Noise, schema.Within(schema.Fraction, 0, 0.5)),
		scalarField("seed", &s.Seed, schema.Uint64),
		scalarField("recovery", &s.Recovery, schema.Duration),
		scalarField("reset", &s.Reset, schema.Duration),
		scalarField("learning", &s.Learning, schema.Rate),
		scalarField("route_cost", &s.RouteCost, schema.Within(schema.Fraction, 0, 0.9)),
		scalarField("filter_cost", &s.FilterCost, schema.Fraction),
		scalarField("firewall_cost", &s.FirewallCost, schema.Fraction),
		scalarField("napi_cost", &s.NAPICost, schema.Within(schema.Fraction, 0, 0.9)),
		scalarField("mtu", &s.MTU, schema.Within(schema.Int, 576, 65535)),
		scalarField("disk", &s.Disk, func(v string) (float64, error) { n, err := schema.Octets(v); return float64(n), err }),
		scalarField("xdp_gain", &s.XDPGain, schema.Within(schema.Fraction, 0.01, 100)),
		scalarField("run_noise", &s.RunNoise, schema.Within(schema.Fraction, 0, 0.5)),
		scalarField("wave", &s.Wave, schema.Within(schema.Fraction, 0, 0.9)),
		scalarField("drift", &s.Drift, schema.Within(schema.Signed, -0.1, 0.1)),
		scalarField("shared_wave", &s.SharedWave, schema.Within(schema.Share, 0, 0.5)),
		scalarField("wave_time", &s.WaveTime, schema.Within(schema.Duration, time.Millisecond, time.Hour)),
		scalarField("interruptions", &s.Interruptions, schema.Within(schema.Fraction, 0, mostInterruptions)),
		{"speeds", func(r *reader, n node) { s.Speeds = r.speeds(n) }},
		scalarField("speed_time", &s.SpeedTime, schema.Within(schema.Duration, time.Millisecond, time.Hour)),
		{"interruption", func(r *reader, n node) { s.Interruption = r.times(n, "interruption") }},
		scalarField("window_noise", &s.WindowNoise, schema.Within(schema.Share, 0, 0.5)),
		scalarField("stalls", &s.Stalls, schema.Within(schema.Fraction, 0, mostInterruptions)),
		{"stall", func(r *reader, n node) { s.Stall = r.times(n, "stall") }},
		scalarField("bucket", &s.Bucket, schema.Int),
		scalarField("octet_rate", &s.OctetRate, func(v string) (float64, error) { n, err := schema.Octets(v); return float64(n), err }),
		scalarField("drop_flows", &s.DropFlows, schema.Within(schema.Share, 0, 1)),
		{"drop_ports", func(r *reader, n node) { s.DropPorts = r.portRange(n) }},
		scalarField("flow_table", &s.FlowTable, schema.Int),
		scalarField("flow_frames", &s.FlowFrames, schema.Int),
		scalarField("largest_frame", &s.LargestFrame, schema.Int),
		scalarField("random_loss", &s.RandomLoss, schema.Within(schema.Share, 0, 1)),
		scalarField("damage", &s.Damage, schema.Within(schema.Share, 0, 1)),
	}
}

// speeds reads what the capacity of a simulated DUT is multiplied with in turn.
func (r *reader) speeds(n node) (out [sim.MaxSpeeds]float64) {
	i := 0
	r.list(n, "speeds", func(item node) {
		var v float64
		scalarField("speeds", &v, schema.Within(schema.Share, 0.01, 100)).read(r, item)
		if i < len(out) {
			out[i] = v
		}
		i++
	})
	if i > len(out) {
		r.wrong(n, "%d speeds are more than the %d that a simulated DUT can have", i, len(out))
	}
	return out
}

// portRange reads the lowest and the highest of some ports.
func (r *reader) portRange(n node) (out [2]int) {
	var all []int
	before := len(r.mistakes)
	r.list(n, "drop_ports", func(item node) {
		var port int
		scalarField("drop_ports", &port, schema.Within(schema.Int, 1, math.MaxUint16)).read(r, item)
		all = append(all, port)
	})
	switch {
	case len(r.mistakes) > before:
	case len(all) != 2 || all[0] > all[1]:
		r.wrong(n, "drop_ports needs the lowest and the highest port: [2000, 2999]")
	default:
		out = [2]int{all[0], all[1]}
	}
	return out
}

// times reads the shortest and the longest of some times, or one of which all
// are.
func (r *reader) times(n node, name string) (out [2]time.Duration) {
	var all []time.Duration
	before := len(r.mistakes)
	r.list(n, name, func(item node) {
		var d time.Duration
		scalarField(name, &d, schema.Within(schema.Duration, shortestInterruption, longestInterruption)).read(r, item)
		all = append(all, d)
	})
	switch {
	case len(r.mistakes) > before:
	case len(all) > 2 || all[0] > all[len(all)-1]:
		r.wrong(n, "%s needs the shortest and the longest: [1ms, 30ms]", name)
	default:
		out = [2]time.Duration{all[0], all[len(all)-1]}
	}
	return out
}
