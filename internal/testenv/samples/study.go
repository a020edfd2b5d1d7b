package samples

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

// An Arm of a made-up experiment.
type Arm struct {
	Name    string
	Factors weir.Factors
	Rate    float64 // of the baseline's
}

// Experiment is one that is made up: its machine is slow in waves, which all runs of
// a block share.
type Experiment struct {
	Arms      []Arm
	Factors   []weir.Factor // that arms differ in
	Sizes     []any
	Both      bool // directions
	Blocks    int
	Spread    float64 // of runs within a block
	Wave      float64 // between blocks
	Busy      []int   // replicates in which the machine was busy
	Unblocked bool
	telling   bool // trials with readings
}

// Firewalls are the arms of most experiments here.
var Firewalls = []Arm{
	{"firewall none", weir.Factors{"firewall": "none"}, 1},
	{"firewall stateless", weir.Factors{"firewall": "stateless"}, .988},
	{"firewall stateful", weir.Factors{"firewall": "stateful"}, .858},
}

// FirewallFactor is the factor of [Firewalls].
func FirewallFactor() []weir.Factor {
	return []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateless", "stateful"}}}
}

// LevelsOf are the levels of factors that arms have, as an experiment records them.
func LevelsOf(arms []Arm, factors []weir.Factor) map[string][]weir.ArmLevel {
	out := make(map[string][]weir.ArmLevel)
	for _, a := range arms {
		for _, f := range factors {
			l := weir.ArmLevel{Factor: f.Name, Name: fmt.Sprint(a.Factors[f.Name])}
			if kind := weir.FirewallKind(l.Name); f.Name == "firewall" && kind.Known() {
				l.Set = weir.ConditionOf(weir.Firewall{Kind: kind})
			}
			out[a.Name] = append(out[a.Name], l)
		}
	}
	return out
}

// Campaign is what the experiment finds.
func (m Experiment) Campaign(seed uint64) weir.Campaign {
	c := Campaign()
	c.Name, c.ID, c.Results, c.Trials = "firewall", "20261122-0010-5e1d", nil, nil
	e := &weir.Experiment{Schedule: weir.Blocks, Seed: seed, Reset: weir.Reapply, Same: true, Runs: m.Blocks, Detect: .02, Margin: .02, Confidence: .95}
	e.Factors = slices.Concat(m.Factors, []weir.Factor{{Name: "frame_size", Levels: strings.Fields(fmt.Sprintln(m.Sizes...)), Traffic: true}})
	ways := []string{""}
	if m.Both {
		ways = []string{"forward", "reverse"}
		e.Factors = append(e.Factors, weir.Factor{Name: "direction", Levels: ways, Traffic: true})
	}
	e.Levels = LevelsOf(m.Arms, m.Factors)
	for _, a := range m.Arms {
		e.Arms = append(e.Arms, a.Name)
	}
	if m.Unblocked {
		e.Schedule, e.Same, e.Reset = "", false, ""
	}
	c.Manifest.Experiment, c.Manifest.Seed = e, seed
	rng := rand.New(rand.NewPCG(seed, 7))
	number, block := 0, 0
	for replicate := 1; replicate <= m.Blocks; replicate++ {
		for _, size := range m.Sizes {
			for _, way := range ways {
				block++
				wave := math.Exp(m.Wave * math.Sin(float64(block)/3))
				arms := slices.Clone(m.Arms)
				again := -1
				if e.Same {
					arms = append(arms, m.Arms[0])
					again = len(arms) - 1
				}
				for _, i := range rng.Perm(len(arms)) {
					number++
					run := weir.Run{Number: number, Block: block, Replicate: replicate, Arm: arms[i].Name, Again: i == again}
					if m.Unblocked {
						run.Block, run.Replicate = 0, 0
					}
					m.measure(&c, rng, run, arms[i], size, way, wave)
				}
			}
		}
	}
	return c
}

func (m Experiment) measure(c *weir.Campaign, rng *rand.Rand, run weir.Run, a Arm, size any, way string, wave float64) {
	rate := 812e3 * a.Rate * wave * math.Exp(m.Spread*rng.NormFloat64())
	octets := 64.
	if size == "imix" {
		rate, octets = rate*.88, 354
	} else if n, ok := size.(int); ok && n > 64 {
		rate, octets = rate*(1-float64(n)/8000), float64(n)
	}
	rate = math.Round(rate)
	f := maps.Clone(a.Factors)
	f["frame_size"] = size
	if way != "" {
		f["direction"] = way
	}
	r := weir.Result{Method: "throughput", Claim: weir.Claim{Name: "throughput, short trials", Missed: []string{"RFC 2544 section 24: the final trial SHOULD last at least 60 s; it lasted 1 s"}},
		Factors: f, Run: run, Value: rate, Unit: "frames/s", Lower: rate, Upper: rate * 1.004, Width: .004, TrialSeconds: 1, Trials: 9, SearchTime: 9,
		CPUPerFrame: .98 / rate, CPUShare: min(1, .93+.07*(1-a.Rate)*5), MeanSize: octets}
	r.Ledger = weir.Balance(uint64(rate), uint64(rate)-uint64(rate*.001), []weir.Drop{{Place: "dut d0 rx ring full (veth xdp_xmit_errors)", Count: uint64(rate * .001)}})
	if slices.Contains(m.Busy, run.Replicate) {
		r.Warnings = []weir.Warning{weir.Warn(weir.BusyMachine, "other processes used %d %% of the CPU time", 20+run.Number%7)}
	}
	if m.telling {
		t := weir.TrialResult{Trial: weir.Trial{Number: len(c.Trials) + 1, Purpose: "throughput", Intended: rate, Duration: time.Second, Run: run.Number,
			Traffic: weir.Traffic{Name: fmt.Sprint(size), Sizes: []weir.Size{weir.Size(octets)}, Backward: way == "reverse"}},
			Offered: uint64(rate), Received: uint64(rate), Sending: time.Second, Backend: "xdp"}
		noisy := func(v float64) float64 { return v * (1 + .01*rng.NormFloat64()) }
		t.Readings = []weir.Reading{
			{Source: "cpu", Name: "CPU 1 softirq", Value: noisy(.93 / a.Rate), Unit: "s"},
			{Source: "conntrack", Name: "entries", Value: noisy(1 + 5000*(1-a.Rate)), Unit: ""},
			{Source: "softnet", Name: "squeezed", Value: noisy(800), Unit: "count"},
			{Source: "energy", Name: "package", Value: noisy(12 / a.Rate), Unit: "J"},
		}
		if run.Number <= 2*len(m.Arms) {
			t.Profile = profileOf(a.Rate)
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
func Study() weir.Campaign {
	return Experiment{Arms: Firewalls, Factors: FirewallFactor(), Sizes: []any{64, "imix"}, Both: true, Blocks: 6, Spread: .006, Wave: .08, telling: true}.Campaign(42)
}
