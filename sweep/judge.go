package sweep

import (
	"math"
	"slices"
	"time"
)

// Estimate says what the passes amount to. It looks at whole blocks alone, so
// that it holds for a sweep that was cut short. It is a pure function.
func (g Goal) Estimate(past []Pass) Estimate {
	if g.Validate() != nil {
		return Estimate{Limited: ByTime}
	}
	g = g.or()
	st := g.replay(past)
	j := &judgement{Goal: g, st: st, all: g.samples(past)}
	return j.estimate()
}

// coarseTells is the share that three windows a load can tell from one.
const coarseTells = .8

// grain is an error of the knee that blocks do not show, as all have it: that of
// the line through the losses near a kink, which lies between two loads. By
// simulation it is about a fifteenth of a step of loads.
var grain = math.Log(step) / 15

// judgement is an estimate under way.
type judgement struct {
	Goal
	st     state
	all    []sample
	fine   []sample // of the passes that the numbers are from
	coarse []sample
	e      Estimate
}

func (j *judgement) estimate() Estimate {
	j.choose()
	e := &j.e
	e.Windows = len(j.all)
	e.LeftOut, e.LeftOutShare = reasons(j.all)
	j.sendable()
	e.Blocks = 0
	for _, r := range blocksOf(j.fine) {
		e.Blocks += len(r)
	}
	if len(j.fine) == 0 {
		e.Curve, e.Limited = curve(j.coarse), ByTime
		return *e
	}
	counted := columns(j.fine, (*sample).counts)
	k := knee(counted, j.Loss, nil)
	rate := j.plateau(counted, k.load)
	primed, full, buffer := j.filled(j.fine, rate)
	e.Buffer = buffer
	e.Primed = float64(full) / float64(len(j.fine))
	stalls(j.fine, max(float64(j.ring()), 1.5*buffer), rate)
	stalls(j.coarse, max(float64(j.ring()), 1.5*buffer), rate)
	e.Interruptions = interruptions(j.fine)
	e.Curve = join(curve(j.fine), curve(j.coarse))
	e.Window = shortest(j.fine)
	if e.LeftOutShare > leftOutLimit || len(counted) == 0 {
		e.Limited = ByOutside
		if e.LeftOutShare <= leftOutLimit && e.Has(Beyond) { // the way up led past all that the tester sends
			e.Limited = ByTester
		}
		return *e
	}
	j.knees(k)
	j.bounds()
	j.overload()
	j.flags(primed, k)
	return *e
}

// choose picks the windows that the numbers are from: those of the passes that
// count, or of the last fine one when none does, and none that the knee was seen
// to be hidden in.
func (j *judgement) choose() {
	last := -1
	for _, s := range j.all {
		if s.kind == Coarse {
			j.coarse = append(j.coarse, s)
		} else {
			last = s.pass
		}
	}
	for _, s := range j.all {
		if s.kind == Coarse || s.window.Duration < j.st.trusted && len(j.st.counted) > 0 {
			continue
		}
		if j.st.counted[s.pass] || len(j.st.counted) == 0 && s.pass == last {
			j.fine = append(j.fine, s)
		}
	}
}

