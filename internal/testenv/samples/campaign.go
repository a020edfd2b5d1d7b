// Package samples makes up campaigns for the tests of what shows them: nothing in
// them was measured.
package samples

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"weir"
)

// A Box is a router as the campaign meets it.
type Box struct {
	size     string
	octets   []weir.Size
	capacity float64 // frames/s
	tester   float64 // frames/s that the tester can send
	median   float64 // latency in s
}

// Boxes are those that [Campaign] measures: sizes of frames, and a mix.
var Boxes = []Box{
	{"64", []weir.Size{64}, 812_400, 3_912_000, 17e-6},
	{"512", []weir.Size{512}, 744_100, 2_480_000, 19e-6},
	{"1518", []weir.Size{1518}, 561_800, 1_310_000, 26e-6},
	{"imix", []weir.Size{64, 64, 64, 64, 64, 64, 64, 594, 594, 594, 594, 1518}, 716_300, 2_205_000, 21e-6},
}

// level is the level of the factor frame_size.
func (b Box) level() any {
	if len(b.octets) == 1 {
		return int(b.octets[0])
	}
	return b.size
}

// Campaign is a campaign as a small machine gives it: 4 sizes, throughput, rate
// at 0.5 % loss, FRMOL and latency.
func Campaign() weir.Campaign {
	c := weir.Campaign{
		ID: "20261121-0433-7f3a", Name: "bench", Ended: "complete",
		Manifest: weir.Manifest{
			Weir: weir.Version, Started: time.Date(2026, 11, 21, 4, 33, 30, 0, time.UTC), Kernel: "6.18.1-amd64",
			CPUModel: "Intel(R) Xeon(R) Processor @ 2.80GHz", CPUs: 2, Testbed: "netns", Platform: "linux", Backend: "xdp", Seed: 42,
			Ceiling: map[string]float64{"64": 3_912_000, "512": 2_480_000, "1518": 1_310_000, "imix": 2_205_000},
			Settings: []weir.Setting{
				{Where: "host", Name: "cpu governor", Value: "unknown"},
				{Where: "host", Name: "clocksource", Value: "tsc"},
				{Where: "dut", Name: "net.ipv4.ip_forward", Value: "1"},
				{Where: "dut", Name: "net.core.netdev_budget", Value: "300"},
				{Where: "dut d0", Name: "driver", Value: "veth"},
				{Where: "dut d0", Name: "offloads", Value: "gro on, gso on, tso off, rx-checksumming on, tx-checksumming on"},
				{Where: "dut d0", Name: "qdisc", Value: "noqueue"},
				{Where: "tester", Name: "generator cpus", Value: "0"},
			},
			Plan: "name: bench\ntestbed: {kind: netns}\ntraffic:\n  sizes: [64, 512, 1518, imix]\nmethods: [throughput, frmol, latency] # <b>not bold</b>\n",
		},
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range Boxes {
		b.measure(&c, rng)
	}
	frmol := &c.Results[14]
	frmol.Ledger.Unexplained, frmol.Ledger.Drops[0].Count = 31_400, frmol.Ledger.Drops[0].Count-31_400
	frmol.Warnings = []weir.Warning{weir.Warn(weir.UnexplainedLoss, "%d of %d frames vanished at no known counter", 31_400, 2_205_000)}
	c.Results[0].Warnings = []weir.Warning{
		weir.Warn(weir.StealTime, "the hypervisor took %.1f %% of the CPU time in %d of %d trials", 1.4, 3, 14),
		weir.Warn(weir.NoisyResult, "%d of %d trials at %.0f frames/s lost frames", 2, 3, 815e3),
	}
	c.Results[5].Warnings = []weir.Warning{weir.Warn(weir.StealTime, "the hypervisor took %.1f %% of the CPU time in %d of %d trials", .9, 1, 9)}
	return c
}

// trial is what the box does with a load; 0 stands for the tester's most.
func (b Box) trial(c *weir.Campaign, rng *rand.Rand, purpose string, load float64) weir.TrialResult {
	r := weir.TrialResult{Backend: "xdp", Sending: time.Second, DUTCPU: 985 * time.Millisecond, Trial: weir.Trial{
		Number: len(c.Trials) + 1, Purpose: purpose, Intended: load, Maximum: load == 0, Duration: time.Second,
		Traffic: weir.Traffic{Name: b.size, Sizes: b.octets, Family: weir.IPv4, Protocol: weir.UDP, Flows: 256},
	}}
	r.Start = c.Manifest.Started.Add(time.Duration(r.Trial.Number) * 1100 * time.Millisecond)
	if load == 0 {
		load = b.tester
	}
	capacity := b.capacity * (1 - .02*max(0, load/b.capacity-1)) * (1 + .006*rng.Float64())
	r.Offered = uint64(load)
	r.Received = min(r.Offered, uint64(capacity))
	if load < b.capacity {
		r.DUTCPU = time.Duration(float64(r.DUTCPU) * (.12 + .86*load/b.capacity))
	}
	lost := r.Offered - r.Received
	r.Ledger = weir.Balance(r.Offered, r.Received, []weir.Drop{
		{Place: "dut d0 rx ring full (veth xdp_xmit_errors)", Count: lost - lost/50},
		{Place: "dut d1 tx dropped", Count: lost / 50},
	})
	samples := uint64(500)
	if purpose == "latency" {
		samples = 20_000
	}
	for range samples {
		tail := math.Exp(.22 * rng.NormFloat64())
		if rng.Float64() < .02 {
			tail *= 1 + 5*rng.ExpFloat64()
		}
		r.Latency.Add(uint64(b.median*tail*1e9), max(1, r.Received/samples))
	}
	c.Trials = append(c.Trials, r)
	return r
}

// measure adds the trials and results of the box to c.
func (b Box) measure(c *weir.Campaign, rng *rand.Rand) {
	mean := weir.Traffic{Sizes: b.octets}.MeanSize()
	result := func(method string, claim weir.Claim, r weir.TrialResult, trials int) weir.Result {
		return weir.Result{Method: method, Claim: claim, Factors: weir.Factors{"frame_size": b.level(), "flows": 256}, Value: r.ForwardingRate(), Unit: "frames/s",
			TrialSeconds: 1, Trials: trials, SearchTime: float64(trials), Latency: r.Latency.Summary(), CPUPerFrame: r.CPUPerFrame(),
			CPUShare: r.DUTCPU.Seconds(), MeanSize: mean, Ledger: r.Ledger}
	}
	short := weir.Claim{Name: "throughput, short trials", Missed: []string{
		"RFC 2544 section 24: the final trial SHOULD last at least 60 s; it lasted 1 s",
		"RFC 2544 section 23: SHOULD wait 2 s for residual frames and 5 s between trials; waited 0.05 s",
	}}
	var best float64
	for _, loss := range []float64{0, .005} {
		low, high, trials := 0.0, b.tester/2, 0
		var at weir.TrialResult
		for high-low > .004*high {
			load := (low + high) / 2
			r := b.trial(c, rng, "throughput", math.Round(load))
			trials++
			if r.LossRatio() <= loss {
				low, at = load, r
			} else {
				high = load
			}
		}
		claim := short
		if loss > 0 {
			claim = weir.Claim{Name: fmt.Sprintf("rate at %g %% loss", loss*100), Missed: []string{"RFC 2544 section 26.1: no frame may be lost"}}
		} else {
			best = low
		}
		r := result("throughput", claim, at, trials)
		r.Value, r.Lower, r.Upper, r.LossRatio, r.Width = low, low, high, loss, .004
		c.Results = append(c.Results, r)
	}
	r := b.trial(c, rng, "frmol", 0)
	c.Results = append(c.Results, result("frmol", weir.Claim{Name: "FRMOL"}, r, 1))
	r = b.trial(c, rng, "latency", math.Round(best/2))
	l := result("latency", weir.Claim{Name: "latency, short trials", Missed: []string{
		"RFC 2544 section 26.2: the stream SHOULD last 120 s and be repeated 20 times; once for 1 s"}}, r, 1)
	l.Value, l.Unit = r.Latency.Quantile(.5), "s"
	c.Results = append(c.Results, l)
}
