package sweep

import (
	"cmp"
	"math"
	"slices"
	"time"

	"weir"
)

// sample is one window of the past, reduced to what estimates ask of it.
type sample struct {
	kind   Kind
	pass   int // index in the past
	round  int
	block  int // of all blocks of the past, from 0
	window weir.Window
	result weir.WindowResult
	at     time.Duration // its begin, since that of the first pass

	loss   float64       // of what was sent, 0 to 1
	rate   float64       // received / length, frames/s per port
	behind bool          // less was sent than asked, also where it did not stand still, by more than 1 % and two frames
	reason string        // why it is left out; "": it counts
	stall  time.Duration // length of the interruption that it looks to have; 0: none
	wait   time.Duration // the longest of its frames, beyond the quickest of all samples
	room   time.Duration // the part of that for which the buffer had room when the window began
	credit time.Duration // of the pause before the window: for how long the DUT worked for the window
	normal float64       // its load as it would be at the headline's speed, frames/s per port; 0: there is one speed
}

// load is that of a window and what counts of the pause before it, in frames/s
// per port.
func (s sample) load() float64 {
	if s.normal > 0 {
		return s.normal
	}
	if s.credit == 0 {
		return s.window.Intended
	}
	return s.window.Intended * s.window.Duration.Seconds() / s.span()
}

// span is how long the DUT has for the frames of a window, in seconds.
func (s sample) span() float64 { return (s.window.Duration + s.credit).Seconds() }

// fills reports whether the buffer of the DUT was full when the window began:
// of the frames before it some were lost.
func (s sample) fills() bool {
	return s.result.PrimeSent > 0 && s.result.PrimeReceived < s.result.PrimeSent
}

// samples are the windows of all whole blocks of the past.
func (g Goal) samples(past []Pass) []sample {
	var out []sample
	block := -1
	var now time.Duration
	for i, p := range past {
		last := -1
		now = max(now, p.Start)
		at := now
		now += p.Length()
		for j := range p.whole() {
			if block < 0 || j == 0 || p.Blocks[j] != last {
				block++
				last = p.Blocks[j]
			}
			s := g.sample(p, i, j, block)
			s.at = at
			at += p.Windows[j].Length()
			out = append(out, s)
		}
	}
	wait(out)
	g.credit(out)
	return out
}

// credit counts the pauses before windows. A DUT that is full works on in a pause,
// so that a window has room for what it forwards in that; of a policer's tokens
// no more than its bucket holds gather.
func (g Goal) credit(samples []sample) {
	var rates []float64
	for i := range samples {
		if s := &samples[i]; s.counts() && s.window.Pause > 0 && s.loss > overloads {
			rates = append(rates, s.rate)
		}
	}
	if len(rates) == 0 {
		return
	}
	rate := median(rates)
	if !(rate > 0) {
		return
	}
	share := 1.
	if _, full, buffer := g.filled(samples, rate); full > 0 {
		share = min(1, buffer/(rate*pauseOf(samples).Seconds()))
	}
	for i := range samples {
		if s := &samples[i]; s.window.Pause > 0 {
			s.credit = time.Duration(share * float64(s.window.Pause))
			s.rate = g.rate(*s)
		}
	}
}

// overloads is the loss ratio of a window from which on its load is more than a
// DUT can forward, whatever the noise.
const overloads = .02

// pauseOf is the longest pause of samples.
func pauseOf(samples []sample) (longest time.Duration) {
	for _, s := range samples {
		longest = max(longest, s.window.Pause)
	}
	return longest
}

// rate is what was forwarded of a window, in frames/s per port.
func (g Goal) rate(s sample) float64 {
	return float64(min(s.result.Received, s.result.Sent)) / float64(g.Ports) / s.span()
}

func (g Goal) sample(p Pass, pass, window, block int) sample {
	s := sample{kind: p.Kind, pass: pass, round: p.Round, block: block, window: p.Windows[window], result: p.Results[window]}
	if sent := s.result.Sent; sent > 0 {
		s.loss = float64(s.result.Lost()) / float64(sent)
	}
	s.rate = g.rate(s)
	s.behind = g.isShort(s, s.result.GeneratorGap)
	s.reason = g.outside(s)
	return s
}

// missing is the loss ratio of a window that nothing speaks against, and of
// others what did not come back of all that was asked for.
func (s *sample) missing(ports int) float64 {
	if s.reason == Unsent || s.reason == Unknown {
		asked := s.window.Intended * s.window.Duration.Seconds() * float64(ports)
		return max(0, 1-float64(s.result.Received)/asked)
	}
	return s.loss
}

// column holds the windows of one load that are compared with others.
type column struct {
	load    float64
	windows []*sample // by rising loss
}

// bestQuarter are columns with the quarter of their windows that lost least.
func bestQuarter(columns []column) []column {
	var out []column
	for _, c := range columns {
		out = append(out, column{c.load, c.windows[:(len(c.windows)+3)/4]})
	}
	return out
}

// columns sorts samples by load, those that pass a test.
func columns(samples []sample, test func(*sample) bool) []column {
	at := map[float64]int{}
	var out []column
	for i := range samples {
		s := &samples[i]
		if !test(s) {
			continue
		}
		k, ok := at[s.load()]
		if !ok {
			k = len(out)
			at[s.load()] = k
			out = append(out, column{load: s.load()})
		}
		out[k].windows = append(out[k].windows, s)
	}
	slices.SortFunc(out, func(a, b column) int { return cmp.Compare(a.load, b.load) })
	for _, c := range out {
		slices.SortStableFunc(c.windows, func(a, b *sample) int { return cmp.Compare(a.loss, b.loss) })
	}
	return out
}

// median of values; 0 of none. The values are sorted.
func median(values []float64) float64 { return quantile(values, .5) }

// quantile of values, interpolated between neighbours (Hyndman and Fan 1996,
// definition 7); 0 of none. The values are sorted.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at := q * float64(len(values)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(values)-1)
	return values[low] + (at-float64(low))*(values[high]-values[low])
}
