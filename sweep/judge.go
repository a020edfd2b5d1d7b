package sweep

import (
	"math"
	"slices"
)

// Estimate says what the passes amount to. It looks at whole blocks alone, so
// that it holds for a sweep that was cut short. It is a pure function.
func (g Goal) Estimate(past []Pass) Estimate {
	if g.Validate() != nil {
		return Estimate{Limited: ByTime}
	}
	g = g.or().knowing(past)
	st := g.replay(past, false)
	j := &judgement{Goal: g, st: st, all: g.samples(past)}
	return j.estimate()
}

// judgement is an estimate under way.
type judgement struct {
	Goal
	st     state
	all    []sample
	fine   []sample // of the passes that the numbers are from
	coarse []sample
	phases phases
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
		if e.LeftOutShare > leftOutLimit {
			e.Limited = ByOutside
		}
		return *e
	}
	counted := columns(j.fine, (*sample).counts)
	k := knee(counted, j.Loss, nil)
	rate := j.plateau(counted, k.load)
	primed, full, buffer := j.filled(j.fine, rate)
	e.Buffer = max(buffer, j.learned)
	e.Primed = float64(full) / float64(len(j.fine))
	j.stalls(j.fine, max(j.ring(), 1.5*buffer), rate)
	j.stalls(j.coarse, max(j.ring(), 1.5*buffer), rate)
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
	j.bounds()
	if j.phases = j.phasesOf(j.fine); j.phases.several {
		j.normalise()
		k = knee(columns(j.fine, (*sample).counts), j.Loss, nil)
	}
	j.knees(k)
	j.overload()
	j.flags(primed, k)
	if j.phases.several {
		j.widen()
		if j.phases.least && e.Knee.Value > 0 {
			e.Limited = BySpeed
		}
	}
	return *e
}

// choose picks the windows that the numbers are from: those of the passes that
// count, or of the last fine one when none does, and none that the knee was seen
// to be hidden in. Where the time was over before a pass counted whose windows are long
// enough for that, they are those windows of the pass that showed it.
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
	if len(j.fine) > 0 {
		return
	}
	for _, s := range j.all {
		if s.kind != Coarse && s.window.Duration >= j.st.trusted {
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
		held = j.ring()
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
	add(Drifts, !j.phases.several && j.phases.drifts())
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
