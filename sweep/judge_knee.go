package sweep

import "math"

// grain is an error of the knee that blocks do not show, as all have it: that of
// the line through the losses near a kink, which lies between two loads. By
// simulation it is about a fifteenth of a step of loads.
var grain = math.Log(step) / 15

// knees estimates the four knees.
func (j *judgement) knees(first crossing) {
	e := &j.e
	quiet, counts := (*sample).quiet, (*sample).counts
	var rounds []float64
	var err float64
	e.Knee, rounds, err = j.interval(j.Loss, quiet)
	e.Rounds = len(rounds)
	if uneven(err, rounds) {
		e.Flags = append(e.Flags, Uneven)
	}
	e.KneeZero, _, _ = j.interval(0, quiet)
	e.KneeDisturbed, _, _ = j.interval(j.Loss, counts)
	e.ZeroDisturbed, _, _ = j.interval(0, counts)
	if e.Knee.Value == 0 && first.above {
		e.Limited = j.above()
		return
	}
	if e.Knee.Value == 0 {
		var above bool
		if e.Knee, above = j.leastDisturbed(j.Loss); above {
			e.Knee, e.Limited = Interval{}, j.above()
			return
		}
		if e.Knee.Value == 0 {
			e.Limited = ByMinimum
			return
		}
		e.Flags = append(e.Flags, LeastDisturbed)
	}
	if e.KneeZero.Value == 0 {
		e.KneeZero, _ = j.leastDisturbed(0)
	}
	if z := &e.KneeZero; z.Value > e.Knee.Value { // it was found in another way
		z.Value = e.Knee.Value
		z.Lower, z.LowerThen = min(z.Lower, z.Value), min(z.LowerThen, z.Value)
	}
}

// above is why there is no knee where no fine load lost more than the goal allows:
// the tester cannot send more, or the time was over before it did.
func (j *judgement) above() string {
	top := 0.
	for _, s := range j.fine {
		top = max(top, s.window.Intended)
	}
	if top >= .99*j.st.reach {
		return ByTester
	}
	return ByTime
}

// leastDisturbed is the knee where most windows of all loads lost frames, which
// is how a machine looks that others take away for half of the time: that of the
// best quarter of the windows of each load, in all fine passes, or where even
// these say nothing, in the coarse ones; without those that a buffer hides. The
// interval goes from the lowest of these loads, or what the coarse pass says where
// that is less, to what the best windows forwarded at the most. Above: not even of the highest load they lost more.
func (j *judgement) leastDisturbed(ratio float64) (Interval, bool) {
	var fine []sample
	for _, s := range j.all {
		if s.kind != Coarse {
			fine = append(fine, s)
		}
	}
	coarse := bestQuarter(columns(j.coarse, (*sample).shows))
	for _, best := range [][]column{bestQuarter(columns(fine, (*sample).shows)), coarse} {
		k := knee(best, ratio, nil)
		if k.below || !(k.load > 0) {
			continue
		}
		var rates []float64
		for _, c := range best {
			for _, s := range c.windows {
				rates = append(rates, s.rate)
			}
		}
		lower := min(best[0].load, k.load)
		if low := knee(coarse, ratio, nil); !low.below {
			lower = min(lower, low.load)
		}
		upper := max(k.load, quantile(rates, .9))
		return Interval{Value: k.load, Lower: lower, Upper: upper, LowerThen: lower, UpperThen: upper}, k.above
	}
	return Interval{}, false
}

// shows reports whether a window counts and its frames waited for less time than it
// lasted. Otherwise the DUT holds more than was sent in it, and that none of it was
// lost means nothing.
func (s *sample) shows() bool { return s.counts() && s.wait <= s.window.Duration }

// hidden reports whether most windows that count do not show what became of
// their frames.
func (j *judgement) hidden() bool {
	hidden, all := 0, 0
	for i := range j.all {
		if j.all[i].counts() {
			all++
			if !j.all[i].shows() {
				hidden++
			}
		}
	}
	return 2*hidden > all
}

// interval is the knee at a loss ratio with its intervals, the logarithms of
// those of the rounds, and its standard error from blocks. Of the windows by
// their loads and by their loads in terms of the saturated rate, it takes the
// second where they scatter less, or others share the machine, and neither hardly
// at all.
func (j *judgement) interval(ratio float64, test func(*sample) bool) (Interval, []float64, float64) {
	cs := columns(j.fine, test)
	find := func(w []int) crossing { return knee(cs, ratio, w) }
	k := find(nil)
	if k.below || k.above || !(k.load > 0) {
		return Interval{}, nil, 0
	}
	blocks := blocksOf(j.fine)
	then := j.scatter(blocks, neighbours, find)
	if r := relate(j.fine, k.load, test); r != nil && then > j.Resolution/5 {
		other := func(w []int) crossing { return r.knee(ratio, w) }
		if o := other(nil); !o.below && !o.above && o.load > 0 {
			// Of a machine that is shared rounds are known to differ, which their blocks do
			// not tell: loads as they were sent would mix a fast round's knee with what a
			// slow one loses of the same loads.
			if d := j.scatter(blocks, neighbours, other); d < better*then || j.Shared {
				k, find, then = o, other, d
			}
		}
	}
	n, most := 0, 0
	for i, b := range blocks {
		n += len(b)
		if i > 0 || len(blocks) == 1 { // the first round also learns what the others know
			most = max(most, len(b))
		}
	}
	var rounds []float64
	for i := range blocks {
		if 3*len(blocks[i]) < most {
			continue // one that was cut short
		}
		only := make([]int, j.all[len(j.all)-1].block+1)
		for _, b := range blocks[i] {
			only[b] = 1
		}
		if r := find(only); !r.below && !r.above && r.load > 0 {
			rounds = append(rounds, math.Log(r.load))
		}
	}
	all := j.scatter(blocks, apart, find)
	then, all = math.Hypot(then, grain), math.Hypot(all, grain)
	free := max(1, n-len(blocks))
	far := 0.
	known := saturations(j.fine, k.load, (*sample).quiet)
	if 2*len(known) >= n {
		far = wander(known)
	}
	if far > 0 { // the blocks' own noise is not only that of their overloads
		far = math.Hypot(far, critical(free)*then)
	}
	return spans(math.Log(k.load), then, all, far, free, rounds, j.shared(known)), rounds, all
}

// shared is how much the saturated rates of the blocks within a round scatter, of
// a machine that others share; 0 of one that nobody does.
func (g Goal) shared(known []saturation) float64 {
	if !g.Shared {
		return 0
	}
	var squares float64
	free := 0
	for len(known) > 0 {
		n := 1
		for n < len(known) && known[n].round == known[0].round {
			n++
		}
		var logs []float64
		for _, s := range known[:n] {
			logs = append(logs, s.log)
		}
		squares, free = squares+float64(n-1)*spread(logs)*spread(logs), free+n-1
		known = known[n:]
	}
	if unknown := sharedKnown - free; unknown > 0 {
		squares, free = squares+float64(unknown)*sharedScatter*sharedScatter, sharedKnown
	}
	return math.Sqrt(squares / float64(free))
}

// scatter is the standard error of the logarithm of a knee.
func (j *judgement) scatter(blocks [][]int, how scheme, find func([]int) crossing) float64 {
	value := find(nil).load
	return deviation(j.bootstrap(blocks, how, uint64(how), func(w []int) float64 { return safe(math.Log(find(w).load), value) }))
}

// safe is a logarithm, or that of a value when it is none.
func safe(l, value float64) float64 {
	if math.IsNaN(l) || math.IsInf(l, 0) {
		return math.Log(value)
	}
	return l
}
