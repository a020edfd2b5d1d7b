package samples

import (
	"time"

	"weir"
)

// Shares is a campaign with the jitter at two loads, an overload in two
// phases, and bursts.
func Shares() weir.Campaign {
	c := Campaign()
	c.Results, c.Trials = nil, nil
	trial := func(t weir.Trial, offered, received uint64) {
		t.Number, t.Duration = len(c.Trials)+1, time.Second
		t.Traffic = weir.Traffic{Name: "64", Sizes: []weir.Size{64}}
		c.Trials = append(c.Trials, weir.TrialResult{Trial: t, Offered: offered, Received: received, Sending: t.Length()})
	}
	result := func(method, unit string, value, cpu float64) {
		n := len(c.Trials)
		c.Results = append(c.Results, weir.Result{Method: method, Factors: weir.Factors{"frame_size": 64}, Value: value, Unit: unit, First: n, Last: n,
			CPUPerFrame: cpu, Figures: []weir.Figure{{Name: "throughput", Value: 1e6, Unit: "frames/s"}}})
	}
	trial(weir.Trial{Purpose: "jitter", Intended: 500e3}, 500e3, 500e3)
	result("jitter", "s", 2e-6, 800e-9)
	trial(weir.Trial{Purpose: "jitter", Intended: 949_999}, 949_999, 949_999)
	result("jitter", "s", 5e-6, 800e-9)
	trial(weir.Trial{Purpose: "recovery", Intended: 1.1e6, Then: &weir.Phase{Intended: 550e3, Duration: time.Second}}, 1.65e6, 1.5e6)
	result("recovery", "s", .005, 800e-9)
	trial(weir.Trial{Purpose: "back-to-back", Maximum: true, Count: 2000}, 2000, 1000)
	result("back-to-back", "frames", 900, 60e-9)
	return c
}
