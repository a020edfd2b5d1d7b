package sweep

import (
	"math"
	"slices"
	"time"

	"weir"
)

// The fine pass: 12 loads from 0.8 to 1.12 of a knee, one step is left out, and 8
// loads follow from 1.19 to 1.48. All are powers of one step from an anchor, the
// first knee that was seen: a later round around another knee has most of its
// loads in common with those before, and a median is one of all rounds. Medians
// of rounds at different loads would be mixed as if one DUT had lost less at a
// higher load.
const (
	aroundLoads = 12
	aroundLow   = .8
	overFirst   = 13 // the number of the first overload, of 0 for the lowest load
	overLast    = 20
	fineLoads   = aroundLoads + overLast - overFirst + 1

	// enough is the load, in terms of the knee, that a tester has to send for
	// overload to be known.
	enough = 1.18
	// saturating is how far above the knee a load counts as an overload: it is
	// found after the loads were chosen around one that was seen before.
	saturating = 1.15
	// keep is by how much the knee may move until loads are chosen anew.
	keep = .06
)

// step is the ratio of two neighbouring loads.
var step = math.Pow(1.12/aroundLow, 1./(aroundLoads-1))

// loads are those around a knee, as far as the tester can send.
func (at layout) loads() (out []float64) {
	if at.broad {
		return at.broadLoads()
	}
	lowest := math.Round(math.Log(aroundLow*min(at.knee, at.reach)/at.anchor) / math.Log(step))
	for n := range overLast + 1 {
		if n >= aroundLoads && n < overFirst {
			continue
		}
		if l := at.anchor * math.Pow(step, lowest+float64(n)); l <= at.reach {
			out = append(out, l)
		}
	}
	// The last load that is left out for the tester's sake is its maximum.
	if n := len(out); n == 0 || n < fineLoads && at.reach > out[n-1]*math.Sqrt(step) {
		out = append(out, at.reach)
	}
	return out
}

// A pass over a DUT with several speeds has 12 loads from 0.4 to 1.12 of the fastest
// one's knee, so that slower ones show where they lose nothing, and 6 overloads of
// all. Between two of the 12 are broadStep steps, and each block is one step higher
// than the one before it, so that all are sent.
const (
	broadLow       = .4
	broadStep      = 3
	overFirstBroad = 1.15
)

// broadLoads are those of a pass over several speeds, as far as the tester can send.
func (at layout) broadLoads() (out []float64) {
	lowest := math.Round(math.Log(broadLow*min(at.knee, at.reach)/at.anchor) / math.Log(step))
	for n := range aroundLoads {
		out = append(out, at.anchor*math.Pow(step, lowest+float64(broadStep*n)))
	}
	for _, n := range []float64{13, 14, 16, 17, 19, 20} {
		out = append(out, aroundLow*at.knee*math.Pow(step, n))
	}
	out = slices.DeleteFunc(out, func(l float64) bool { return l > at.reach })
	if n := len(out); n < aroundLoads+6 && (n == 0 || at.reach > out[n-1]*math.Sqrt(step)) {
		out = append(out, at.reach)
	}
	return out
}

// fine is a pass over the loads around a knee within a time, at least one
// block.
func (g Goal) fine(pass, round int, at layout, within time.Duration) Pass {
	p := Pass{Kind: Fine, Round: round, Knee: at.knee, Broad: at.broad}
	loads := at.loads()
	most := within / time.Duration(3*len(loads))
	prime := g.prime(at, most)
	first := prime
	if left := g.leaves(at); left < at.frames { // but for the first window, which follows a longer silence
		first = g.prime(at, within/4)
		at.frames = left
		prime = g.prime(at, most)
	}
	window := func(load float64, block int) weir.Window {
		if at.broad && load < overFirstBroad*at.knee {
			load = min(load*math.Pow(step, float64(block%broadStep)), at.reach)
		}
		w := weir.Window{Intended: load, Duration: at.window, Silence: g.Silence, Prime: prime}
		if at.doubles && block%2 == 1 {
			w.Duration *= 2
		}
		if prime != nil {
			w.Hold = g.hold(at)
			w.Pause = time.Duration(min(1./primePause, longestPause.Seconds()/at.window.Seconds()) * float64(w.Duration))
		}
		return w
	}
	var block time.Duration
	for _, l := range loads {
		block += window(l, 0).Length()
		if at.doubles {
			block += at.window / 2
		}
	}
	blocks := int(within / block)
	if at.blocks > 0 && !at.doubles {
		blocks = min(blocks, at.blocks)
	}
	if at.doubles {
		blocks = max(2, 2*min(blocks/2, at.blocks))
	}
	blocks = max(1, min(blocks, weir.MaxWindows/len(loads)))
	g.lay(&p, pass, loads, blocks, window)
	p.Windows[0].Prime = first
	return p
}

// layout is what a fine pass is laid out for.
type layout struct {
	anchor  float64       // frames/s per port: the first knee
	knee    float64       // the same: the one that is known now
	frames  float64       // with which a window is primed, beyond those that are forwarded meanwhile
	reach   float64       // frames/s per port: what the tester sends beside the DUT, Maximum at most
	clear   float64       // frames/s per port: the highest load that the way to the buffer takes; 0: nobody knows
	broad   bool          // there are several speeds, of which the fastest has that knee
	window  time.Duration // length
	doubles bool          // every second block has windows of twice the length
	blocks  int           // at most, of each length; 0: as many as there is time for
}

// length is how long a window at a knee has to be. For a loss ratio to show it
// takes two frames of it. Where the tester cannot send enough to fill a buffer
// before the window, the window's own overload has to fill it, and that is to
// show at the resolution. A block takes a quarter of the time of a round at
// most.
func (g Goal) length(knee float64, within time.Duration) time.Duration {
	frames := min(max(600, 2/g.Loss), 2000)
	if !g.primes(knee) {
		frames = max(frames, (g.ring()+unseen)/g.Resolution)
	}
	want := math.Min(frames/knee, time.Minute.Seconds())
	d := time.Duration(want * float64(time.Second)).Round(10 * time.Microsecond)
	most := within / (4 * fineLoads)
	return max(g.Window, min(d, most))
}
