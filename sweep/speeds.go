package sweep

import (
	"cmp"
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
	visitLeast  = 8   // windows that show the capacity in a phase whose speed is known
	speedShare  = .1  // of the windows that a speed has to hold for to be the headline's
	speedRounds = 2   // rounds in which it has to hold
)

// visit is a phase: a stretch of windows in which the capacity does not jump.
type visit struct {
	from, to int     // its windows, from <= i < to
	shown    int     // windows that show the capacity
	log      float64 // mean of the logarithm of that
	bound    float64 // logarithm of the greatest load that nothing was lost of; where shown is few, the capacity is at least that
	speed    int     // index of its speed; -1: it has none
}

// visits divides a track at its jumps and between passes. Whether it jumps at all is
// true where neighbouring windows show it, or passes differ by more than a slow wave
// makes them.
func (t *track) visits(samples []sample) (out []visit, jumps bool) {
	begin := func(i int) { out = append(out, visit{from: i, speed: -1}) }
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
		if i > 0 && differ(out[i], out[i-1], apart) {
			jumps = true
		}
	}
	return out, jumps
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
	return differ(near(-1, at-1), near(1, at), jumpLeast)
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

// nearest is the index of the speed of a visit of which few windows show the capacity;
// -1: nothing tells which.
func (v visit) nearest(speeds []speed) int {
	above := 0 // speeds that are not below the bound
	for k, s := range speeds {
		if v.shows() && math.Abs(s.log-v.log) < speedApart {
			return k
		}
		if s.log > v.bound-speedApart/2 {
			above++
		}
	}
	if v.shows() || above != 1 {
		return -1
	}
	return 0
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

func abs(v int) int { return max(v, -v) }

// speed is a level that phases come back to.
type speed struct {
	log     float64 // of its capacity
	err     float64 // standard error of that
	freedom int     // of that
	windows int     // in its phases
	rounds  int     // with at least visitLeast windows that show it
}

// speeds groups visits by their capacity, the fastest first. A visit of which few
// windows show the capacity gets a speed that is near, and one that only has a lower
// bound the fastest speed if no other is above that.
func speeds(visits []visit, samples []sample) (out []speed) {
	var known []*visit
	for i := range visits {
		if visits[i].shown >= visitLeast {
			known = append(known, &visits[i])
		}
	}
	slices.SortStableFunc(known, func(a, b *visit) int { return cmp.Compare(b.log, a.log) })
	for i, v := range known {
		if i == 0 || known[i-1].log-v.log > speedApart {
			out = append(out, speed{})
		}
		v.speed = len(out) - 1
	}
	for k := range out {
		out[k].average(k, known)
	}
	for i := range visits {
		v := &visits[i]
		if v.speed < 0 {
			v.speed = v.nearest(out)
		}
		if v.speed >= 0 {
			out[v.speed].windows += v.to - v.from
		}
	}
	for k := range out {
		rounds := map[int]bool{}
		for _, v := range known {
			if v.speed == k {
				rounds[samples[v.from].round] = true
			}
		}
		out[k].rounds = len(rounds)
	}
	return out
}

// average sets the capacity of a speed from its visits.
func (s *speed) average(k int, known []*visit) {
	n, sum := 0., 0.
	for _, v := range known {
		if v.speed == k {
			n, sum = n+float64(v.shown), sum+float64(v.shown)*v.log
		}
	}
	s.log = sum / n
	between, visits := 0., 0
	for _, v := range known {
		if v.speed == k {
			visits++
			between += math.Pow(float64(v.shown)*(v.log-s.log), 2)
		}
	}
	s.freedom = max(visits-1, 1)
	s.err = trackNoise / math.Sqrt(n)
	if visits > 1 {
		s.err = max(s.err, math.Sqrt(between*float64(visits)/float64(visits-1))/n)
	}
}
