package sweep

import (
	"math"
	"slices"
)

// The waves that the interval of a sweep reckons with.
const (
	waveTimes  = 10 // correlation times, from that of a block to the longest
	waveNoises = 7  // shares of noise with each
	// waveSpan is for how many correlation times of a wave there has to be
	// measuring without a break. A mean over time holds one independent value of
	// the wave for each two of them (Priestley 1981, "Spectral Analysis and Time
	// Series", chapter 5). Of a slower wave a sweep has seen less than one value,
	// and cannot tell where the others lie: that the spread of rounds apart tells.
	waveSpan = 2
	// waveBlocks are what it takes to know anything of a wave.
	waveBlocks = 4
)

// wave is a slow wave that blocks may have seen.
type wave struct {
	log   float64 // of the likelihood
	shift float64 // of its mean in the long run from that of the blocks
	err   float64 // standard error of that
}

// wander is how far the mean of the logarithms of blocks lies from that of the
// long run at most, in 95 of 100 cases.
//
// A block within a slow wave knows little more than the one before it, and so
// does a round that follows another at once: three rounds of two seconds are
// much alike in a wave of one and a half, and their spread does not tell how far
// all of them are off together. Only what the wave forgot between two blocks is
// new, and how soon it forgets they say themselves, if badly. So all correlation
// times that there was time for are tried, each with several shares of noise,
// and count by how well they explain the blocks.
func wander(blocks []saturation) float64 {
	n := len(blocks)
	if n < waveBlocks {
		return 0
	}
	var gaps []float64
	sum := 0.
	for i, b := range blocks {
		sum += b.log
		if i > 0 {
			gaps = append(gaps, b.at-blocks[i-1].at)
		}
	}
	usual := median(gaps)
	if !(usual > 0) {
		return 0
	}
	longest := usual * float64(max(stretch(blocks, usual), 2*waveSpan)) / waveSpan
	var waves []wave
	for i := range waveTimes {
		slow := usual * math.Pow(longest/usual, float64(i)/(waveTimes-1))
		step := -2 * math.Expm1(-usual/slow) // variance of what is new in a block, in terms of the wave's
		kept := make([]float64, n)
		for i := 1; i < n; i++ {
			kept[i] = math.Exp(-max(blocks[i].at-blocks[i-1].at, 0) / slow)
		}
		for k := range waveNoises {
			noise := step * .03 * math.Pow(10, float64(k)/2)
			if w := explains(blocks, kept, sum/float64(n), noise); !math.IsNaN(w.log + w.shift + w.err) {
				waves = append(waves, w)
			}
		}
	}
	return nearly(waves, critical(n-1)/1.96)
}

// stretch is how many blocks were measured without a break, at most: without a
// pause that is longer than what was measured before it.
func stretch(blocks []saturation, usual float64) (longest int) {
	now := 1
	for i := 1; i < len(blocks); i++ {
		if blocks[i].at-blocks[i-1].at > usual*float64(max(now, waveBlocks)) {
			now = 0
		}
		now++
		longest = max(longest, now)
	}
	return longest
}

// explains is how well a wave explains blocks around their mean, of which so much
// is kept from one block to the next (of Ornstein and Uhlenbeck), with noise of so
// many times its variance. It is Kalman's filter over the blocks and over a
// constant at once. The likelihood is the restricted one (Harville 1974): few
// blocks whose mean and deviation are fitted look calmer than the wave is.
func explains(blocks []saturation, kept []float64, mean, noise float64) wave {
	x, one, v := 0., 0., 1. // what is known before a block, and the variance of that
	var yy, y1, ones, det float64
	part := 1. // of the determinant: fewer logarithms
	for i, b := range blocks {
		if i > 0 {
			a := kept[i]
			x, one, v = a*x, a*one, 1-a*a*(1-v)
		}
		all := v + noise
		y, c := b.log-mean-x, 1-one
		yy, y1, ones = yy+y*y/all, y1+y*c/all, ones+c*c/all
		x, one, v = x+v/all*y, one+v/all*c, v*noise/all
		if part *= all; part < 1e-200 || part > 1e200 {
			det, part = det+math.Log(part), 1
		}
	}
	det += math.Log(part)
	free := float64(len(blocks) - 1)
	rest := max(yy-y1*y1/ones, 1e-15) // blocks that are all equal
	return wave{
		log:   -(det + math.Log(ones) + free*math.Log(rest)) / 2,
		shift: y1 / ones,
		err:   math.Sqrt(rest / free / ones),
	}
}

// nearly is the distance from 0 within which the mean of the long run lies in 95
// of 100 cases, of all waves by their likelihood; errors are taken that many
// times as large.
func nearly(waves []wave, times float64) float64 {
	best := math.Inf(-1)
	for _, w := range waves {
		best = max(best, w.log)
	}
	waves = slices.DeleteFunc(waves, func(w wave) bool { return w.log < best-15 })
	low, high, all := 0., 0., 0.
	for i := range waves {
		w := &waves[i]
		w.log = math.Exp(w.log - best)
		w.err *= times * math.Sqrt2
		all += w.log
		high = max(high, math.Abs(w.shift)+3*w.err)
	}
	for range 30 {
		middle, beyond := (low+high)/2, 0.
		for _, w := range waves {
			beyond += w.log / 2 * (math.Erfc((middle-w.shift)/w.err) + math.Erfc((middle+w.shift)/w.err))
		}
		if beyond > .05*all {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
