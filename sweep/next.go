package sweep

import (
	"math"
	"time"
)

// The limits of a sweep.
const (
	tentative   = 4  // blocks of a pass that learns where the knee is and what the DUT holds
	beyondGoal  = 6  // passes more than rounds: those that learned, or missed the knee
	maxDoubling = 3  // of windows because the knee moved
	furthest    = 4  // times below the knee of the coarse pass
	disturbed   = 20 // coarse passes of which no window counts
)

// state is what the past amounts to for the layout of the next pass.
type state struct {
	layout
	coarse  int           // passes that say something
	silent  int           // coarse passes of which no window counts
	fine    int           // passes
	rounds  int           // fine passes that count
	counted map[int]bool  // their indices
	spent   time.Duration //
	doubled int           // times
	trusted time.Duration // windows shorter than that hide what a buffer took
	last    seen          // of the coarse passes
	// compared: it is known whether longer windows show another knee.
	compared bool
	missed   bool    // the last fine pass did not bracket the knee
	fastest  float64 // capacity in frames/s per port of the fastest speed, or more than it is known to have; where there are several
}

// Next is the pass that comes after those of the past; false when the sweep is
// done, or the goal is invalid. It is a pure function: the same past leads to the
// same pass. It ends after a few passes more than Rounds, whatever they show.
func (g Goal) Next(past []Pass) (Pass, bool) {
	if g.Validate() != nil {
		return Pass{}, false
	}
	g = g.or().knowing(past)
	if len(past) == 0 {
		return g.coarse(0, g.Minimum, g.Maximum, g.Window), true
	}
	st := g.replay(past, true)
	if st.last.nothing && st.fine == 0 {
		p := g.coarse(len(past), g.Minimum, g.Maximum, g.Window) // others may leave the machine alone for a while
		return p, st.silent < disturbed && st.spent+p.Length() <= g.Within
	}
	if st.fine == 0 && st.last.lower && st.coarse < coarsePasses {
		return g.lower(len(past), past[len(past)-1], st.last), true
	}
	left := g.Within - st.spent
	if st.rounds >= g.Rounds || st.fine >= g.Rounds+beyondGoal || st.fine > 0 && left <= 0 {
		return Pass{}, false
	}
	share := max(left, g.Within/8) / time.Duration(g.Rounds-st.rounds)
	st.window = max(st.window, g.length(st.knee, share))
	p := g.fine(len(past), st.rounds+1, st.layout, share)
	if st.rounds > 0 && p.Length() > left+left/10 {
		return Pass{}, false // there is no time for one more block
	}
	return p, true
}

// lower is a second coarse pass, over lower loads in longer windows.
func (g Goal) lower(index int, before Pass, s seen) Pass {
	highest := min(2*max(s.knee, 1), g.Maximum)
	lowest := min(max(highest/100, 1), highest/2)
	window := time.Duration(2 * fewFrames / s.knee * float64(time.Second)).Round(10 * time.Microsecond)
	most := g.Within / (4 * coarseBlocks * coarseMost)
	return g.coarse(index, lowest, highest, max(before.Windows[0].Duration, min(window, most)))
}

// replay goes through the past as Next did, and finds where the next pass has to aim
// where that is wanted.
func (g Goal) replay(past []Pass, aim bool) state {
	st := state{counted: map[int]bool{}}
	st.frames = g.ring() + primeBeyond
	st.window = g.Window
	st.reach = g.Maximum
	all := g.samples(past)
	for i, p := range past {
		st.spent += p.Length()
		var until, of []sample
		for _, s := range all {
			if s.pass <= i {
				until = append(until, s)
			}
			if s.pass == i {
				of = append(of, s)
			}
		}
		st.reach = g.reach(until)
		if p.Kind == Coarse {
			if st.last = g.read(of); st.last.nothing {
				st.silent++
			} else {
				st.coarse++
			}
			st.first(g)
			continue
		}
		st.fine++
		switch last := i+1 == len(past); {
		case last && (aim || !p.Broad):
			st.aimed(g, all)
		case last:
			st.broadly(p.Knee)
		case past[i+1].Broad:
			st.broadly(past[i+1].Knee)
		}
		st.learn(g, i, p, of, all)
	}
	return st
}

// reach is what the tester sends, in frames/s per port: beside a DUT on the same
// machine it may be much less than by itself. It is a little less than it sent of
// the lowest load above all that it sent as asked.
func (g Goal) reach(samples []sample) float64 {
	top, lowest := 0., math.Inf(1)
	all := beyond(samples)
	for load, is := range all {
		if !is {
			top = max(top, load)
		}
	}
	for load, is := range all {
		if is && load > top {
			lowest = min(lowest, load)
		}
	}
	var sent []float64
	for _, s := range samples {
		if s.load() == lowest && (s.reason == Unsent || s.behind) {
			sent = append(sent, float64(s.result.Sent)/float64(g.Ports)/s.window.Duration.Seconds())
		}
	}
	if len(sent) == 0 {
		return g.Maximum
	}
	return min(g.Maximum, max(top, .97*median(sent), g.Minimum))
}

