package sim

import (
	"cmp"
	"fmt"
	"time"

	"weir"
)

// Settings are the truth about a simulated router, for the manifest. What
// machines have that others use too is left out where it has nothing of that.
func (s Config) Settings() []weir.Setting {
	out := []weir.Setting{
		{Where: "dut", Name: "capacity", Value: fmt.Sprintf("%.0f frames/s", s.Capacity)},
		{Where: "dut", Name: "buffer", Value: fmt.Sprintf("%d frames", s.Buffer)},
		{Where: "dut", Name: "latency", Value: s.Latency.String()},
		{Where: "dut", Name: "jitter", Value: s.Jitter.String()},
		{Where: "dut", Name: "livelock", Value: fmt.Sprint(s.Livelock)},
		{Where: "dut", Name: "noise", Value: fmt.Sprint(s.Noise)},
		{Where: "dut", Name: "seed", Value: fmt.Sprint(s.Seed)},
		{Where: "dut", Name: "recovery", Value: s.Recovery.String()},
		{Where: "dut", Name: "reset", Value: s.Reset.String()},
		{Where: "dut", Name: "learning", Value: fmt.Sprintf("%.0f prefixes/s", s.Learning)},
		{Where: "dut", Name: "cost of routes", Value: fmt.Sprint(s.RouteCost)},
		{Where: "dut", Name: "cost of filters", Value: fmt.Sprint(s.FilterCost)},
		{Where: "dut", Name: "noise between runs", Value: fmt.Sprint(s.RunNoise)},
		{Where: "dut", Name: "wave over runs", Value: fmt.Sprint(s.Wave)},
		{Where: "dut", Name: "drift over runs", Value: fmt.Sprint(s.Drift)},
		{Where: "dut", Name: "cost of a firewall", Value: fmt.Sprint(s.FirewallCost)},
		{Where: "dut", Name: "cost of NAPI threads", Value: fmt.Sprint(s.NAPICost)},
		{Where: "dut", Name: "gain of XDP", Value: fmt.Sprint(cmp.Or(s.XDPGain, DefaultXDPGain))},
	}
	add := func(name, value string) { out = append(out, weir.Setting{Where: "dut", Name: name, Value: value}) }
	if s.SharedWave > 0 {
		add("shared wave", fmt.Sprint(s.SharedWave))
		add("time of the wave", cmp.Or(s.WaveTime, DefaultWaveTime).String())
	}
	if speeds := s.speeds(); len(speeds) > 0 {
		add("speeds", fmt.Sprint(speeds))
		add("time of a speed", cmp.Or(s.SpeedTime, DefaultSpeedTime).String())
	}
	if s.Disk > 0 {
		add("disks", fmt.Sprintf("%.0f octets/s", s.Disk))
	}
	if s.MTU > 0 {
		add("MTU", fmt.Sprint(s.MTU))
	}
	stops := func(name string, rate float64, times [2]time.Duration) {
		if rate > 0 {
			shortest, longest := cmp.Or(times[0], ShortestInterruption), cmp.Or(times[1], LongestInterruption)
			add(name, fmt.Sprintf("%v a second, %v to %v", rate, shortest, longest))
		}
	}
	stops("interruptions", s.Interruptions, s.Interruption)
	if s.WindowNoise > 0 {
		add("window noise", fmt.Sprint(s.WindowNoise))
	}
	stops("stalls of the generator", s.Stalls, s.Stall)
	if s.Bucket > 0 {
		add("bucket", fmt.Sprintf("%d frames", s.Bucket))
	}
	if s.OctetRate > 0 {
		add("octets of IP packets", fmt.Sprintf("%.0f octets/s", s.OctetRate))
	}
	for _, share := range []struct {
		name  string
		value float64
	}{{"dropped flows", s.DropFlows}, {"random loss", s.RandomLoss}, {"damage", s.Damage}} {
		if share.value > 0 {
			add(share.name, fmt.Sprint(share.value))
		}
	}
	if s.DropPorts[1] > 0 {
		add("dropped ports", fmt.Sprintf("%d to %d", s.DropPorts[0], s.DropPorts[1]))
	}
	for _, count := range []struct {
		name  string
		value int
		unit  string
	}{{"table of flows", s.FlowTable, "flows"}, {"frames of a flow", s.FlowFrames, "frames"}, {"largest frame", s.LargestFrame, "octets"}} {
		if count.value > 0 {
			add(count.name, fmt.Sprintf("%d %s", count.value, count.unit))
		}
	}
	return out
}
