package sweep

import (
	"math"
)

// saturation is what the overloads of one block show.
type saturation struct {
	block, round int
	log          float64 // of the median of received / length
	at           float64 // s: the middle of its windows, since the first pass began
}

// saturations gives the median rate of the overloads of each block that has
// some: those of at least 1.15 times the knee.
func saturations(samples []sample, knee float64, test func(*sample) bool) (out []saturation) {
	var rates, times []float64
	flush := func(s *sample) {
		if m := median(rates); m > 0 {
			out = append(out, saturation{s.block, s.round, math.Log(m), mean(times)})
		}
		rates, times = rates[:0], times[:0]
	}
	for i := range samples {
		s := &samples[i]
		if i > 0 && s.block != samples[i-1].block {
			flush(&samples[i-1])
		}
		if test(s) && s.load() >= saturating*knee {
			rates, times = append(rates, s.rate), append(times, s.at.Seconds())
		}
	}
	if len(samples) > 0 {
		flush(&samples[len(samples)-1])
	}
	return out
}

// saturated is the rate that is forwarded under overload: the mean of the logs
// of blocks, with a t interval over blocks and rounds.
func (g Goal) saturated(blocks []saturation) Interval {
	if len(blocks) == 0 {
		return Interval{}
	}
	var logs, rounds []float64
	start := 0
	steps, pairs := 0., 0
	for i, b := range blocks {
		logs = append(logs, b.log)
		if i > 0 && blocks[i-1].round == b.round {
			d := b.log - blocks[i-1].log
			steps, pairs = steps+d*d, pairs+1
		}
		if i+1 == len(blocks) || blocks[i+1].round != b.round {
			rounds = append(rounds, mean(logs[start:]))
			start = len(logs)
		}
	}
	n := float64(len(logs))
	then := 0.
	if pairs > 0 {
		// Half of the mean square of successive differences is the variance
		// without a slow wave (von Neumann 1941).
		then = math.Sqrt(steps / float64(2*pairs) / n)
	}
	freedom := max(1, len(logs)-len(rounds))
	return spans(mean(logs), then, spread(logs)/math.Sqrt(n), wander(blocks), freedom, rounds, g.shared(blocks))
}

// slope is by how much what is forwarded grows with the load over the overloads
// of each block: the exponent of a power law, with its standard error. 0: not at
// all; 1: all of it is forwarded.
func slope(samples []sample, knee float64) (exponent, err float64, ok bool) {
	var xs, ys []float64 // differences from the mean of the block
	var x, y []float64
	flush := func() {
		mx, my := mean(x), mean(y)
		for i := range x {
			xs, ys = append(xs, x[i]-mx), append(ys, y[i]-my)
		}
		x, y = x[:0], y[:0]
	}
	for i := range samples {
		s := &samples[i]
		if i > 0 && s.block != samples[i-1].block {
			flush()
		}
		if s.quiet() && s.load() >= saturating*knee && s.rate > 0 {
			x, y = append(x, math.Log(s.load())), append(y, math.Log(s.rate))
		}
	}
	flush()
	var xx, xy, rest float64
	for i := range xs {
		xx, xy = xx+xs[i]*xs[i], xy+xs[i]*ys[i]
	}
	if len(xs) < aroundLoads || !(xx > 0) {
		return 0, 0, false
	}
	b := xy / xx
	for i := range xs {
		d := ys[i] - b*xs[i]
		rest += d * d
	}
	return b, math.Sqrt(rest / float64(len(xs)) / xx), true
}
