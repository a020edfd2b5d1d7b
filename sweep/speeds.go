package sweep

import (
	"math"
	"slices"
)

// What makes a phase, and a speed.
const (
	jumpLeast   = .15 // change of the logarithm of the capacity between neighbouring windows: a jump
	roundsLeast = .3  // the same between passes, at least
	roundsWaves = 8   // the same in terms of how the capacity deviates within a phase
	jumpWindows = 6   // on either side of a jump that are compared
	speedApart  = .1  // distance of the logarithms of two speeds, at least
	speedBlur   = .04 // deviation of the logarithm of the capacity of phases of one speed
	speedValley = .7  // between two speeds phases are less frequent than this part of the rarer one's
	visitLeast  = 8   // windows that show the capacity in a phase whose speed is known
)

// visit is a phase: a stretch of windows in which the capacity does not jump.
type visit struct {
	from, to int     // its windows, from <= i < to
	pass     int     // that these are of
	shown    int     // windows that show the capacity
	log      float64 // mean of the logarithm of that
	bound    float64 // logarithm of the greatest load that nothing was lost of; where shown is few, the capacity is at least that
	speed    int     // index of its speed; -1: it has none
}

// visits divides a track at its jumps and between passes. Whether it jumps at all is
// true where neighbouring windows show it, or passes differ by more than a slow wave
// makes them.
func (t *track) visits(samples []sample) (out []visit, jumps bool) {
	begin := func(i int) { out = append(out, visit{from: i, pass: samples[i].pass, speed: -1}) }
	for i := range samples {
		switch {
		case i == 0 || samples[i].pass != samples[i-1].pass:
			begin(i)
		case abs(t.path[i]-t.path[i-1]) > 1 && t.jumps(samples, i):
			begin(i)
			jumps = true
		}
		v := &out[len(out)-1]
		v.to = i + 1
	}
	apart := max(roundsLeast, roundsWaves*t.waves(out))
	for i := range out {
		t.measure(&out[i])
		if before := t.before(out, i); before >= 0 && differ(out[i], out[before], apart) {
			jumps = true
		}
	}
	return out, jumps
}

// before is the index of the visit before one that it can be compared with: of a track with
// one load in each pass the last one of another pass at the same load. It is -1 where there is none.
func (t *track) before(visits []visit, i int) int {
	k := i - 1
	for k >= 0 && t.steady && (visits[k].pass == visits[i].pass || t.windows[visits[k].from].load != t.windows[visits[i].from].load) {
		k--
	}
	return k
}

// jumps reports whether the capacity differs between the windows before one and those
// from it on by more than a wave makes it differ.
func (t *track) jumps(samples []sample, at int) bool {
	near := func(step int, i int) visit {
		var v visit
		first := i
		for n := 0; i >= 0 && i < len(samples) && n < jumpWindows && samples[i].pass == samples[first].pass; i += step {
			if i != first && abs(t.path[i]-t.path[i-step]) > 1 {
				break
			}
			if _, ok := t.capacity(i); ok {
				n++
			}
			v.from, v.to = min(first, i), max(first, i)+1
		}
		t.measure(&v)
		return v
	}
	before, after := near(-1, at-1), near(1, at)
	limit := jumpLeast
	if t.jumped && before.shows() != after.shows() { // they differ by that at least
		limit = speedApart
	}
	return differ(before, after, limit) && (!t.steady || lasts(before) && lasts(after) && t.full(samples, at, after))
}

// lasts reports whether as many windows on one side of a jump show the capacity, or a lower
// bound of it, that they are no interruption.
func lasts(v visit) bool { return v.shown >= visitLeast/2 || v.to-v.from >= visitLeast/2 && !v.shows() }

