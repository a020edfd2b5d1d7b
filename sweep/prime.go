package sweep

import (
	"time"

	"weir"
)

// Priming.
const (
	// The load of priming, in terms of the knee. It is paced: a burst is lost in
	// the first ring on its way, and fills no queue behind it. A faster one than
	// usual saves time before a slow DUT.
	primeLoad  = 1.5
	primeFirst = 1.2              // at least
	primeLast  = 4                // at most
	primeUsual = time.Millisecond // is how long priming may take before it becomes faster
	// holdTimes is how many times the ring empties while a DUT is held.
	holdTimes = 3
	// primeMargin is by how much the DUT may be faster than the knee says.
	primeMargin = 1.1
	// leaveMargin is how much more may have left a large buffer than the knee and the
	// lowest load say: what stays empty of it counts as forwarded.
	leaveMargin = 1.25
	primeBeyond = 64 // frames beyond the buffer
	unseen      = 32 // frames beyond the buffer that have to be lost to be seen
	primeLeast  = 16 // frames: of a buffer that is hardly there
	// primePause is how many pauses a window is long at least. They make room in a full
	// buffer for what a generator may send at once after it was held up a little, 64
	// us worth of frames: without it loads far below the knee lose a few frames of
	// each window. What is forwarded in the pause is part of what a window could
	// have. It is a share of the window, so that those of twice the length have the
	// same loads.
	primePause   = 64
	longestPause = 100 * time.Microsecond
	primeMore    = 4 // times the frames, when the buffer did not fill
	primeTwice   = 2 // times what it holds, when that is known
	// primeShare is of how many windows the buffer has to be full for a pass to
	// count: in a second in which the DUT is a quarter faster none is.
	primeShare = .25
)

// prime is a load that fills a buffer at a knee, or nil where the tester cannot
// send enough for that. Above the highest clear load frames would be left
// waiting before what limits the DUT, and take the place of those of the window.
func (g Goal) prime(at layout, most time.Duration) *weir.Phase {
	knee := at.knee
	if !g.primes(knee) {
		return nil
	}
	load := primeLoad * knee
	if at.clear > 0 {
		load = max(load, min(primeMargin*knee+at.frames/primeUsual.Seconds(), primeLast*knee))
		load = max(min(load, at.clear), primeFirst*knee)
	}
	load = min(load, g.Maximum)
	spare := load - primeMargin*knee
	d := time.Duration(at.frames / spare * float64(time.Second)).Round(time.Microsecond)
	return &weir.Phase{Intended: load, Duration: max(min(d, most), 10*time.Microsecond, ofOneFrame(load))}
}

// hold is a load that lets what priming left waiting before the limit pass, and
// keeps full what is behind that: a DUT that shares its CPU with others is slower
// for moments than a clear load says. Nil where the limit has nothing before it.
func (g Goal) hold(at layout) *weir.Phase {
	if at.clear == 0 {
		return nil
	}
	load := min(primeMargin*at.knee, g.Maximum)
	spare := max(at.clear, primeLoad*at.knee) - load
	d := time.Duration(holdTimes * g.medium() / spare * float64(time.Second)).Round(time.Microsecond)
	return &weir.Phase{Intended: load, Duration: max(d, ofOneFrame(load))}
}

// leaves is with how many frames a window after another one is primed, where the buffer
// is known and large: no more than what can have left it since it was full, of the
// lowest load, in the longest window and what is around that.
func (g Goal) leaves(at layout) float64 {
	held := g.held()
	if held == 0 {
		return at.frames
	}
	longest := at.window
	if at.doubles {
		longest *= 2
	}
	left := at.knee * (primeMargin*(longest+g.Silence+longestPause).Seconds() - aroundLow*longest.Seconds())
	return (max(leaveMargin*left, usualRing) + primeBeyond) * max(1, at.frames/(held+primeBeyond))
}

// primes reports whether the tester can send enough to fill a buffer.
func (g Goal) primes(knee float64) bool { return g.Maximum >= (primeMargin+.1)*knee }

// filled is how many windows were primed, and how many of these with success;
// and the buffer, in frames per port, that priming was seen to fill: what came
// back of it beyond what the DUT forwarded meanwhile.
func (g Goal) filled(samples []sample, knee float64) (primed, full int, buffer float64) {
	var held []float64
	for _, s := range samples {
		if s.window.Prime == nil || !s.counts() {
			continue
		}
		primed++
		if !s.fills() {
			continue
		}
		full++
		took := s.window.Prime.Duration.Seconds()
		held = append(held, max(0, float64(s.result.PrimeReceived)/float64(g.Ports)-knee*took))
	}
	return primed, full, quantile(held, .75)
}

// nextPrime is with how many frames the next pass is primed, after one that was
// primed with so many. What came back of it says little of a small buffer, as the
// DUT is faster or slower by then: where the ring is known it is filled.
func (g Goal) nextPrime(frames float64, primed, full int, buffer float64) float64 {
	switch {
	case primed == 0:
		return frames
	case float64(full) < primeShare*float64(primed):
		if g.learned > 0 { // the DUT is faster than it was
			return max(frames, primeTwice*g.learned) + primeBeyond
		}
		return primeMore * frames
	case buffer < .5*(frames-primeBeyond) || buffer > 1.5*(frames-primeBeyond):
		return max(1.2*buffer, primeLeast, g.held()) + primeBeyond
	}
	return frames
}
