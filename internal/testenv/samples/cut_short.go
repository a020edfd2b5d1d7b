package samples

import (
	"time"

	"weir"
	"weir/internal/claim"
)

// CutShort is a campaign of searches that were cut short on a machine that was
// busy in so many of the eight trials of each.
func CutShort(busy int, rates ...float64) weir.Campaign {
	c := weir.Campaign{Ended: "complete"}
	for i, size := range []int{64, 512, 1518}[:len(rates)] {
		first := len(c.Trials) + 1
		for n := range 8 {
			r := weir.TrialResult{Trial: weir.Trial{Number: first + n, Purpose: "throughput", Intended: 2e6, Duration: time.Second}, Offered: 2e6}
			if n < busy {
				r.Warnings = []weir.Warning{weir.Warn(weir.BusyMachine, "other processes used %.1f %% of the CPU time", 30.)}
			}
			c.Trials = append(c.Trials, r)
		}
		c.Results = append(c.Results, weir.Result{Method: "throughput", Unit: "frames/s", Verdict: claim.NotEnded, Claim: weir.Claim{Name: claim.NotEnded},
			Factors: weir.Factors{"frame_size": size}, Value: rates[i], Lower: rates[i], Upper: 2e6, TrialSeconds: 1, Trials: 8,
			First: first, Last: first + 7, CPUPerFrame: 700e-9, CPUShare: .8, MeanSize: float64(size)})
	}
	return c
}