// full reports whether the buffer of a DUT that has the capacity of the windows from one on
// was full before that, in a pass of one load: some windows have lost frames, or more were
// taken than it holds. Until a queue is full, or a bucket empty, nothing is lost of any load.
func (t *track) full(samples []sample, at int, after visit) bool {
	capacity, lost, taken := math.Exp(after.level()), 0, 0. // frames
	for i := at - 1; i >= 0 && samples[i].pass == samples[at].pass; i-- {
		if t.windows[i].loses {
			lost++
		}
		taken += (samples[i].rate - capacity) * samples[i].span()
	}
	return lost >= visitLeast/2 || taken > 2*t.buffer
}

// differ reports whether the levels of two visits that show something are further
// apart than a limit.
func differ(a, b visit, limit float64) bool {
	d := math.Abs(a.level() - b.level())
	return d > limit && !math.IsInf(d, 0)
}

// waves is the deviation of the logarithm of the capacity within visits.
func (t *track) waves(visits []visit) float64 {
	squares := 0.
	for _, v := range visits {
		var cells []float64
		for _, cell := range t.path[v.from:v.to] {
			cells = append(cells, float64(cell)*trackGrid)
		}
		squares += math.Pow(spread(cells), 2) * float64(len(cells))
	}
	return math.Sqrt(squares / float64(max(len(t.path), 1)))
}

// measure sets what the windows of a visit show.
func (t *track) measure(v *visit) {
	sum := 0.
	v.shown, v.bound = 0, math.Inf(-1)
	for i := v.from; i < v.to; i++ {
		if c, ok := t.capacity(i); ok {
			v.shown++
			sum += c
		} else if e := t.windows[i]; !e.silent && !e.loses && e.rate < t.base+(float64(t.path[i])+2)*trackGrid {
			v.bound = max(v.bound, e.rate)
		}
	}
	v.log = sum / float64(max(v.shown, 1))
}

// nearest is the index of the speed of a visit; -1: nothing tells which. One that only has
// a lower bound has the fastest speed if no other is above that.
func (v visit) nearest(speeds []speed) int {
	above, at := 0, -1 // above are speeds that are not below the bound
	for k, s := range speeds {
		if d := math.Abs(s.log - v.log); d < speedApart && (at < 0 || d < math.Abs(speeds[at].log-v.log)) {
			at = k
		}
		if s.log > v.bound-speedApart/2 {
			above++
		}
	}
	switch {
	case v.shows():
		return at
	case above == 1:
		return 0
	}
	return -1
}

// shows reports whether the windows of a visit show more than a lower bound.
func (v visit) shows() bool { return v.shown > 0 && (v.shown >= visitLeast/2 || v.bound <= v.log) }

// level is the logarithm of the capacity of a visit, or its lower bound where too few
// windows show it.
func (v visit) level() float64 {
	if v.shows() {
		return v.log
	}
	return v.bound
}

// faster reports whether a visit without a speed is above all of them.
func (v visit) faster(than []speed) bool {
	return v.speed < 0 && (len(than) == 0 || v.level() > than[0].log+speedApart)
}

// blind reports whether loads were too low in a visit to tell the fastest of the speeds, which
// it counts for, from one above it.
func (v visit) blind(speeds []speed) bool {
	return v.speed == 0 && !v.shows() && !math.IsInf(v.bound, -1) && v.bound < speeds[0].log-speedApart/2
}

func abs(v int) int { return max(v, -v) }

// length is how long a visit takes, in s.
func (v visit) length(samples []sample) float64 {
	last := samples[v.to-1]
	return (last.at + last.window.Length() - samples[v.from].at).Seconds()
}

// stay is a phase whose capacity is known, of a sweep or of a neighbour.
type stay struct {
	log   float64 // of the capacity, in terms of the sweep's own
	shown int     // windows that show it; of a neighbour not known
	time  float64 // s
	round int     // of the sweep, at that time
	visit int     // index of the sweep's own phase; -1: it is a neighbour's
}

// stays returns the visits whose capacity is known.
func stays(visits []visit, samples []sample) (out []stay) {
	for i, v := range visits {
		if v.shown >= visitLeast {
			out = append(out, stay{v.log, v.shown, v.length(samples), samples[v.from].round, i})
		}
	}
	return out
}

