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
)

// An arm of a made-up experiment.
type madeArm struct {
	name    string
	factors weir.Factors
	rate    float64 // of the baseline's
}

// made is a made-up experiment: its machine is slow in waves, which all runs of
// a block share.
type made struct {
	arms      []madeArm
	factors   []weir.Factor // that arms differ in
	sizes     []any
	both      bool // directions
	blocks    int
	spread    float64 // of runs within a block
	wave      float64 // between blocks
	busy      []int   // replicates in which the machine was busy
	unblocked bool
	telling   bool // trials with readings
}

// firewalls are the arms of most experiments here.
var firewalls = []madeArm{
	{"firewall none", weir.Factors{"firewall": "none"}, 1},
	{"firewall stateless", weir.Factors{"firewall": "stateless"}, .988},
	{"firewall stateful", weir.Factors{"firewall": "stateful"}, .858},
}

func firewallFactor() []weir.Factor {
	return []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateless", "stateful"}}}
}

// campaign is what the experiment finds.
func (m made) campaign(seed uint64) weir.Campaign {
	c := sample()
	c.Name, c.ID, c.Results, c.Trials = "firewall", "20261122-0010-5e1d", nil, nil
	e := &weir.Experiment{Schedule: weir.Blocks, Seed: seed, Reset: weir.Reapply, Same: true, Runs: m.blocks, Detect: .02, Margin: .02, Confidence: .95}
	e.Factors = slices.Concat(m.factors, []weir.Factor{{Name: "frame_size", Levels: strings.Fields(fmt.Sprintln(m.sizes...)), Traffic: true}})
	ways := []string{""}
	if m.both {
		ways = []string{"forward", "reverse"}
		e.Factors = append(e.Factors, weir.Factor{Name: "direction", Levels: ways, Traffic: true})
	}
	for _, a := range m.arms {
		e.Arms = append(e.Arms, a.name)
	}
	if m.unblocked {
		e.Schedule, e.Same, e.Reset = "", false, ""
	}
	c.Manifest.Experiment, c.Manifest.Seed = e, seed
	rng := rand.New(rand.NewPCG(seed, 7))
	number, block := 0, 0
	for replicate := 1; replicate <= m.blocks; replicate++ {
		for _, size := range m.sizes {
			for _, way := range ways {
				block++
				wave := math.Exp(m.wave * math.Sin(float64(block)/3))
				arms := slices.Clone(m.arms)
				again := -1
				if e.Same {
					arms = append(arms, m.arms[0])
					again = len(arms) - 1
				}
				for _, i := range rng.Perm(len(arms)) {
					number++
					run := weir.Run{Number: number, Block: block, Replicate: replicate, Arm: arms[i].name, Again: i == again}
					if m.unblocked {
						run.Block, run.Replicate = 0, 0
					}
					m.measure(&c, rng, run, arms[i], size, way, wave)
				}
			}
		}
	}
	return c
}

func (m made) measure(c *weir.Campaign, rng *rand.Rand, run weir.Run, a madeArm, size any, way string, wave float64) {
	rate := 812e3 * a.rate * wave * math.Exp(m.spread*rng.NormFloat64())
	octets := 64.
	if size == "imix" {
		rate, octets = rate*.88, 354
	} else if n, ok := numeric(size); ok && n > 64 {
		rate, octets = rate*(1-n/8000), n
	}
	rate = math.Round(rate)
	f := maps.Clone(a.factors)
	f["frame_size"] = size
	if way != "" {
		f["direction"] = way
	}
	r := weir.Result{Method: "throughput", Claim: weir.Claim{Name: "throughput, short trials", Missed: []string{"RFC 2544 section 24: the final trial SHOULD last at least 60 s; it lasted 1 s"}},
		Factors: f, Run: run, Value: rate, Unit: "frames/s", Lower: rate, Upper: rate * 1.004, Width: .004, TrialSeconds: 1, Trials: 9, SearchTime: 9,
		CPUPerFrame: .98 / rate, CPUShare: min(1, .93+.07*(1-a.rate)*5), MeanSize: octets}
	r.Ledger = weir.Balance(uint64(rate), uint64(rate)-uint64(rate*.001), []weir.Drop{{Place: "dut d0 rx ring full (veth xdp_xmit_errors)", Count: uint64(rate * .001)}})
	if slices.Contains(m.busy, run.Replicate) {
		r.Warnings = []weir.Warning{{Code: weir.BusyMachine, Text: fmt.Sprintf("other processes used %d %% of the CPU time", 20+run.Number%7)}}
	}
	if m.telling {
		t := weir.TrialResult{Trial: weir.Trial{Number: len(c.Trials) + 1, Purpose: "throughput", Intended: rate, Duration: time.Second, Run: run.Number,
			Traffic: weir.Traffic{Name: level(size), Sizes: []weir.Size{weir.Size(octets)}, Backward: way == "reverse"}},
			Offered: uint64(rate), Received: uint64(rate), Sending: time.Second, Backend: "xdp"}
		noisy := func(v float64) float64 { return v * (1 + .01*rng.NormFloat64()) }
		t.Readings = []weir.Reading{
			{Source: "cpu", Name: "CPU 1 softirq", Value: noisy(.93 / a.rate), Unit: "s"},
			{Source: "conntrack", Name: "entries", Value: noisy(1 + 5000*(1-a.rate)), Unit: ""},
			{Source: "softnet", Name: "squeezed", Value: noisy(800), Unit: "count"},
			{Source: "energy", Name: "package", Value: noisy(12 / a.rate), Unit: "J"},
		}
		if run.Number <= 2*len(m.arms) {
			t.Profile = profileOf(a.rate)
			t.Trial.Profile = false
		}
		r.First, r.Last = t.Trial.Number, t.Trial.Number
		c.Trials = append(c.Trials, t)
	}
	c.Results = append(c.Results, r)
}

