package samples

import (
	"math"
	"math/rand/v2"
	"time"

	"weir"
)

// Sweep adds the trial and the result of one round.
func (b Box) Sweep(c *weir.Campaign, rng *rand.Rand, round int) {
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

// OneSweep is a campaign of one sweep of 64-octet frames.
func OneSweep(change func(*weir.Result)) weir.Campaign {
	r := weir.Result{Method: "sweep", Claim: weir.Claim{Name: "capacity, windows"}, Factors: weir.Factors{"frame_size": 64}, Unit: "frames/s", Value: 8e5, Lower: 7.6e5, Upper: 8.2e5,
		LossRatio: .005, TrialSeconds: .005, Sweep: &weir.Sweep{KneeZero: weir.Bounds{Value: 7.9e5, Lower: 7.5e5, Upper: 8.1e5},
			Saturated: weir.Bounds{Value: 7.8e5, Lower: 7.7e5, Upper: 7.9e5}, WithStalls: weir.Bounds{Value: 7.9e5}, Windows: 400, Rounds: 3}}
	change(&r)
	return weir.Campaign{Ended: "complete", Results: []weir.Result{r}}
}

// FirstRound takes away what a sweep does not know that was cut short in its first round.
func FirstRound(r *weir.Result) {
	r.Lower, r.Upper, r.Sweep.Rounds = 0, 0, 1
	r.KneeZero, r.Saturated = weir.Bounds{Value: r.KneeZero.Value}, weir.Bounds{Value: r.Saturated.Value}
}