// speed is a level that phases come back to.
type speed struct {
	log     float64 // of its capacity
	err     float64 // standard error of that
	freedom int     // of that
	time    float64 // s, in its phases, those of neighbours too
	rounds  int     // in which it was met
	own     bool    // it was met by the sweep itself
}

// speedsOf groups stays by their capacity, the fastest first: a speed is where stays are
// more frequent than at the capacities around. Beside the speeds it returns which one each
// stay has.
func speedsOf(all []stay) (out []speed, of []int) {
	if len(all) == 0 {
		return nil, nil
	}
	logs := peaks(all)
	groups := make([][]stay, len(logs))
	for _, s := range all {
		at := 0
		for k := range logs {
			if math.Abs(logs[k]-s.log) < math.Abs(logs[at]-s.log) {
				at = k
			}
		}
		of = append(of, at)
		groups[at] = append(groups[at], s)
	}
	index := make([]int, len(groups))
	for k, group := range groups {
		index[k] = len(out)
		if len(group) > 0 {
			out = append(out, average(group))
		}
	}
	for i := range of {
		of[i] = index[of[i]]
	}
	return out, of
}

// peaks returns the logarithms of the capacities at which stays are most frequent by
// their time, the highest first. Between two of them there is a valley.
func peaks(all []stay) (out []float64) {
	const step = speedBlur / 4
	low, high := all[0].log, all[0].log
	for _, s := range all {
		low, high = min(low, s.log), max(high, s.log)
	}
	density := make([]float64, int((high-low)/step)+4) // from a step above the highest to one below the lowest
	at := func(k int) float64 { return high - float64(k-1)*step }
	for k := range density {
		for _, s := range all {
			z := (s.log - at(k)) / speedBlur
			density[k] += s.time * math.Exp(-z*z/2)
		}
	}
	last := -1
	for k := 1; k+1 < len(density); k++ {
		switch d := density[k]; {
		case d < density[k-1] || d <= density[k+1]: // no peak
		case last >= 0 && slices.Min(density[last:k]) > speedValley*min(density[last], d):
			if d > density[last] {
				last, out[len(out)-1] = k, at(k)
			}
		default:
			last, out = k, append(out, at(k))
		}
	}
	if len(out) == 0 {
		out = append(out, at(1))
	}
	return out
}

// average is the speed that stays at it amount to. What the sweep forwards at it is known
// from its own stays, where there are some; how much stays differ by themselves, from all.
func average(all []stay) (s speed) {
	rounds := map[int]bool{}
	var sums [2]struct{ n, time, log, squares float64 } // of neighbours, and of the sweep's own
	kind := func(v stay) int { return min(v.visit+1, 1) }
	shown := 0
	for _, v := range all {
		rounds[v.round] = true
		of := &sums[kind(v)]
		of.n, of.time, of.log = of.n+1, of.time+v.time, of.log+v.time*v.log
		of.squares += v.time * v.time
		shown += v.shown
	}
	s.time, s.rounds, s.own = sums[0].time+sums[1].time, len(rounds), sums[1].n > 0
	means := [2]float64{sums[0].log / max(sums[0].time, 1e-9), sums[1].log / max(sums[1].time, 1e-9)}
	squares := 0.
	for _, v := range all {
		squares += v.time * math.Pow(v.log-means[kind(v)], 2)
	}
	from := sums[0]
	if s.log = means[0]; s.own {
		from, s.log = sums[1], means[1]
	}
	s.err = trackNoise / math.Sqrt(float64(max(shown, 1)))
	s.freedom = len(all) - 1
	if sums[0].n > 0 && s.own {
		s.freedom--
	}
	if s.freedom > 0 {
		deviation := math.Sqrt(squares / s.time * float64(len(all)) / float64(s.freedom))
		s.err = max(s.err, deviation*math.Sqrt(from.squares)/from.time)
	}
	s.freedom = max(s.freedom, 1)
	return s
}