// first lays out the fine pass that follows coarse ones. It is a short one: the
// knee may be elsewhere, and nobody has seen yet what the DUT holds.
func (st *state) first(g Goal) {
	st.knee, st.anchor, st.clear = st.last.knee, st.last.knee, st.last.clear
	st.blocks = tentative
	st.doubles = false
}

// learn lays out the pass that follows a fine one, and decides whether that one
// counts.
func (st *state) learn(g Goal, index int, p Pass, of, all []sample) {
	if len(of) == 0 {
		return
	}
	try := st.blocks > 0
	cs := columns(of, (*sample).counts)
	if k := knee(cs, g.Loss, nil); k.load > 0 {
		g.stalls(of, g.ring(), g.plateau(cs, k.load))
		cs = columns(of, (*sample).quiet)
	}
	k := knee(cs, g.Loss, nil)
	if k.below { // perhaps others took the machine for half of the time
		if b := knee(bestQuarter(cs), g.Loss, nil); !b.below && !b.above {
			k = b
		}
	}
	top := 0.
	for _, w := range p.Windows {
		top = max(top, w.Intended)
	}
	limited := k.above && top >= st.reach*(1-1e-9)
	st.missed = (k.below || k.above) && !limited && !st.broad || len(cs) == 0
	primed, full, buffer := g.filled(of, g.plateau(cs, k.load))
	unfilled := primed > 0 && float64(full) < primeShare*float64(primed) && !k.above && !st.broad
	moved := false
	if st.doubles && !st.missed && !st.broad {
		moved = g.moved(of)
	}
	if !st.missed && !unfilled && !moved {
		st.counted[index] = true
		if !try {
			st.rounds++
		}
	}
	switch {
	case st.broad: // what came back of priming is that of another speed
		st.frames = g.ring() + primeBeyond
	case !k.above:
		st.frames = g.nextPrime(st.frames, primed, full, buffer)
	}
	shown := g.learned > 0 && primed > 0 // of a buffer that is known and full the length of windows hides nothing
	switch {
	case moved && st.doubled < maxDoubling:
		st.doubled++
		st.window = 2 * shortest(of)
		st.trusted = st.window
	case st.doubles && !st.missed:
		st.doubles, st.compared = false, true
	}
	if g.Buffer == 0 && !shown && !st.compared && !unfilled && !st.missed {
		st.doubles = true
	}
	st.blocks = 0
	if unfilled || st.missed || st.doubles {
		st.blocks = tentative
	}
	st.move(g, cs, k, all)
}

// aimed sets whether there are several speeds, by all fine passes, and around which
// capacity loads have to lie then.
func (st *state) aimed(g Goal, all []sample) {
	var fine []sample
	for _, s := range all {
		if s.kind == Fine {
			fine = append(fine, s)
		}
	}
	cs := columns(fine, (*sample).counts)
	g.stalls(fine, g.ring(), g.plateau(cs, knee(cs, g.Loss, nil).load))
	if p := g.phasesOf(fine); p.several {
		st.broadly(p.aim())
	}
}

// broadly makes the next pass one over several speeds, the fastest with that capacity.
func (st *state) broadly(fastest float64) {
	st.broad, st.fastest = true, fastest
	st.clear = 0 // the coarse pass compared loads at different speeds
}

// plateau is about what the DUT forwards of more than it can.
func (g Goal) plateau(cs []column, knee float64) float64 {
	var rates []float64
	for _, c := range cs {
		if c.load < saturating*knee {
			continue
		}
		for _, s := range c.windows {
			rates = append(rates, s.rate)
		}
	}
	if len(rates) == 0 {
		return knee
	}
	return median(rates)
}

// move sets the knee that the next pass lies around: that of all passes which
// count, or where to look after a miss.
func (st *state) move(g Goal, cs []column, k crossing, all []sample) {
	if len(cs) == 0 {
		return
	}
	if st.broad {
		st.knee = min(st.fastest, st.reach)
		return
	}
	to := k.load
	if !st.missed && len(st.counted) > 0 {
		pooled := knee(columns(all, func(s *sample) bool { return s.quiet() && st.counted[s.pass] }), g.Loss, nil)
		if !pooled.below && !pooled.above {
			to = pooled.load
		}
	}
	switch {
	case k.below:
		// Even the lowest load lost frames: what came back of it is about as much
		// as the DUT can.
		var rates []float64
		for _, s := range cs[0].windows {
			rates = append(rates, s.rate)
		}
		to = max(min(median(rates), .9*cs[0].load), 1)
	case k.above:
		to = min(1.3*k.load, st.reach)
	}
	// On a machine that others take for half of the time, passes lead ever further
	// down. The coarse pass, which looks at all loads at once, knows better.
	to = max(to, st.last.knee/furthest)
	if math.Abs(math.Log(to/st.knee)) > keep {
		st.knee = to
	}
}
