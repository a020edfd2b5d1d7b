package proof

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/internal/method"
	"weir/stats"
)

// Of says what the runs of a campaign prove. It is an error when it has none, or
// nothing that they could be compared with. A comparison that cannot be made, as
// of a campaign that has only begun, is there with its numbers and the reason as its
// veto.
func Of(c weir.Campaign) (Proof, error) {
	// A profile slows down what it looks at: its times are compared with no others.
	results := slices.DeleteFunc(slices.Clone(c.Results), func(r weir.Result) bool { return method.KindOf(r.Method) == method.Sampled })
	if c.Manifest.Imported == nil {
		results = slices.DeleteFunc(results, func(r weir.Result) bool { return r.Run.Number == 0 })
	}
	if len(results) == 0 {
		return Proof{}, errors.New("the campaign has no runs: everything in it was measured once, and one measurement does not say how much two differ; give its plan factors or runs")
	}
	p := Proof{Experiment: experiment(c.Manifest.Experiment, results)}
	if len(p.Experiment.Arms) < 2 && !p.Experiment.Same {
		return Proof{}, fmt.Errorf("all runs of the campaign have the same arm, %q: there is nothing to compare", p.Experiment.Arms[0])
	}
	p.Comparisons = compared(results, p.Experiment)
	p.conclude(ordered(c.Manifest))
	return p, nil
}

// conclude has the comparisons analysed and judged.
func (p *Proof) conclude(ordered bool) {
	o := options(p.Experiment)
	for i := range p.Comparisons {
		p.Comparisons[i].analysed(o, ordered)
	}
	p.judge(o)
	p.effects()
}

// options are those of an experiment.
func options(e weir.Experiment) stats.Options {
	o := stats.Options{Baseline: e.Arms[0], Arms: e.Arms, Confidence: e.Confidence, Detect: e.Detect, Margin: e.Margin}
	o.Beside = e.Schedule == weir.Abreast
	if e.Same {
		o.Again = e.Arms[0] + Again
	}
	return o
}

// experiment is that of the manifest, or what the runs say where it is silent.
func experiment(known *weir.Experiment, results []weir.Result) weir.Experiment {
	var e weir.Experiment
	if known != nil {
		e = *known
	}
	e.Arms = slices.Clone(e.Arms)
	for _, r := range results {
		if !slices.Contains(e.Arms, r.Run.Arm) {
			e.Arms = append(e.Arms, r.Run.Arm)
		}
		e.Same = e.Same || r.Run.Again
	}
	return e
}

// ordered reports whether the numbers of a campaign's runs are the order in which
// they were measured. Those of what others published, without a word on its
// schedule, are the order of files and of their lines: what changes along them is
// neither a drift nor a stretch of time.
func ordered(m weir.Manifest) bool {
	return m.Imported == nil || m.Experiment != nil && m.Experiment.Schedule != ""
}

// analyse is analysed for runs whose order is known.
func (c *Comparison) analyse(o stats.Options) { c.analysed(o, true) }

// analysed has the runs of a comparison analysed, and vetoes what the
// measurement does not allow.
func (c *Comparison) analysed(o stats.Options, ordered bool) {
	if why := c.Unmeasured(); why != "" {
		c.Comparison = stats.Comparison{Baseline: o.Baseline}
		c.veto(TooFewRuns, weir.Say("not measured").Then(": %s", why))
		return
	}
	c.claims()
	c.leaveOpen()
	c.opened()
	silent := c.silent(o)
	obs := make([]stats.Observation, 0, len(c.Runs))
	for _, s := range c.Runs {
		if !slices.Contains(silent, s.Arm) {
			order := 0
			if ordered {
				order = s.Run.Number
			}
			obs = append(obs, stats.Observation{Block: s.Run.Block, Arm: s.Arm, Value: s.Value, Order: order, Doubt: s.Doubt})
		}
	}
	found, err := stats.Compare(obs, o)
	earlier := c.Vetoes
	if err != nil {
		tooFew := c.tooFew(err)
		c.leave(silent)
		c.Comparison, c.Doubted = stats.Describe(obs, o), true
		c.Vetoes = earlier
		c.countBlocks(silent)
		c.veto(TooFewRuns, weir.Say("%s", tooFew))
		c.measured(o.Beside)
		c.selected(silent)
		return
	}
	c.leave(silent)
	c.Comparison = found
	c.Vetoes = earlier
	for _, arm := range silent {
		c.warn(TooFewRuns, "%s has no run that found anything, and is not compared%s", arm, c.why(arm))
	}
	c.measured(o.Beside)
	c.exceeded()
	if o.Beside {
		c.unevenlyReceived()
		c.longerWindows()
	}
	c.selected(silent)
	c.left()
}

// tooFew is why there is no comparison, by the error of one that was tried: how many
// runs of an arm count, and what most of the others have against them.
func (c *Comparison) tooFew(err error) string {
	var few *stats.TooFewError
	switch {
	case !errors.As(err, &few):
		return err.Error()
	case few.Left == 0:
		return fmt.Sprintf("%s has %d %s, where a verdict takes %d of each arm", few.Arm, few.Runs, map[bool]string{true: "run", false: "runs"}[few.Runs == 1], stats.FewestRuns)
	}
	count := fmt.Sprintf("only %d of %d runs of %s count", few.Runs, few.Runs+few.Left, few.Arm)
	if few.Runs == 0 {
		count = fmt.Sprintf("no run of %s counts", few.Arm)
	}
	own, others := map[string]int{}, map[string]int{}
	for _, s := range c.Runs {
		switch {
		case s.Doubt != "" && s.Arm == few.Arm:
			own[s.Doubt]++
		case s.Doubt != "":
			others[s.Doubt]++
		}
	}
	why := most(own)
	if why == "" {
		why = "another run of its block is in doubt (" + most(others) + ")"
	}
	return fmt.Sprintf("%s, where a verdict takes %d of each arm, as %s", count, stats.FewestRuns, why)
}

