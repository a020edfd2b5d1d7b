package sweep

import (
	"math"
	"time"
)

// The model of a capacity that changes with time.
const (
	trackGrid     = .02  // step of the logarithm of a capacity
	trackNoise    = .03  // deviation of what a window forwards from the capacity, in its logarithm
	trackOutlier  = .1   // share of windows that lose frames for another reason
	trackHidden   = .02  // share of windows that lose none though the capacity is below their load
	trackLoses    = .03  // loss ratio from which on a window says what the capacity is
	trackJumps    = 3.   // a second
	trackWander   = .3   // chance of a step to a neighbour on the grid, for each trackPace
	trackLow      = 1e-2 // per step of the grid, in nats: of equally likely capacities a jump leads to the lowest
	trackExplains = .7   // share of the windows that lose frames, at least, that show the capacity
	trackFar      = 20   // the lowest cell of the grid lies no further below the highest than this factor
)

// trackPace is the time to which trackWander belongs.
const trackPace = 15 * time.Millisecond

// evidence is what one window says of the capacity.
type evidence struct {
	at     float64 // s, since the first pass began
	load   float64 // logarithm of frames/s per port
	rate   float64 // logarithm of what was forwarded, or where it loses nothing of what the capacity is at least
	loses  bool    // it says what the capacity is; otherwise a lower bound
	silent bool    // it says nothing
}

// evidenceOf reduces a window to what it says of the capacity. A buffer that was not
// full when it began took a part of the frames, of which only half is known.
func (g Goal) evidenceOf(s *sample) evidence {
	e := evidence{at: s.at.Seconds(), load: math.Log(s.load()), loses: s.loss > trackLoses}
	rate := s.rate
	if hidden := g.ring() / s.span(); !s.fills() {
		if e.loses {
			hidden /= 2
		}
		rate -= hidden
	}
	e.silent = !s.quiet() || s.result.Sent < fewFrames || !(rate > s.load()/trackFar)
	if !e.silent {
		e.rate = math.Log(rate)
	}
	return e
}

// track is the capacity over time that explains windows best.
type track struct {
	windows []evidence
	steady  bool    // each pass has one load
	buffer  float64 // frames per port that the DUT holds
	base    float64 // logarithm of the capacity of the lowest cell
	cells   int     // of the grid
	slope   float64 // what is forwarded changes by for each frame beyond the capacity
	path    []int   // the cell of each window
	outlier float64 // log likelihood of a window that loses frames for another reason
	score   float64 // log likelihood of the path
	jumped  bool    // the capacity is known to jump: less tells one phase from the next
}

// follow finds the capacity over time of samples in their order, of a DUT that
// forwards all that it can of an overload. It is nil where they show none.
func (g Goal) follow(samples []sample) *track {
	t := &track{steady: g.steady, buffer: g.ring()}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range samples {
		e := g.evidenceOf(&samples[i])
		t.windows = append(t.windows, e)
		if e.silent {
			continue
		}
		if e.loses {
			low = min(low, e.rate)
		}
		high = max(high, e.rate)
	}
	if !(low < high) {
		return nil
	}
	low = max(low, high-math.Log(trackFar))
	t.base = low - 5*trackGrid
	t.cells = int((high-t.base)/trackGrid) + 10
	t.outlier = math.Log(trackOutlier / float64(t.cells))
	t.solve()
	return t
}

// The slopes that are tried: from a livelock to a DUT that forwards most of what
// exceeds its capacity.
const (
	slopeMost = .9
	slopeStep = .3
	slopeLast = .01 // to which it is known in the end
)

// fit finds the capacity over time together with how what is forwarded depends on
// the overload: the slope that explains the windows best, from 0 on up and down for as
// long as that is better. Loads are mixed within milliseconds and speeds last longer,
// so that both can be told from each other.
func (t *track) fit() {
	better := func(slope float64) bool {
		next := *t
		next.slope = slope
		if next.solve(); next.score <= t.score {
			return false
		}
		*t = next
		return true
	}
	for slope := -slopeStep; slope >= -slopeMost && better(slope); slope -= slopeStep {
	}
	for slope := slopeStep; slope <= slopeMost && t.slope >= 0 && better(slope); slope += slopeStep {
	}
	for d := slopeStep / 2; d > slopeLast; d /= 2 {
		if at := t.slope; !better(at - d) {
			better(at + d)
		}
	}
}

// forwards is the logarithm of what a DUT forwards of a load, relative to its
// capacity, of which x is the multiple.
func forwards(x, slope float64) float64 {
	if x <= 1 {
		return 0
	}
	return math.Log(max(1+slope*(x-1), .02))
}

// move is how a path comes to a cell: by so many cells from below, or by a jump.
type move = int8

const jump move = 2

