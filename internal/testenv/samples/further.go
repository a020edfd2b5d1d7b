package samples

import (
	"time"

	"weir"
)

// Further is a campaign of what has no column in the main table: a curve
// of an overload with probes, one of the loss, bursts, MLRsearch, and a
// throughput over the number of routes.
func Further() weir.Campaign {
	c := Campaign()
	c.Results, c.Trials = nil, nil
	probe := func(i int) *weir.Probe {
		p := &weir.Probe{EchoSent: 50, EchoLost: uint64(i), AcceptTried: 50, Heartbeat: time.Duration(5+i*i) * time.Millisecond}
		p.Echo.Add(uint64(100_000+50_000*i*i), 50-uint64(i))
		p.Accept.Add(uint64(300_000+90_000*i*i), 50)
		return p
	}
	overload := weir.Result{Method: "overload", Claim: weir.Claim{Name: "overload curve"}, Factors: weir.Factors{"frame_size": 64},
		Value: 500e3, Lower: 500e3, Upper: 505e3, Unit: "frames/s", Verdict: "degrading", Trials: 20, TrialSeconds: 1, Width: .01,
		Figures: []weir.Figure{{Name: "MFR", Value: 520e3, Unit: "frames/s"}, {Name: "index FRMOL/MFR", Value: .58}, {Name: "recovery time", Value: .0042, Unit: "s"}}}
	for i := 1; i <= 10; i++ {
		offered := float64(i) * 200e3
		forwarded := min(offered, 520e3-.05*max(0, offered-520e3))
		p := weir.Point{Trial: i, Branch: "up", Intended: offered, Offered: offered, Forwarded: forwarded, LossRatio: 1 - forwarded/offered,
			CPUShare: min(1, offered/520e3), IdleShare: max(0, 1-offered/520e3), Probe: probe(i)}
		if forwarded < offered {
			p.Drops = []weir.Drop{{Place: "dut backlog (softnet dropped)", Count: uint64(offered - forwarded)}}
		}
		overload.Curve = append(overload.Curve, p)
	}
	for i := 8; i >= 0; i-- {
		p := overload.Curve[i]
		p.Trial, p.Branch, p.Probe, p.Forwarded = 19-i, "down", nil, p.Forwarded*.98
		overload.Curve = append(overload.Curve, p)
	}
	lossRate := weir.Result{Method: "loss-rate", Claim: weir.Claim{Name: "frame loss rate", Demands: []weir.Demand{
		{Source: "RFC 2544 section 26.3", Level: weir.Must, Text: "the first trial is at 100 % of the maximum rate", Found: "100 %", Kept: true},
		{Source: "RFC 2544 section 24", Level: weir.Should, Text: "trials last at least 60 s", Found: "1s"},
	}}, Factors: weir.Factors{"frame_size": 64}, Value: 400e3, Lower: 400e3, Upper: 400e3, Unit: "frames/s", Curve: overload.Curve[:10]}
	bursts := weir.Result{Method: "back-to-back", Claim: weir.Claim{Name: "back-to-back"}, Factors: weir.Factors{"frame_size": 64},
		Value: 1234.5, Lower: 1200, Upper: 1310, Unit: "frames", Figures: []weir.Figure{{Name: "standard deviation", Value: 21.3, Unit: "frames"}},
		Warnings: []weir.Warning{weir.Warn(weir.StealTime, "the hypervisor took %.1f %% of the CPU time", 1.4)}}
	mlr := weir.Result{Method: "mlrsearch", Claim: weir.Claim{Name: "MLRsearch goal"}, Factors: weir.Factors{"frame_size": 64},
		Value: 498e3, Lower: 497e3, Upper: 500e3, Unit: "frames/s", LossRatio: .005, Irregular: true}
	c.Results = append(c.Results, overload, lossRate, bursts, mlr)
	for i, routes := range []int{1, 10_000, 500_000} {
		c.Results = append(c.Results, weir.Result{Method: "throughput", Claim: weir.Claim{Name: "throughput"},
			Factors: weir.Factors{"frame_size": 64, "routes": routes}, Value: 800e3 - 150e3*float64(i), Unit: "frames/s", TrialSeconds: 1, Trials: 9})
	}
	soak := weir.Result{Method: "soak", Claim: weir.Claim{Name: "soak"}, Factors: weir.Factors{"frame_size": 64}, Verdict: "1 event", First: 30, Last: 32, Value: 1e-5}
	c.Results = append(c.Results, soak)
	// Trial 31 is the attempt before trial 32, and does not count.
	for i, received := range [][]uint32{{1000, 990, 1000, 1000}, {0, 0, 0, 0}, {1000, 1000, 700, 980}} {
		line := weir.NewTimeline(time.Second, []uint32{1000, 1000, 1000, 1000}, received)
		c.Trials = append(c.Trials, weir.TrialResult{Trial: weir.Trial{Number: 30 + i, Purpose: "soak", Duration: 4 * time.Second, Intended: 1000},
			Offered: 4000, Received: 3990, Attempts: max(i, 1), Timeline: &line})
	}
	return c
}
