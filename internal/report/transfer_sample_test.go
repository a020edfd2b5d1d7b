package report

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/figures"
	"weir/internal/result"
	"weir/internal/testenv/samples"
)

// A moved is a made-up transfer between end hosts.
type moved struct {
	method   string
	transfer weir.Transfer
	unit     string
	rate     func(f weir.Factors) float64 // the truth, in its unit
	lack     func(r weir.Run, f weir.Factors) string
	flutters func(f weir.Factors) bool
	disk     func(f weir.Factors) bool
}

// once is what a transfer finds at some levels.
func (m moved) once(rng *rand.Rand, run weir.Run, f weir.Factors) weir.Result {
	r := weir.Result{Method: m.method, Claim: weir.Claim{Name: m.method + ", short trials"}, Factors: maps.Clone(f), Run: run, Unit: m.unit,
		TrialSeconds: 8, Trials: 1, SearchTime: 8, Server: weir.Destination}
	r.Factors["frame_size"] = result.Streams
	if m.lack != nil {
		if why := m.lack(run, f); why != "" {
			r.Unmeasured, r.Unit, r.Claim, r.Trials = why, "bit/s", weir.Claim{}, 0
			_, r.BrokeOff, _ = strings.Cut(why, " broke off: ")
			return r
		}
	}
	if s, ok := f["server"].(string); ok {
		r.Server = weir.Side(s)
	}
	t := m.transfer
	t.Program = m.method
	r.Transfer, r.Value = &t, m.rate(f)*math.Exp(.004*rng.NormFloat64())
	r.Lower, r.Upper = r.Value, r.Value
	r.CPUShare, r.CPUPerFrame = .31*(1+.02*rng.NormFloat64()), 900e-9*(1+.01*rng.NormFloat64())
	if m.unit != "bit/s" {
		r.Rates = slices.Repeat([]float64{1e3 * math.Round(r.Value)}, 7)
		return r
	}
	for i := range 8 { // the first one does not count
		v := r.Value * 1.05 * (1 + .02*rng.NormFloat64())
		switch {
		case i == 0:
			v *= .6
		case m.flutters != nil && m.flutters(f) && i%3 == 1:
			v *= .05 + .1*rng.Float64()
		case i == 5 && m.transfer.Files > 0:
			v *= 1.25
		}
		r.Rates = append(r.Rates, math.Round(v))
	}
	r.Rates = r.Rates[1:]
	if m.flutters != nil && m.flutters(f) {
		r.Warnings = append(r.Warnings, weir.Warn(weir.UnstableRate, "in 3 of 7 seconds the rate was below half of the median, as if it jumped between two values"))
	}
	if m.disk != nil && m.disk(f) {
		r.Warnings = append(r.Warnings, weir.Warn(weir.DiskBound, "it moved %.1f MB/s, and the disk of the target alone writes 31.5 MB/s", r.Value/8e6))
	}
	return r
}

// files are those of the third seed.
var files = weir.Transfer{Files: 13, FileSize: 1_900_000_000, Storage: weir.Disk, Seed: 7}

func steadyRate(v float64) func(weir.Factors) float64 { return func(weir.Factors) float64 { return v } }

// jumbo is a rate that larger packets make faster, and that is lower on the way
// back.
func jumbo(rate, gain float64) func(weir.Factors) float64 {
	return func(f weir.Factors) float64 {
		v := rate
		if result.Level(f["mtu"]) == "9000" {
			v *= 1 + gain
		}
		if f["direction"] == "reverse" {
			v *= .96
		}
		return v
	}
}