// sendable sets the highest load that is not beyond the tester, and whether one
// above it is.
func (j *judgement) sendable() {
	e, top := &j.e, 0.
	for load, is := range beyond(j.all) {
		if top = max(top, load); !is {
			e.Sendable = max(e.Sendable, load)
		}
	}
	if e.Sendable < top {
		e.Flags = append(e.Flags, Beyond)
	}
}

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
	shows := j.shows()
	coarse := bestQuarter(columns(j.coarse, shows))
	for _, best := range [][]column{bestQuarter(columns(fine, shows)), coarse} {
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

// shows is a test of windows that count: whether the frames of one waited for less
// time than it lasted, beyond what the quickest took. Otherwise the DUT holds more
// than was sent in it, and that none of it was lost means nothing.
func (j *judgement) shows() func(*sample) bool {
	quickest := time.Duration(math.MaxInt64)
	for _, s := range j.all {
		if s.result.Received > 0 {
			quickest = min(quickest, s.result.Delay)
		}
	}
	return func(s *sample) bool { return s.counts() && s.result.Delay-quickest <= s.window.Duration }
}

// hidden reports whether most windows that count do not show what became of
// their frames.
func (j *judgement) hidden() bool {
	shows, hidden, all := j.shows(), 0, 0
	for i := range j.all {
		if j.all[i].counts() {
			all++
			if !shows(&j.all[i]) {
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

// bounds sets what is not interpolated.
func (j *judgement) bounds() {
	all := func(*sample) bool { return true }
	missing := func(s *sample) float64 { return s.missing(j.Ports) }
	loss := func(s *sample) float64 { return s.loss }
	j.e.Conditional, j.e.ConditionalRate = bounded(j.fine, j.Loss, missing, all)
	j.e.MLFRR, _ = bounded(j.fine, 0, missing, all)
	j.e.MLFRRUndisturbed, _ = bounded(j.fine, 0, loss, (*sample).quiet)
}

// overload sets what is known of loads beyond the knee.
func (j *judgement) overload() {
	e := &j.e
	e.MFR, e.FRMOL = most(j.fine, nil), topmost(append(slices.Clone(j.coarse), j.fine...), median)
	if e.Knee.Value <= 0 {
		return
	}
	e.Saturated = j.saturated(saturations(j.fine, e.Knee.Value, (*sample).quiet))
	e.SaturatedDisturbed = j.saturated(saturations(j.fine, e.Knee.Value, (*sample).counts))
	if e.Saturated.Value <= 0 {
		return
	}
	e.MFR = e.Saturated.Value * max(1, most(j.fine, saturations(j.fine, e.Knee.Value, (*sample).quiet)))
	e.Ratio = e.Saturated.Value / (e.Knee.Value * (1 - j.Loss))
	e.Index = e.Saturated.Value / e.MFR
	worst := e.Index
	// The highest loads are held against others of the coarse pass, which is of
	// the same moment. Of three windows the best one counts: an interruption hits
	// two of them now and then, a DUT that breaks down breaks down in all.
	if r := most(j.coarse, nil); r > 0 {
		if far := topmost(j.coarse, slices.Max[[]float64]) / r; far < coarseTells {
			worst = min(worst, far)
		}
	}
	e.Verdict = Graceful
	switch {
	case worst < .1:
		e.Verdict = Livelock
	case worst < .9:
		e.Verdict = Degrading
	}
}

// flags sets what a reader has to know.
func (j *judgement) flags(primed int, k crossing) {
	e := &j.e
	add := func(f Flag, is bool) {
		if is && !slices.Contains(e.Flags, f) {
			e.Flags = append(e.Flags, f)
		}
	}
	at := max(e.Knee.Value, k.load)
	held := max(e.Buffer, float64(j.Buffer))
	if held == 0 {
		held = usualRing
	}
	window := e.Window.Seconds()
	full := e.Primed >= primeShare && primed > 0
	add(ShortWindows, !full && window*j.Resolution*at < held+unseen)
	add(Hidden, (e.Knee.Value == 0 || e.Has(LeastDisturbed)) && j.hidden())
	add(FewFrames, e.Knee.Value > 0 && window*at*j.Loss < 1)
	add(Moved, j.st.doubled > 0)
	add(OutsideGrid, (e.Knee.Value == 0 || e.Has(LeastDisturbed)) && e.Limited != ByTester || j.st.missed)
	b, err, ok := slope(j.fine, at)
	add(Costs, e.Ratio > 0 && e.Ratio < .97)
	add(Unsaturated, ok && b > .2 && b > 3*err)
	add(Sinking, ok && b < -.1 && b < -3*err)
	top := 0.
	for i := range j.fine {
		if j.fine[i].counts() {
			top = max(top, j.fine[i].load())
		}
	}
	add(Short, top < enough*at)
	add(Interrupted, e.Knee.Value > 0 && e.KneeDisturbed.Value > 0 && math.Abs(e.KneeDisturbed.Value/e.Knee.Value-1) > .03)
}
