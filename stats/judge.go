package stats

import (
	"math"
	"sort"

	"weir"
)

// Judge gives the verdicts of comparisons that are read together, as those of a
// campaign are. Each kind of statement is wrong anywhere among them in at most
// 1 - Options.Confidence of campaigns: differences are held against Holm's
// limits over all effects of all comparisons, equivalences likewise, and so are
// the A/A's among themselves. An A/A that differs vetoes all of them, or, of arms side
// by side, widens the bounds of those beside it. Confidence
// and margins are those of o; vetoes that the comparisons have already hold.
//
// An effect that is not 0 and yet within the margin is equivalent: the margin
// says that it makes no difference. It is tested at the confidence of its interval,
// so that all of the interval is within the margin: the two one-sided tests of the
// textbook would stop at that of 90 %.
func Judge(comparisons []*Comparison, o Options) {
	alpha := o.alpha()
	var effects, sames []*Effect
	for _, c := range comparisons {
		for i := range c.Effects {
			effects = append(effects, &c.Effects[i])
		}
		if c.Same != nil {
			sames = append(sames, c.Same)
		}
	}
	verdicts(sames, o)
	verdicts(effects, o)
	for _, c := range comparisons {
		c.widen(o)
		if c.Same == nil || c.Same.Verdict != Proven {
			continue
		}
		if o.Beside {
			c.Warnings = weir.AddWarning(c.Warnings, weir.Warn(BaselineDiffers, "%s differs from itself by %+.2g %% (%+.2g to %+.2g %%, p = %.2g), as one in twenty does by chance: the bounds of what differs from it are wider by that much",
				c.Baseline, 100*c.Same.Change.Estimate, 100*c.Same.Change.Lower, 100*c.Same.Change.Upper, c.Same.P))
			continue
		}
		w := weir.Warning{Code: BaselineDiffers, Sentence: weir.Say("%s differs from itself by %+.2g %% (%+.2g to %+.2g %%, p = %.2g)",
			c.Baseline, 100*c.Same.Change.Estimate, 100*c.Same.Change.Lower, 100*c.Same.Change.Upper, c.Same.P).
			Then(": what differs is the order or the place of the runs, or chance, and no other difference means more; look for what changes within a block, and measure again")}
		for _, other := range comparisons {
			other.Vetoes = weir.AddWarning(other.Vetoes, w)
		}
	}
	unproven := 0
	for _, e := range effects {
		if e.Adjusted > alpha {
			unproven++
		}
	}
	for _, c := range comparisons {
		for i := range c.Effects {
			e := &c.Effects[i]
			switch {
			case len(c.Vetoes) > 0:
				e.Verdict, e.More = Vetoed, 0
			case e.AtLeast || e.AtMost:
				e.More = 0 // more runs do not raise what the tester can send
			case e.Verdict == Inconclusive && o.Detect == 0 && o.Margin == 0 && math.Abs(e.estimate().value) < e.Error:
				e.More = 0 // what was seen is less than its error: how much there is to see is not known
			case e.Verdict == Inconclusive:
				e.More = e.more(o, alpha/float64(max(unproven, 1)), c.runs(e.Arm))
			}
		}
	}
}

// widen moves the bounds of the effects out by their Below and Above, and, of arms side
// by side whose baseline differs from itself, by what it does at most: they differ
// by no order, and one in twenty such baselines differs by chance. What is left of
// a verdict then holds.
func (c *Comparison) widen(o Options) {
	by := 0.
	if o.Beside && c.Same != nil && c.Same.Verdict == Proven {
		by = max(math.Abs(math.Log1p(c.Same.Change.Lower)), math.Abs(math.Log1p(c.Same.Change.Upper)))
	}
	for i := range c.Effects {
		e := &c.Effects[i]
		if e.chance == nil {
			chance := e.Change
			e.chance = &chance
		}
		e.Change = *e.chance
		if e.Below+by == 0 && e.Above+by == 0 {
			continue
		}
		e.Change.Lower = math.Expm1(math.Log1p(e.Change.Lower) - e.Below - by)
		e.Change.Upper = math.Expm1(math.Log1p(e.Change.Upper) + e.Above + by)
		d := e.estimate()
		inner := d.half(o.alpha())
		within := math.Expm1(d.value-inner-e.Below-by) > -o.Margin && math.Expm1(d.value+inner+e.Above+by) < o.Margin
		switch {
		case e.Verdict == Proven && e.Change.Lower <= 0 && e.Change.Upper >= 0, e.Verdict == Equivalent && !within:
			e.Verdict = Inconclusive
		}
	}
}

// verdicts gives those of effects that are judged together, vetoes apart.
func verdicts(effects []*Effect, o Options) {
	differ, within := make([]float64, len(effects)), make([]float64, len(effects))
	for i, e := range effects {
		differ[i], within[i] = e.P, 1
		switch change := e.Change.Estimate; {
		case e.AtLeast && change <= 0, e.AtMost && change >= 0:
			differ[i] = 1
		case e.AtLeast, e.AtMost:
		case o.Margin > 0:
			within[i] = e.outside(o.Margin)
		}
	}
	differ, within = Holm(differ), Holm(within)
	for i, e := range effects {
		e.Adjusted, e.More = differ[i], 0
		switch {
		case within[i] <= o.alpha():
			e.Verdict = Equivalent
		case differ[i] <= o.alpha():
			e.Verdict = Proven
		default:
			e.Verdict = Inconclusive
		}
	}
}

// estimate is the effect as a difference of logarithms.
func (e *Effect) estimate() estimate {
	return estimate{value: math.Log1p(e.Change.Estimate), err: e.Error, freedom: e.Freedom}
}

// outside is the probability that an effect beyond the margin looks as small as
// this one: twice the larger one of two one-sided tests, so that it is small where
// the two-sided interval is within the margin.
func (e *Effect) outside(margin float64) float64 {
	d := e.estimate()
	return min(1, 2*max(d.tail(d.value-math.Log1p(-margin)), d.tail(math.Log1p(margin)-d.value)))
}

// runs is how many there are a side.
func (c *Comparison) runs(arm string) int {
	n := 0
	for i, s := range c.Arms {
		if i == 0 || s.Arm == arm {
			if n == 0 || s.N < n {
				n = s.N
			}
		}
	}
	return n
}

// more is about how many more runs a side make a verdict of an inconclusive
// effect, when n are there and it is held against alpha: until the interval
// leaves 0 out, or is within the margin, at the effect that was observed; and
// where that is smaller than the smallest that matters, until one of that size
// would be seen. 0: there are enough for that already.
func (e *Effect) more(o Options, alpha float64, n int) int {
	d := e.estimate()
	if d.err < nothing || d.freedom <= 0 || n < 1 {
		return 0
	}
	grown := func(k int) estimate {
		times := float64(k) / float64(n)
		return estimate{value: math.Abs(d.value), err: d.err / math.Sqrt(times), freedom: d.freedom * times}
	}
	seen := func(k int) bool { g := grown(k); return g.half(alpha) < g.value }
	if least := math.Log1p(o.Detect); math.Abs(d.value) < least {
		seen = func(k int) bool { g := grown(k); return chance(least, g.err, g.freedom, alpha) >= usualPower }
	}
	within := func(k int) bool {
		g := grown(k)
		return o.Margin > 0 && g.half(alpha) < math.Log1p(o.Margin)-g.value
	}
	k := 1 + sort.Search(MostRuns, func(i int) bool { return i == MostRuns-1 || seen(i+1) || within(i+1) })
	return min(max(0, k-n), MostRuns)
}
