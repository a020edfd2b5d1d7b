package sweep

import (
	"math"
	"slices"
	"time"

	"weir"
)

// UpDown is a pass over steps from a low load up to the highest one and down
// again, in this order in each block: where both ways differ, something stayed
// behind from the overload.
const UpDown Kind = "up and down"

// The ladder.
const (
	ladderBlocks = 3  // at least
	ladderMost   = 50 // blocks
	ladderWarm   = 5  // the part of a window that its load is sent before it counts, at least

	rungNear = .97 // of a knee: from there on a load may fill the buffer
)

// Ladder is a pass up and down over loads in frames/s per port, which rise, of
// a DUT of which the estimate is known. It takes about so long, but has three
// blocks at least.
//
// Each block ends with a window at the load of which most was forwarded, so that
// the highest load is held against one of the same moment.
//
// Nothing is sent between two windows but the load of the second one, for a
// while that does not count: as long as an overload needs to fill the buffer
// that it found empty.
func (g Goal) Ladder(loads []float64, known Estimate, within time.Duration) Pass {
	g = g.or().holding(known.Buffer)
	p := Pass{Kind: UpDown, Round: 1, Knee: known.Knee.Value}
	way := slices.Concat(loads, loads)
	slices.Reverse(way[len(loads):])
	if best, _ := mostForwarded(known); best > 0 {
		way = append(way, min(best, loads[len(loads)-1]))
	}
	var block []weir.Window
	for _, load := range way {
		block = append(block, g.rung(load, known, within/time.Duration(ladderBlocks*len(way))))
	}
	length := Pass{Windows: block}.Length()
	blocks := min(max(int(within/max(length, 1)), ladderBlocks), ladderMost, max(1, weir.MaxWindows/len(block)))
	for b := range blocks {
		p.Windows = append(p.Windows, block...)
		for range block {
			p.Blocks = append(p.Blocks, b)
		}
	}
	return p
}

// rung is a window of a ladder. One of a low load is longer, within what there
// is time for: of few frames a single one is much.
func (g Goal) rung(load float64, known Estimate, most time.Duration) weir.Window {
	span := func(frames float64) time.Duration {
		return time.Duration(min(frames/load, time.Minute.Seconds()) * float64(time.Second)).Round(10 * time.Microsecond)
	}
	length := max(g.Window, min(known.Window, most), min(span(fewFrames), most), span(2))
	warm := max(length/ladderWarm, span(2))
	if knee := known.Knee.Value; knee > 0 && load > rungNear*knee {
		frames := max(g.ring(), known.Buffer) + primeBeyond
		fill := min(frames/max(load-knee, 1), 1)
		warm = max(warm, min(time.Duration(fill*float64(time.Second)).Round(10*time.Microsecond), length))
	}
	return weir.Window{Intended: load, Duration: length, Prime: &weir.Phase{Intended: load, Duration: warm}}
}

// Rung is one load on one way of a ladder.
type Rung struct {
	Point
	Offered float64 // what left the tester, median, frames/s per port
	All     float64 // median loss ratio over all windows, none left out, 0 to 1; what was not sent is missing, too
}

// Branches are what a ladder shows. Rates are in frames/s per port.
type Branches struct {
	Up, Down []Rung   // by rising load; windows of the highest load are those of both ways
	Top      Interval // what is forwarded of the highest load, with the interval of that median
	Most     float64  // the most that is forwarded of any load, each the middle one of three neighbours
	// Index is what is forwarded of the highest load in terms of what is forwarded
	// of that of which the sweep saw most forwarded, median of blocks with its
	// interval; 0: nobody knows. Best is the latter.
	Index Interval
	Best  float64
	// Drift is Best in terms of what the sweep saw forwarded of that load: by how
	// much the DUT, or the machine, is faster now; 0: nobody knows.
	Drift float64
	// Difference is the largest one between what is forwarded of a load on both
	// ways, of those loads on whose sign the blocks agree; 0: there is none.
	Difference float64
	Blocks     int
}

// Branches says what a ladder shows, of a DUT of which the estimate is known.
// It is a pure function.
func (g Goal) Branches(p Pass, known Estimate) Branches {
	g = g.or().holding(known.Buffer)
	all := g.samples([]Pass{p})
	length := 0 // windows of a block
	for length < len(p.Blocks) && p.Blocks[length] == 0 {
		length++
	}
	steps := length / 2
	if len(all) == 0 || steps == 0 {
		return Branches{}
	}
	rate := known.Saturated.Value
	if rate == 0 {
		rate = known.Knee.Value
	}
	g.stalls(all, max(g.ring(), 1.5*known.Buffer), rate)
	b := Branches{Blocks: len(all) / length}
	b.Index, b.Best = index(all, steps, length)
	if _, most := mostForwarded(known); most > 0 {
		b.Drift = b.Best / most
	}
	var ups, downs, ladder []sample
	for i, s := range all {
		at := i % length
		if at == 2*steps {
			continue
		}
		ladder = append(ladder, s)
		if at <= steps {
			ups = append(ups, s) // windows of the highest load, the last one up and the first one down, are of both
		}
		if at >= steps-1 {
			downs = append(downs, s)
		}
	}
	b.Up, b.Down = rungs(ups, g.Ports), rungs(downs, g.Ports)
	top := b.Up[len(b.Up)-1]
	b.Top = Interval{Value: top.Forwarded}
	b.Top.Lower, b.Top.Upper = between(ratesOf(ups, top.Load))
	b.Top.Lower, b.Top.Upper = min(b.Top.Lower, top.Forwarded), max(b.Top.Upper, top.Forwarded)
	b.Top.LowerThen, b.Top.UpperThen = b.Top.Lower, b.Top.Upper
	b.Most = greatest(rungs(ladder, g.Ports))
	b.Difference = difference(ladder, steps, g.Ports)
	return b
}