// profileOf is a profile in which a firewall takes what it costs.
func profileOf(rate float64) *weir.Profile {
	stack := func(n float64, frames ...string) weir.Stack { return weir.Stack{Frames: frames, Samples: uint64(n)} }
	return &weir.Profile{Hertz: 997, Samples: 1000, Stacks: []weir.Stack{
		stack(600*rate, "net_rx_action", "veth_poll", "ip_forward", "fib_lookup"),
		stack(300*rate, "net_rx_action", "veth_poll", "ip_forward", "dev_queue_xmit"),
		stack(100+900*(1-rate), "net_rx_action", "veth_poll", "nf_hook_slow", "nft_do_chain"),
	}}
}

// The experiments that most tests look at.
func sampleStudy() weir.Campaign {
	return made{arms: firewalls, factors: firewallFactor(), sizes: []any{64, "imix"}, both: true, blocks: 6, spread: .006, wave: .08, telling: true}.campaign(42)
}

func sampleVetoed() weir.Campaign {
	return made{arms: firewalls, factors: firewallFactor(), sizes: []any{64}, blocks: 12, spread: .01, wave: .05, busy: []int{3, 4, 5, 6}}.campaign(43)
}

func sampleInconclusive() weir.Campaign {
	return made{arms: firewalls[:2], factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateless"}}}, sizes: []any{64}, blocks: 6, spread: .03, wave: .05}.campaign(44)
}

func sampleFactors() weir.Campaign {
	arms := []madeArm{}
	for _, path := range []string{"kernel", "xdp"} {
		for _, gro := range []string{"on", "off"} {
			rate := 1.
			if path == "xdp" {
				rate *= 2.3
			}
			if gro == "off" {
				rate *= 1.04
			}
			arms = append(arms, madeArm{"path " + path + ", gro " + gro, weir.Factors{"path": path, "gro": gro}, rate})
		}
	}
	c := made{arms: arms, factors: []weir.Factor{{Name: "path", Levels: []string{"kernel", "xdp"}}, {Name: "gro", Levels: []string{"on", "off"}}},
		sizes: []any{64, 1518}, blocks: 8, spread: .008, wave: .04}.campaign(45)
	return c
}

func sampleImported() weir.Campaign {
	arms := []madeArm{{"firewall none", weir.Factors{"firewall": "none"}, 1}, {"firewall pf", weir.Factors{"firewall": "pf"}, .64}, {"firewall ipfw", weir.Factors{"firewall": "ipfw"}, .81}}
	c := made{arms: arms, factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "pf", "ipfw"}}}, sizes: []any{64}, blocks: 5, spread: .008, unblocked: true}.campaign(46)
	for i := range c.Results {
		r := &c.Results[i]
		r.Method, r.Claim, r.CPUShare, r.CPUPerFrame, r.Ledger = "frmol", weir.Claim{Name: "published"}, 0, 0, weir.Ledger{}
	}
	m := weir.Manifest{Experiment: c.Manifest.Experiment, CPUModel: "AMD GX-412TC", CPUs: 4, Imported: &weir.Imported{
		Format: "netbenches", Source: "netbenches/APU2/pf-ipfw", What: "FRMOL: packets/s received at the highest load that pkt-gen sent",
		Notes: []string{"The order of the runs was not recorded."}}}
	c.Manifest = m
	return c
}