// countBlocks counts the blocks of a comparison that could not be made, and those of
// them that are left out; without blocks, the runs that are.
func (c *Comparison) countBlocks(silent []string) {
	all, left, runs := map[int]bool{}, map[int]bool{}, 0
	for _, s := range c.Runs {
		if slices.Contains(silent, s.Arm) {
			continue
		}
		all[s.Run.Block] = true
		if s.Doubt != "" {
			left[s.Run.Block] = true
			runs++
		}
	}
	c.Blocks, c.LeftOut = len(all)-len(left), len(left)
	if all[0] {
		c.Blocks, c.LeftOut = 0, runs
	}
}

// silent are the arms, not the baseline, that found nothing in any run: what an
// arm cannot do is no doubt about the blocks that it is in.
func (c *Comparison) silent(o stats.Options) []string {
	var out []string
	for _, arm := range o.Arms {
		if arm != o.Baseline && !slices.ContainsFunc(c.Runs, func(s Sample) bool { return s.Arm == arm && s.Value > 0 }) {
			out = append(out, arm)
		}
	}
	return out
}

// Livelocked is in how many runs an arm forwarded nothing (weir.NothingForwarded)
// beside a baseline that did.
func (c Comparison) Livelocked(arm string) (runs int) {
	forwards := map[int]bool{} // blocks in which the baseline does
	for _, s := range c.Runs {
		forwards[s.Run.Block] = forwards[s.Run.Block] || s.Arm == c.Baseline && s.Value > 0
	}
	for _, s := range c.Runs {
		if s.Arm == arm && s.Value == 0 && warned(s.Result, weir.NothingForwarded) && forwards[s.Run.Block] {
			runs++
		}
	}
	return runs
}

// judge gives the verdicts: of the values together, and of each figure together.
// An A/A of values that differs vetoes all of them.
func (p *Proof) judge(o stats.Options) {
	p.steady(o)
	all := make([]*Comparison, len(p.Comparisons))
	for i := range p.Comparisons {
		all[i] = &p.Comparisons[i]
	}
	for i, family := range families(all) {
		for _, c := range family {
			for _, w := range p.Vetoes {
				c.Vetoes = weir.AddWarning(c.Vetoes, w)
			}
		}
		stats.Judge(family, o)
		if i > 0 {
			continue // of a figure: what it vetoes is that figure alone
		}
		for _, c := range family {
			for _, w := range c.Vetoes {
				if w.Code == stats.BaselineDiffers {
					p.Vetoes = weir.AddWarning(p.Vetoes, w)
				}
			}
		}
	}
}

// steady vetoes comparisons over whose campaign the values changed by
// themselves. Within blocks a slow drift cancels, and is only told.
func (p *Proof) steady(o stats.Options) {
	confidence := o.Confidence
	if confidence == 0 {
		confidence = 0.95
	}
	drifts := make([]float64, len(p.Comparisons))
	for i, c := range p.Comparisons {
		drifts[i] = 1
		if len(c.Arms) > 0 {
			drifts[i] = c.DriftP
		}
	}
	for i, adjusted := range stats.Holm(drifts) {
		c := &p.Comparisons[i]
		if d := c.Drift; adjusted <= 1-confidence && math.Abs(d.Estimate) > driftLimit {
			changed := weir.Say("the values changed by %+.2g %% from the first third of the runs to the last, whatever the arm (%+.2g to %+.2g %%)",
				100*d.Estimate, 100*d.Lower, 100*d.Upper)
			if c.Blocks == 0 {
				c.veto(Drifting, changed.Then(": without blocks that is part of each difference; measure in blocks"))
			} else {
				c.warn(Drifting, "%s: within blocks that cancels", changed)
			}
		}
		if s := c.Stretch; s != nil && s.P <= 1-confidence {
			found := weir.Say("runs %d to %d found %+.0f %% against all others, whatever the arm", s.First, s.Last, 100*s.Change).Then(": something lay on the machine")
			switch {
			case o.Beside: // it lay on all arms at once
			case math.Abs(math.Log1p(s.Change)) > math.Log(stretchLimit):
				c.veto(Disturbed, found.Then(", and what it did to the differences is not known; find what it was, and measure again"))
			case math.Abs(s.Change) > driftLimit:
				c.warn(Disturbed, "%s, or a slow wave of it", found)
			}
		}
	}
}

// families are the comparisons that are judged together: those of values first,
// then those of each metric beside them. Those of runs in doubt have no verdict to give.
func families(all []*Comparison) [][]*stats.Comparison {
	names := []string{""}
	of := map[string][]*stats.Comparison{}
	for _, c := range all {
		if c.Doubted {
			continue
		}
		if !slices.Contains(names, c.Figure) {
			names = append(names, c.Figure)
		}
		of[c.Figure] = append(of[c.Figure], &c.Comparison)
	}
	out := make([][]*stats.Comparison, len(names))
	for i, name := range names {
		out[i] = of[name]
	}
	return out
}
