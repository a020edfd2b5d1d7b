package proof

import (
	"maps"
	"slices"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/stats"
)

// AtLeastRate is the doubt about what was measured beside a rate that is a lower bound.
const AtLeastRate = "its rate is a lower bound, and what it takes there is that of a lower load"

// lowerBound reports whether the value of a result is a lower bound, and no more than
// that: a rate as high as the medium carries is one, and is all there is.
func lowerBound(r *weir.Result) bool {
	most, known := r.Figure(claim.TheoreticalMaximum)
	return method.AtLeast(r) && r.Verdict != claim.NotEnded && !(known && r.Value > lineRate*most)
}

// allAtLeast is the doubt about the runs of a block in which no arm has more than a lower bound.
const allAtLeast = "no higher load could be sent in its block, or was tried, and each arm forwards more in others"

// leaveOpen leaves out the blocks in which all arms have lower bounds that are below what they
// forward in the others, while such blocks are few: the tester was slower then, whatever the
// arms are. A bound that is higher may be that of an arm's best blocks, and these stay.
func (c *Comparison) leaveOpen() {
	known, bounded, of := map[string][]float64{}, map[int]int{}, map[int]int{}
	for _, s := range c.Runs {
		if of[s.Run.Block]++; s.Doubt == "" && !s.AtLeast {
			known[s.Arm] = append(known[s.Arm], s.Value)
		}
	}
	for _, s := range c.Runs {
		if s.AtLeast && !s.Slow && s.Doubt == "" && stats.Median(known[s.Arm]) > s.Value {
			bounded[s.Run.Block]++
		}
	}
	maps.DeleteFunc(bounded, func(block, n int) bool { return block == 0 || n < of[block] })
	if float64(len(bounded)) > mostLeft*float64(len(of)) {
		return
	}
	for i := range c.Runs {
		if s := &c.Runs[i]; bounded[s.Run.Block] > 0 {
			s.AtLeast, s.Doubt = false, allAtLeast
		}
	}
}

// opened finds the arms of which some run that counts says what there is at least: see
// exceeded.
func (c *Comparison) opened() {
	c.open = nil
	for _, s := range c.Runs {
		if s.AtLeast && s.Doubt == "" && !slices.Contains(c.open, s.Arm) {
			c.open = append(c.open, s.Arm)
		}
	}
}

// exceeded marks the effects of which one bound is known alone, before they are judged:
// of an arm that does at least what was found, and of all others where the baseline
// does. It vetoes where no effect can be proven by that.
func (c *Comparison) exceeded() {
	if len(c.open) == 0 {
		return
	}
	base := slices.Contains(c.open, c.Baseline) || slices.Contains(c.open, c.Baseline+Again)
	var why []weir.Warning // there is no verdict, by effect
	for i := range c.Effects {
		e := &c.Effects[i]
		e.AtLeast, e.AtMost = slices.Contains(c.open, e.Arm), base
		if text := c.between(*e); text != "" {
			code, mend := weir.TesterLimited, ": give the tester more CPUs, or the search more range"
			if c.slowAt(e.Arm) || c.slowAt(c.Baseline) {
				code, mend = Elsewhere, ": the DUT, or its machine, has several speeds, and the two may have been measured at different ones"
			}
			why = append(why, weir.Warning{Code: code, Sentence: weir.Say("%s", text).Then("%s", mend)})
		}
	}
	for _, w := range why {
		if len(why) == len(c.Effects) {
			c.Vetoes = weir.AddWarning(c.Vetoes, w)
		} else {
			c.Warnings = weir.AddWarning(c.Warnings, w)
		}
	}
	for _, arm := range c.open {
		switch {
		case arm == c.Baseline+Again:
		case c.slowAt(arm):
			c.warn(Elsewhere, "%s forwards at least what was found, as the DUT, or its machine, was faster at other times: its differences have one bound", arm)
		default:
			c.warn(weir.TesterLimited, "%s forwards at least what was found, as no higher load could be sent: its differences have one bound", arm)
		}
	}
}

// slowAt reports whether an arm has runs of a slower speed.
func (c *Comparison) slowAt(arm string) bool {
	return slices.ContainsFunc(c.Runs, func(s Sample) bool { return s.Slow && s.Arm == arm })
}

// between is why nothing can be proven of an effect of which one bound is known, or
// none; "" where something can.
func (c *Comparison) between(e stats.Effect) string {
	switch {
	case e.AtLeast && e.AtMost:
		return e.Arm + " and " + c.Baseline + " both forward at least what was found, so that their difference is not known"
	case e.AtLeast && e.Change.Lower <= 0:
		return e.Arm + " forwards at least what was found, and that is not proven to be more than " + c.Baseline + " does"
	case e.AtMost && e.Change.Upper >= 0:
		return c.Baseline + " forwards at least what was found, and " + e.Arm + " is not proven to do less than that"
	}
	return ""
}
