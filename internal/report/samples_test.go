package report

import (
	"math/rand/v2"
	"slices"

	"weir"
	"weir/internal/testenv/samples"
)

// sampleSimulated is the sample, as from a model.
func sampleSimulated() weir.Campaign {
	c := samples.Campaign()
	c.Manifest.Simulated, c.Manifest.Backend, c.Manifest.Testbed = true, "sim", "sim"
	for i := range c.Results {
		c.Results[i].Simulated = true
	}
	return c
}

// sampleSwept is a campaign of sweeps in three rounds.
func sampleSwept() weir.Campaign {
	c := samples.Campaign()
	c.ID, c.Name, c.Results, c.Trials = "20261122-0936-6db6", "weir bench", nil, nil
	c.Manifest.Settings = append(c.Manifest.Settings, weir.Setting{Where: "host", Name: "load before the start", Value: "1.02 of 2 CPUs busy; of one CPU: cc1 (process 4711) 97 %", Brief: "cc1 (process 4711) 97 % of a CPU"})
	rng := rand.New(rand.NewPCG(3, 4))
	for round := 1; round <= 3; round++ {
		for _, b := range samples.Boxes {
			b.Sweep(&c, rng, round)
		}
	}
	doubted := &c.Results[9] // 512 octets
	doubted.Warnings = []weir.Warning{weir.Warn(weir.NoisyResult, "the DUT stood still %.1f times a second; with these windows the knee is %.0f frames/s", 27.7, 560836.)}
	doubted.WithStalls = weir.Bounds{Value: .8 * doubted.Value}
	silent := &c.Results[10] // 1518 octets
	silent.Value, silent.Lower, silent.Upper, silent.KneeZero, silent.Saturated, silent.Curve = 0, 0, 0, weir.Bounds{}, weir.Bounds{}, nil
	silent.Verdict, silent.Latency, silent.CPUPerFrame, silent.LeftOutShare, silent.Limited = "", nil, 0, .62, "outside"
	silent.LeftOut = []weir.LeftOut{{Reason: "generator stood still", Windows: 149, Share: .62}}
	silent.Claim = weir.Claim{Name: "no claim, search not ended"}
	silent.Warnings = []weir.Warning{{Code: weir.BusyMachine, Sentence: weir.Say("%.0f %% of the windows had to be left out (%s)", 62., "generator stood still: 62 %").Then("; %s", "stop other work, or take a quieter machine")}}
	return c
}

// sampleBench is that with an experiment behind it.
func sampleBench() weir.Campaign {
	c := sampleSwept()
	runs := samples.Experiment{Arms: []samples.Arm{samples.Firewalls[0], samples.Firewalls[2]}, Factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateful"}}},
		Sizes: []any{64}, Blocks: 6, Spread: .006, Wave: .08}.Campaign(42)
	for i := range runs.Results {
		runs.Results[i].Factors["flows"] = 256
	}
	c.Manifest.Experiment = runs.Manifest.Experiment
	c.Results = slices.Concat(c.Results, runs.Results)
	return c
}

// sampleBeside is a sweep with results beside it that no table has.
func sampleBeside(n int) weir.Campaign {
	c := sampleSwept()
	for i := range n {
		r := weir.Result{Method: "fib-learning", Claim: weir.Claim{Name: "learning rate"}, Factors: weir.Factors{"frame_size": 64, "flows": 256},
			Value: .052 + .001*float64(i), Unit: "s", Verdict: "at most"}
		switch i % 4 {
		case 1:
			r.Warnings = []weir.Warning{weir.Warn(weir.EventLate, "the announcement was late")}
		case 2:
			r.Value, r.Verdict, r.Unmeasured = 0, "", "the neighbour did not come up within ten seconds, and no route was learnt of the ten thousand"
		}
		c.Results = append(c.Results, r)
	}
	return c
}

// latest is a campaign as it enters a report.
func latest(c weir.Campaign) weir.Campaign {
	c.Results = weir.Latest(c.Results)
	return c
}

func sampleVetoed() weir.Campaign {
	return samples.Experiment{Arms: samples.Firewalls, Factors: samples.FirewallFactor(), Sizes: []any{64}, Blocks: 12, Spread: .01, Wave: .05, Busy: []int{3, 4, 5, 6}}.Campaign(43)
}

func sampleInconclusive() weir.Campaign {
	return samples.Experiment{Arms: samples.Firewalls[:2], Factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateless"}}}, Sizes: []any{64}, Blocks: 6, Spread: .03, Wave: .05}.Campaign(44)
}

func sampleFactors() weir.Campaign {
	arms := []samples.Arm{}
	for _, path := range []string{"kernel", "xdp"} {
		for _, gro := range []string{"on", "off"} {
			rate := 1.
			if path == "xdp" {
				rate *= 2.3
			}
			if gro == "off" {
				rate *= 1.04
			}
			arms = append(arms, samples.Arm{Name: "path " + path + ", gro " + gro, Factors: weir.Factors{"path": path, "gro": gro}, Rate: rate})
		}
	}
	c := samples.Experiment{Arms: arms, Factors: []weir.Factor{{Name: "path", Levels: []string{"kernel", "xdp"}}, {Name: "gro", Levels: []string{"on", "off"}}},
		Sizes: []any{64, 1518}, Blocks: 8, Spread: .008, Wave: .04}.Campaign(45)
	return c
}

func sampleImported() weir.Campaign {
	arms := []samples.Arm{{Name: "firewall none", Factors: weir.Factors{"firewall": "none"}, Rate: 1}, {Name: "firewall pf", Factors: weir.Factors{"firewall": "pf"}, Rate: .64}, {Name: "firewall ipfw", Factors: weir.Factors{"firewall": "ipfw"}, Rate: .81}}
	c := samples.Experiment{Arms: arms, Factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "pf", "ipfw"}}}, Sizes: []any{64}, Blocks: 5, Spread: .008, Unblocked: true}.Campaign(46)
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
