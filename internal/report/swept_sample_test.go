package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"weir"
)

// sampleSwept is a campaign of sweeps in three rounds.
func sampleSwept() weir.Campaign {
	c := sample()
	c.ID, c.Name, c.Results, c.Trials = "20261122-0936-6db6", "weir bench", nil, nil
	c.Manifest.Settings = append(c.Manifest.Settings, weir.Setting{Where: "host", Name: "load before the start", Value: "1.02 of 2 CPUs busy; of one CPU: cc1 (process 4711) 97 %"})
	rng := rand.New(rand.NewPCG(3, 4))
	for round := 1; round <= 3; round++ {
		for _, b := range boxes {
			b.sweep(&c, rng, round)
		}
	}
	doubted := &c.Results[9] // 512 octets
	doubted.Warnings = []weir.Warning{{Code: weir.NoisyResult, Text: "the DUT stood still 27.7 times a second; with these windows the knee is 560836 frames/s"}}
	doubted.WithStalls = weir.Bounds{Value: .8 * doubted.Value}
	silent := &c.Results[10] // 1518 octets
	silent.Value, silent.Lower, silent.Upper, silent.KneeZero, silent.Saturated, silent.Curve = 0, 0, 0, weir.Bounds{}, weir.Bounds{}, nil
	silent.Verdict, silent.Latency, silent.CPUPerFrame, silent.LeftOutShare, silent.Limited = "", nil, 0, .62, "outside"
	silent.LeftOut = []weir.LeftOut{{Reason: "generator stood still", Windows: 149, Share: .62}}
	silent.Claim = weir.Claim{Name: "no claim, search not ended"}
	silent.Warnings = []weir.Warning{{Code: weir.BusyMachine, Text: "62 % of the windows had to be left out (generator stood still: 62 %): there is no number; stop other work, or take a quieter machine"}}
	return c
}

// sweep adds the trial and the result of one round.
func (b box) sweep(c *weir.Campaign, rng *rand.Rand, round int) {
	const window = 5 * time.Millisecond
	knee := b.capacity
	saturated := .88 * knee
	t := weir.TrialResult{Backend: "xdp", Sending: 2 * time.Second, Trial: weir.Trial{Number: len(c.Trials) + 1, Purpose: "sweep",
		Traffic: weir.Traffic{Name: b.size, Sizes: b.octets, Family: weir.IPv4, Protocol: weir.UDP, Flows: 256}},
		Host: weir.HostLoad{Other: 300 * time.Millisecond, Steal: 20 * time.Millisecond, Over: 2 * time.Second}}
	r := weir.Result{Method: "sweep", Claim: weir.Claim{Name: "capacity, windows"}, Factors: weir.Factors{"frame_size": b.level(), "flows": 256}, Unit: "frames/s",
		Value: 1.005 * knee, Lower: .97 * knee, Upper: 1.04 * knee, LossRatio: .005, ExceedRatio: .5, TrialSeconds: window.Seconds(), Trials: 2, SearchTime: 2,
		CPUPerFrame: .98 / knee, CPUShare: .5, MeanSize: t.Trial.Traffic.MeanSize(), Round: round, First: t.Trial.Number, Last: t.Trial.Number, Verdict: "degrading",
		Sweep: &weir.Sweep{KneeZero: weir.Bounds{Value: knee, Lower: .96 * knee, Upper: 1.03 * knee},
			Saturated:  weir.Bounds{Value: saturated, Lower: .99 * saturated, Upper: 1.01 * saturated},
			WithStalls: weir.Bounds{Value: .99 * knee, Lower: .9 * knee, Upper: 1.02 * knee}, Conditional: .98 * knee,
			Interruptions: weir.Interruptions{PerSecond: 8, P50: .004, Max: .03}, Windows: 240 * round, LeftOutShare: .03,
			LeftOut: []weir.LeftOut{{Reason: "generator stood still", Windows: 7 * round, Share: .03}}, Rounds: round}}
	for i := range 24 {
		load := knee * (.5 + .07*float64(i))
		lost := max(0, 1-min(knee, saturated+max(0, 1.1*knee-load))/load)
		r.Curve = append(r.Curve, weir.Point{Branch: "up", Intended: load, Offered: load, Forwarded: load * (1 - lost), LossRatio: lost,
			WindowPoint: &weir.WindowPoint{Load: load, Loss: lost, Lower: .9 * lost, Upper: min(1, 1.1*lost), Windows: 9 * round, LeftOut: 1}})
		for range 10 {
			w := weir.WindowResult{Sent: uint64(load * window.Seconds())}
			w.Received = uint64(float64(w.Sent) * (1 - min(1, max(0, lost+.02*rng.NormFloat64()))))
			t.Trial.Windows, t.Windows = append(t.Trial.Windows, weir.Window{Intended: load, Duration: window}), append(t.Windows, w)
		}
	}
	for range 500 {
		t.Latency.Add(uint64(b.median*math.Exp(.2*rng.NormFloat64())*1e9), 1)
	}
	r.Latency = t.Latency.Summary()
	c.Trials, c.Results = append(c.Trials, t), append(c.Results, r)
}

// sampleBench is that with an experiment behind it.
func sampleBench() weir.Campaign {
	c := sampleSwept()
	runs := made{arms: []madeArm{firewalls[0], firewalls[2]}, factors: []weir.Factor{{Name: "firewall", Levels: []string{"none", "stateful"}}},
		sizes: []any{64}, blocks: 6, spread: .006, wave: .08}.campaign(42)
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
			r.Warnings = []weir.Warning{{Code: weir.EventLate, Text: "the announcement was late"}}
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