// solve finds the most likely path (Viterbi 1967).
func (t *track) solve() {
	n, span := t.cells, int(math.Log(1e3)/trackGrid)
	shape := make([]float64, 2*span+1) // by how many cells the load lies above the capacity
	for d := range shape {
		shape[d] = forwards(math.Exp(float64(d-span)*trackGrid), t.slope)
	}
	score, next := make([]float64, n), make([]float64, n)
	for k := range n {
		score[k] = -trackLow * float64(k)
	}
	moves, jumps := make([]move, n*len(t.windows)), make([]int, len(t.windows)) // to each cell; from where jumps lead
	last := math.NaN()
	for i, e := range t.windows {
		if e.silent {
			continue
		}
		if math.IsNaN(last) {
			last = e.at
		}
		jumps[i] = highest(score)
		t.step(score, next, moves[i*n:][:n], jumps[i], e.at-last)
		last = e.at
		t.weigh(e, next, shape, span)
		score, next = next, score
	}
	t.path = make([]int, len(t.windows))
	at := highest(score)
	t.score = score[at]
	for i := len(t.windows) - 1; i >= 0; i-- {
		t.path[i] = at
		if m := moves[i*n+at]; m == jump {
			at = jumps[i]
		} else {
			at -= int(m)
		}
	}
}

// highest is the index of the highest score.
func highest(score []float64) (at int) {
	for k, s := range score {
		if s > score[at] {
			at = k
		}
	}
	return at
}

// step moves scores on by a time: the capacity stays, wanders, or jumps from the best.
func (t *track) step(score, next []float64, moves []move, best int, d float64) {
	n := len(score)
	jumps := max(-math.Expm1(-trackJumps*d), 1e-9)
	wander := min(.6, max(trackWander*d/trackPace.Seconds(), 1e-9))
	stays, wanders := math.Log1p(-wander)+math.Log1p(-jumps*.999), math.Log(wander/2)+math.Log1p(-jumps*.999)
	lands := score[best] + math.Log(jumps/float64(n))
	for k := range n {
		to, by := score[k]+stays, move(0)
		if k > 0 && score[k-1]+wanders > to {
			to, by = score[k-1]+wanders, 1
		}
		if k+1 < n && score[k+1]+wanders > to {
			to, by = score[k+1]+wanders, -1
		}
		if l := lands - trackLow*float64(k); l > to {
			to, by = l, jump
		}
		next[k], moves[k] = to, by
	}
}

// likelyTop is the log likelihood of a window that shows just the capacity.
var likelyTop = math.Log((1 - trackOutlier) * trackGrid / trackNoise / math.Sqrt(2*math.Pi))

// likelyBelow are log likelihoods of windows that lose nothing, by how many
// deviations their load lies above the capacity: from -belowSpan to belowSpan in
// steps of 1 / belowSteps.
var likelyBelow = below()

const (
	belowSpan  = 4
	belowSteps = 9
	belowCell  = 6 // steps in a cell: belowSteps * trackGrid / trackNoise
)

func below() (out []float64) {
	for n := range 2*belowSpan*belowSteps + 1 {
		z := float64(n)/belowSteps - belowSpan
		out = append(out, math.Log(trackHidden+(1-trackHidden)/2*math.Erfc(z/math.Sqrt2)))
	}
	return out
}

// weigh adds to the score of each cell the logarithm of how likely a window is there.
func (t *track) weigh(e evidence, score []float64, shape []float64, span int) {
	if !e.loses {
		at := int(math.Round(((e.rate-t.base)/trackNoise + belowSpan) * belowSteps))
		for k := range score {
			score[k] += likelyBelow[min(max(at, 0), len(likelyBelow)-1)]
			at -= belowCell
		}
		return
	}
	over := int(math.Round((e.load - t.base) / trackGrid))
	for k := range score {
		z := (e.rate - t.base - float64(k)*trackGrid - shape[span+min(max(over-k, -span), span)]) / trackNoise
		score[k] += max(likelyTop-z*z/2, t.outlier)
	}
}

// capacity is the logarithm of the capacity that a window shows by itself; false where
// it shows none, or one that is far from the path.
func (t *track) capacity(i int) (float64, bool) {
	e := t.windows[i]
	if e.silent || !e.loses {
		return 0, false
	}
	rate, load := math.Exp(e.rate), math.Exp(e.load)
	c := math.Log(max((rate-t.slope*load)/(1-t.slope), 1e-3*rate))
	return c, math.Abs(c-t.base-float64(t.path[i])*trackGrid) < 3*trackNoise
}

// explains reports whether most of the windows that lose frames show the capacity of
// the path. Where they do not, each has lost its frames for a reason of its own.
func (t *track) explains() bool {
	shown, lost := 0, 0
	for i, e := range t.windows {
		if e.silent || !e.loses {
			continue
		}
		lost++
		if _, ok := t.capacity(i); ok {
			shown++
		}
	}
	return float64(shown) >= trackExplains*float64(lost)
}
