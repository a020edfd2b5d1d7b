package plan

import (
	"math"
	"strings"
	"time"

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
		scalarField("capacity", &s.Capacity, ParseRate),
		scalarField("buffer", &s.Buffer, parseInt),
		scalarField("latency", &s.Latency, parseDuration),
		scalarField("jitter", &s.Jitter, parseDuration),
		scalarField("livelock", &s.Livelock, parseFraction),
		scalarField("noise", &s.Noise, within(parseFraction, 0, 0.5)),
		scalarField("seed", &s.Seed, parseUint64),
		scalarField("recovery", &s.Recovery, parseDuration),
		scalarField("reset", &s.Reset, parseDuration),
		scalarField("learning", &s.Learning, ParseRate),
		scalarField("route_cost", &s.RouteCost, within(parseFraction, 0, 0.9)),
		scalarField("filter_cost", &s.FilterCost, parseFraction),
		scalarField("firewall_cost", &s.FirewallCost, parseFraction),
		scalarField("napi_cost", &s.NAPICost, within(parseFraction, 0, 0.9)),
		scalarField("mtu", &s.MTU, within(parseInt, 576, 65535)),
		scalarField("disk", &s.Disk, func(v string) (float64, error) { n, err := parseOctets(v); return float64(n), err }),
		scalarField("xdp_gain", &s.XDPGain, within(parseFraction, 0.01, 100)),
		scalarField("run_noise", &s.RunNoise, within(parseFraction, 0, 0.5)),
		scalarField("wave", &s.Wave, within(parseFraction, 0, 0.9)),
		scalarField("drift", &s.Drift, within(parseSigned, -0.1, 0.1)),
		scalarField("shared_wave", &s.SharedWave, within(parseShare, 0, 0.5)),
		scalarField("wave_time", &s.WaveTime, within(parseDuration, time.Millisecond, time.Hour)),
		scalarField("interruptions", &s.Interruptions, within(parseFraction, 0, mostInterruptions)),
		{"speeds", func(r *reader, n node) { s.Speeds = r.speeds(n) }},
		scalarField("speed_time", &s.SpeedTime, within(parseDuration, time.Millisecond, time.Hour)),
		{"interruption", func(r *reader, n node) { s.Interruption = r.times(n, "interruption") }},
		scalarField("window_noise", &s.WindowNoise, within(parseShare, 0, 0.5)),
		scalarField("stalls", &s.Stalls, within(parseFraction, 0, mostInterruptions)),
		{"stall", func(r *reader, n node) { s.Stall = r.times(n, "stall") }},
		scalarField("bucket", &s.Bucket, parseInt),
		scalarField("octet_rate", &s.OctetRate, func(v string) (float64, error) { n, err := parseOctets(v); return float64(n), err }),
		scalarField("drop_flows", &s.DropFlows, within(parseShare, 0, 1)),
		{"drop_ports", func(r *reader, n node) { s.DropPorts = r.portRange(n) }},
		scalarField("flow_table", &s.FlowTable, parseInt),
		scalarField("flow_frames", &s.FlowFrames, parseInt),
		scalarField("largest_frame", &s.LargestFrame, parseInt),
		scalarField("random_loss", &s.RandomLoss, within(parseShare, 0, 1)),
		scalarField("damage", &s.Damage, within(parseShare, 0, 1)),
	}
}

// speeds reads what the capacity of a simulated DUT is multiplied with in turn.
func (r *reader) speeds(n node) (out [sim.MaxSpeeds]float64) {
	i := 0
	r.list(n, "speeds", func(item node) {
		var v float64
		scalarField("speeds", &v, within(parseShare, 0.01, 100)).read(r, item)
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
		scalarField("drop_ports", &port, within(parseInt, 1, math.MaxUint16)).read(r, item)
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
		scalarField(name, &d, within(parseDuration, shortestInterruption, longestInterruption)).read(r, item)
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

// parseShare reads a share in percent, or a plain number from 0 up: 8% or 0.08.
func parseShare(s string) (float64, error) {
	if strings.HasSuffix(s, "%") {
		return parsePercents(s)
	}
	return parseFraction(s)
}