// mostForwarded is the load of which the windows around a knee saw most
// forwarded, and how much that was; 0 when there is none. Those of a coarse pass
// count the frames that the buffer took.
func mostForwarded(known Estimate) (load, most float64) {
	for _, p := range known.Curve {
		if p.Windows+p.LeftOut != coarseBlocks && p.Forwarded > most && p.Load >= aroundLow*known.Knee.Value && p.Load < 1.5*known.Knee.Value {
			load, most = p.Load, p.Forwarded
		}
	}
	return load, most
}

// index holds the two windows of the highest load of each block against the one
// at its end.
func index(samples []sample, steps, length int) (Interval, float64) {
	var ratios, best []float64
	for begin := 0; length > 2*steps && begin+length <= len(samples); begin += length {
		last := &samples[begin+length-1]
		if !last.quiet() || last.rate == 0 {
			continue
		}
		best = append(best, last.rate)
		for _, top := range samples[begin+steps-1 : begin+steps+1] {
			if top.quiet() {
				ratios = append(ratios, top.rate/last.rate)
			}
		}
	}
	i := Interval{Value: median(ratios)} // which sorts them
	i.Lower, i.Upper = between(ratios)
	i.LowerThen, i.UpperThen = i.Lower, i.Upper
	return i, median(best)
}

// rungs are the points of samples. Of a load of which no window counts, or all
// look interrupted, the others say what they can.
func rungs(samples []sample, ports int) (out []Rung) {
	points := curve(samples)
	for i, c := range columns(samples, func(*sample) bool { return true }) {
		r := Rung{Point: points[i]}
		var offered, loss, rates, missing []float64
		for _, s := range c.windows {
			offered = append(offered, float64(s.result.Sent)/float64(ports)/s.window.Duration.Seconds())
			missing = append(missing, s.missing(ports))
			if r.Windows == 0 || s.counts() {
				loss, rates = append(loss, s.loss), append(rates, s.rate)
			}
		}
		slices.Sort(missing)
		r.Offered, r.All = median(offered), missing[len(missing)/2]
		if r.Windows == r.Stalled {
			r.Loss, r.Forwarded = median(loss), median(rates)
			r.Lower, r.Upper = between(loss)
		}
		out = append(out, r)
	}
	return out
}

// ratesOf are what is forwarded of a load, sorted: of quiet windows, or of all
// where there is none.
func ratesOf(samples []sample, load float64) []float64 {
	var quiet, all []float64
	for i := range samples {
		s := &samples[i]
		if s.load() != load {
			continue
		}
		all = append(all, s.rate)
		if s.quiet() {
			quiet = append(quiet, s.rate)
		}
	}
	if len(quiet) == 0 {
		quiet = all
	}
	slices.Sort(quiet)
	return quiet
}

// greatest is the greatest rate of a curve, each the middle one of three
// neighbours: the greatest of many medians would be above the truth by luck.
func greatest(rungs []Rung) (most float64) {
	for i := 1; i+1 < len(rungs); i++ {
		most = max(most, median([]float64{rungs[i-1].Forwarded, rungs[i].Forwarded, rungs[i+1].Forwarded}))
	}
	return most
}

// difference is the largest median difference between both ways of a load in a
// block, in frames/s per port, of those that a sign test over the blocks
// confirms at one in twenty of all loads together. Two frames are no
// difference.
func difference(samples []sample, steps, ports int) (largest float64) {
	for step := range steps - 1 {
		var diffs []float64
		more, less := 0, 0
		for begin := 0; begin+2*steps <= len(samples); begin += 2 * steps {
			up, down := &samples[begin+step], &samples[begin+2*steps-1-step]
			if !up.quiet() || !down.quiet() {
				continue
			}
			d := down.rate - up.rate
			diffs = append(diffs, d)
			switch two := 2 / float64(ports) / up.window.Duration.Seconds(); {
			case d > two*(1+1e-9):
				more++
			case d < -two*(1+1e-9):
				less++
			}
		}
		if chance(max(more, less), more+less)*float64(steps-1) < .05 {
			largest = max(largest, math.Abs(median(diffs)))
		}
	}
	return largest
}

// chance is how likely it is that at least so many of n coins show the same
// side.
func chance(most, n int) float64 {
	if 2*most <= n {
		return 1
	}
	sum, term := 0., math.Pow(.5, float64(n)) // term: n over k
	for k := n; k >= most; k-- {
		sum += term
		term *= float64(k) / float64(n-k+1)
	}
	return min(1, 2*sum)
}