// transferCampaign is an experiment of transfers.
func transferCampaign(arms []samples.Arm, factors, traffic []weir.Factor, blocks int, list []moved) weir.Campaign {
	c := samples.Campaign()
	c.Name, c.ID, c.Results, c.Trials = "transfers", "20261122-0210-77aa", nil, nil
	e := &weir.Experiment{Schedule: weir.Blocks, Seed: 5, Reset: weir.Reapply, Same: true, Runs: blocks, Detect: .02, Margin: .02, Confidence: .95, Factors: slices.Clone(factors)}
	sent := []weir.Factors{{}}
	for _, f := range traffic {
		f.Traffic = true
		e.Factors = append(e.Factors, f)
		var next []weir.Factors
		for _, have := range sent {
			for _, l := range f.Levels {
				one := maps.Clone(have)
				one[f.Name] = l
				next = append(next, one)
			}
		}
		sent = next
	}
	e.Levels = samples.LevelsOf(arms, factors)
	for _, a := range arms {
		e.Arms = append(e.Arms, a.Name)
	}
	c.Manifest.Experiment = e
	rng := rand.New(rand.NewPCG(9, 9))
	number, block := 0, 0
	for replicate := 1; replicate <= blocks; replicate++ {
		for _, levels := range sent {
			block++
			all := append(slices.Clone(arms), arms[0])
			for _, i := range rng.Perm(len(all)) {
				number++
				run := weir.Run{Number: number, Block: block, Replicate: replicate, Arm: all[i].Name, Again: i == len(arms)}
				f := maps.Clone(levels)
				maps.Copy(f, all[i].Factors)
				for _, m := range list {
					r := m.once(rng, run, f)
					if r.Unmeasured == "" {
						r.Value *= all[i].Rate
						r.CPUShare /= all[i].Rate * all[i].Rate
					}
					c.Results = append(c.Results, r)
				}
			}
		}
	}
	return c
}

var ways = weir.Factor{Name: "direction", Levels: []string{"forward", "reverse"}}

// sampleGbit is an experiment as the first seed has it: two programs, both
// directions, forwarding and a firewall.
func sampleGbit() weir.Campaign {
	arms := []samples.Arm{{Name: "firewall none", Factors: weir.Factors{"firewall": "none"}, Rate: 1}, {Name: "firewall stateful", Factors: weir.Factors{"firewall": "stateful"}, Rate: .958}}
	return transferCampaign(arms, []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateful"}}}, []weir.Factor{ways}, 6, []moved{
		{method: "netperf", transfer: weir.Transfer{Test: "TCP_STREAM", WarmUp: time.Second}, unit: "bit/s", rate: jumbo(941e6, 0)},
		{method: "netperf", transfer: weir.Transfer{Test: "TCP_RR", WarmUp: time.Second}, unit: "transactions/s", rate: steadyRate(12_345)},
		{method: "iperf", transfer: weir.Transfer{Streams: 3, WarmUp: time.Second}, unit: "bit/s", rate: jumbo(946e6, 0)},
	})
}

// sampleNICs is an experiment as the third seed has it: files and streams, both
// directions, the server on either side, two MTUs, and cells that could not be
// tested.
func sampleNICs() weir.Campaign {
	arms := []samples.Arm{{Name: "mtu 1500", Factors: weir.Factors{"mtu": 1500}, Rate: 1}, {Name: "mtu 9000", Factors: weir.Factors{"mtu": 9000}, Rate: 1}}
	server := weir.Factor{Name: "server", Levels: []string{"source", "destination"}}
	back := func(f weir.Factors) bool { return f["direction"] == "reverse" }
	return transferCampaign(arms, []weir.Factor{{Name: "mtu", Levels: []string{"1500", "9000"}}}, []weir.Factor{ways, server}, 5, []moved{
		{method: "ftp", transfer: files, unit: "bit/s", rate: jumbo(270e6, .073), disk: func(f weir.Factors) bool { return back(f) && f["server"] == "source" }},
		{method: "smb", transfer: files, unit: "bit/s", rate: jumbo(140e6, .05), flutters: func(f weir.Factors) bool { return back(f) && f["server"] == "destination" },
			lack: func(r weir.Run, f weir.Factors) string {
				if r.Replicate == 3 && r.Arm == "mtu 9000" && !back(f) {
					return fmt.Sprintf("smb broke off: nothing arrived at far for %ds: the link of far is down", 5)
				}
				return ""
			}},
		{method: "netperf", transfer: weir.Transfer{Test: "TCP_STREAM"}, unit: "bit/s", rate: steadyRate(1),
			lack: func(weir.Run, weir.Factors) string {
				return "netperf is not installed: install the package netperf (in Debian it is in the component non-free)"
			}},
		{method: "iperf", transfer: weir.Transfer{Streams: 3, WarmUp: time.Second}, unit: "bit/s", rate: jumbo(300e6, .06)},
	})
}

