package sweep

import (
	"math"
	"math/rand/v2"
	"time"

	"weir"
)

// The coarse pass.
const (
	coarseBlocks = 3
	coarseStep   = 1.4 // of loads, at most, while there are no more than coarseMost
	coarseLeast  = 8   // loads
	coarseMost   = 20
	fewFrames    = 50 // in a window: below that, one frame more or less is 2 %
	coarsePasses = 3
	// backlog is the part of a window by which its frames come to wait where a buffer of
	// unknown size takes what comes in and does not go out.
	backlog = 2
)

// coarse is a pass over loads in geometric steps. Its windows are not primed:
// nobody knows the knee yet. As the order is random, most windows follow one
// that left the buffer full.
func (g Goal) coarse(pass int, lowest, highest float64, window time.Duration) Pass {
	n := int(math.Ceil(math.Log(highest/lowest)/math.Log(coarseStep))) + 1
	n = max(coarseLeast, min(n, coarseMost))
	loads := make([]float64, n)
	for i := range loads {
		loads[i] = lowest * math.Pow(highest/lowest, float64(i)/float64(n-1))
	}
	loads[n-1] = highest
	p := Pass{Kind: Coarse, Round: 1}
	g.lay(&p, pass, loads, coarseBlocks, func(load float64, _ int) weir.Window {
		return weir.Window{Intended: load, Duration: window, Silence: g.Silence}
	})
	return p
}

// lay appends blocks of windows to a pass: each holds each load once, in an
// order drawn from the seed and the number of the pass.
func (g Goal) lay(p *Pass, pass int, loads []float64, blocks int, window func(load float64, block int) weir.Window) {
	random := rand.New(rand.NewPCG(g.Seed, uint64(pass)))
	for b := range blocks {
		for _, i := range random.Perm(len(loads)) {
			w := window(loads[i], b)
			w.Duration = max(w.Duration, ofOneFrame(loads[i]))
			p.Windows = append(p.Windows, w)
			p.Blocks = append(p.Blocks, b)
		}
	}
}

// ofOneFrame is how long a load takes until it has a frame: numbers of frames are
// rounded.
func ofOneFrame(load float64) time.Duration {
	return time.Duration(math.Ceil(.5*float64(time.Second)/load)) + 1
}

// seen is what a coarse pass shows.
type seen struct {
	knee    float64 // frames/s per port: about
	clear   float64 // the highest load, in frames/s per port, that fills no ring before what limits the DUT; 0: nobody knows
	lower   bool    // it lies too low for these windows: look again from there on down
	tester  bool    // even the highest load lost nothing
	nothing bool    // no window counts
}

// read says where about the knee is: between two loads such that as few windows
// as can be lost frames below, or lost none above; as far up as the losing ones
// were forwarded. With three windows a load an interruption often hits two of
// them, and a median says nothing.
func (g Goal) read(samples []sample) seen {
	cs := columns(samples, (*sample).counts)
	if len(cs) == 0 {
		return seen{nothing: true}
	}
	window := cs[0].windows[0].window.Duration.Seconds()
	lost := func(s *sample) bool {
		return s.loss > max(overloads, g.Loss, 2/(s.load()*window)) || g.Buffer == 0 && s.room > s.window.Duration/backlog
	}
	at := split(cs, lost)
	if at == len(cs) {
		return seen{knee: cs[at-1].load, tester: true}
	}
	var rates []float64
	for _, c := range cs[at:min(at+4, len(cs))] {
		for _, s := range c.windows {
			switch {
			case !lost(s):
			case g.Buffer == 0:
				rates = append(rates, s.drained())
			default:
				rates = append(rates, s.rate)
			}
		}
	}
	low := 0.
	if at > 0 {
		low = cs[at-1].load
	}
	k := min(max(median(rates), low), cs[at].load)
	return seen{knee: k, clear: g.clear(cs, k), lower: at == 0 || k*window < fewFrames}
}

// clear is the highest overload of which no frame waits in the ring before what
// limits the DUT: each that does waits for as long as that load takes to fill the
// ring, at least, and no frame of a load below the knee does. A queue shorter than
// that, of the limit itself, makes those of all overloads wait alike. 0: even those
// of the lowest overload wait, perhaps in a ring that is itself the limit.
func (g Goal) clear(cs []column, knee float64) (load float64) {
	waits := func(c column) float64 {
		least := c.windows[0].result.Delay
		for _, s := range c.windows {
			least = min(least, s.result.Delay)
		}
		return least.Seconds()
	}
	usual := math.Inf(1)
	for _, c := range cs {
		switch now := waits(c); {
		case c.load <= knee:
			usual = min(usual, now)
		case c.load < saturating*knee:
		case now-usual > .8*g.medium()/c.load:
			return load
		default:
			if load == 0 {
				usual = max(usual, now)
			}
			load = c.load
		}
	}
	return load
}

// A window without loss above the knee takes a capacity that is not there; one
// with loss below it takes an interruption alone, which one of ten has: so the
// first is worth more against a split.
const cleanAbove = 3

// split is how many of the lowest loads belong below the knee: so that of the
// windows below as few as can be lost frames, and of those above as few lost
// none; the most loads where several splits are equal.
func split(cs []column, lost func(*sample) bool) (at int) {
	wrong := 0
	for _, c := range cs {
		for _, s := range c.windows {
			if !lost(s) {
				wrong += cleanAbove
			}
		}
	}
	least := wrong
	for i, c := range cs {
		for _, s := range c.windows {
			if lost(s) {
				wrong++
			} else {
				wrong -= cleanAbove
			}
		}
		if wrong <= least {
			least, at = wrong, i+1
		}
	}
	return at
}