// sampleOnce is a campaign that measured each transfer once.
func sampleOnce() weir.Campaign {
	c := samples.Campaign()
	c.Name, c.ID, c.Results, c.Trials = "transfers", "20261122-0220-11bb", nil, nil
	rng := rand.New(rand.NewPCG(3, 3))
	list := []moved{
		{method: "tcp", transfer: weir.Transfer{WarmUp: time.Second}, unit: "bit/s", rate: jumbo(94.1e6, .042)},
		{method: "tcp", transfer: weir.Transfer{WarmUp: time.Second, Streams: 4}, unit: "bit/s", rate: jumbo(94.3e6, .04)},
		{method: "netperf", transfer: weir.Transfer{Test: "TCP_RR", WarmUp: time.Second}, unit: "transactions/s", rate: steadyRate(12_345),
			lack: func(_ weir.Run, f weir.Factors) string {
				if f["direction"] == "reverse" {
					return "netperf broke off: the server was killed"
				}
				return ""
			}},
		{method: "ftp", transfer: files, unit: "bit/s", rate: jumbo(92e6, .04), disk: func(f weir.Factors) bool { return f["direction"] == "reverse" }},
		{method: "smb", transfer: files, unit: "bit/s", rate: steadyRate(1),
			lack: func(weir.Run, weir.Factors) string {
				return "smbd is not installed: install the package samba"
			}},
	}
	for _, mtu := range []any{1500, 9000} {
		for _, way := range []string{"forward", "reverse"} {
			for _, m := range list {
				f := weir.Factors{"mtu": mtu}
				if way == "reverse" {
					f["direction"] = way
				}
				r := m.once(rng, weir.Run{}, f)
				if m.method == "tcp" {
					r.Figures = []weir.Figure{{Name: "retransmitted segments", Value: 12}, {Name: "round trip, median", Value: .0042, Unit: "s"}}
				}
				if r.Unmeasured == "" {
					c.Trials = append(c.Trials, trialFor(&r, len(c.Trials)+1))
				}
				c.Results = append(c.Results, r)
			}
		}
	}
	return c
}

// trialFor is the trial that a result of a transfer came from.
func trialFor(r *weir.Result, n int) weir.TrialResult {
	r.First, r.Last = n, n
	t := weir.TrialResult{Backend: "xdp", Trial: weir.Trial{Number: n, Purpose: r.Method, Maximum: true, Duration: 8 * time.Second, Transfer: r.Transfer,
		Traffic: weir.Traffic{Name: result.Streams, Family: weir.IPv4, Application: true, Backward: r.Factors["direction"] == "reverse"}}}
	found := &weir.Transferred{Took: 7 * time.Second, Server: r.Server, Rates: append([]float64{r.Value / 2}, r.Rates...), Interval: time.Second, Retransmitted: 12, IdleRTT: .0001,
		CPU: weir.EndsCPU{Source: time.Second, Destination: 2 * time.Second}, Verified: figures.FilesOf(r.Transfer)}
	if r.Unit == "bit/s" {
		found.Octets = uint64(r.Value * 7 / 8)
	} else {
		found.Count = uint64(r.Value * 7)
	}
	found.RTT.Add(4_200_000, 100)
	t.Transferred = found
	return t
}
