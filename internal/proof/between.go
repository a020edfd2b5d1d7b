package proof

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/result"
	"weir/stats"
)

// Between says what differs between campaigns, the first of which is the baseline: the
// runs of each method at the same levels and arm, without blocks, because they share
// none. Runs in doubt do not count, and the A/A's are left out. Whatever else changed
// from one to the other is in the differences too: what their manifests say of that is
// a warning. Confidence, margin and smallest change are those of the first. It is an
// error when nothing in them is alike.
func Between(cs ...weir.Campaign) (Proof, error) {
	names := namesOf(cs)
	var p Proof
	if e := cs[0].Manifest.Experiment; e != nil {
		p.Experiment = weir.Experiment{Detect: e.Detect, Margin: e.Margin, Confidence: e.Confidence}
	}
	p.Experiment.Arms, p.Experiment.Levels = names, make(map[string][]weir.ArmLevel)
	for _, c := range cs {
		if e := c.Manifest.Experiment; e != nil {
			maps.Copy(p.Experiment.Levels, e.Levels) // of the arms that comparisons are of
		}
	}
	p.Warnings = environments(cs)
	raw := slices.ContainsFunc(cs, func(c weir.Campaign) bool { return waving(c.Manifest) })
	cs, told, inTerms := referred(cs)
	if inTerms {
		p.Warnings = append([]weir.Warning{weir.Warn(Elsewhere, "%s", told)}, p.Warnings...)
	}
	o := options(p.Experiment)
	others := make([][]Comparison, len(cs))
	for i, c := range cs {
		others[i] = ofArms(c)
	}
	for _, c := range others[0] {
		if !c.join(others, names) {
			continue
		}
		c.slow()
		if c.once() && c.Figure != "" && !c.known(o) {
			continue // beside a value that was found once there is nothing that says how much it varies
		}
		if !c.once() || !c.known(o) {
			c.analyse(o)
		}
		switch once := c.Runs[0].Run.Number == 0; {
		case once || !raw || inTerms && c.Figure == "":
		case c.Figure == "":
			c.veto(Elsewhere, weir.Say("rates of DUTs side by side on a virtual machine carry what its host did in that minute, 15 %% and more").
				Then(": their ratios to plain forwarding can be compared between campaigns, with runs: {reference: yes} in both plans"))
		default:
			c.veto(Elsewhere, weir.Say("times on a virtual machine carry what its host did in that minute").
				Then(": between campaigns rates in terms of plain forwarding are compared alone"))
		}
		p.Comparisons = append(p.Comparisons, c)
	}
	if len(p.Comparisons) == 0 {
		return Proof{}, errors.New("the campaigns have no method at the same levels in common: there is nothing to compare")
	}
	for i, c := range cs {
		p.inherit(c, names[i])
	}
	p.judge(o)
	return p, nil
}

// namesOf are the names of campaigns, with their places where several have the same.
func namesOf(cs []weir.Campaign) []string {
	ordinals, of := []string{"the first", "the second"}, make(map[string]int)
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = cmp.Or(c.Name, c.ID, ordinals[min(i, 1)])
		of[out[i]]++
	}
	for i, name := range out {
		if of[name] > 1 {
			out[i] = fmt.Sprintf("%s (%d)", name, i+1)
		}
	}
	return out
}

// join makes the runs of a comparison of the first campaign, and those that are alike
// of the others, arms by their names; false where no other has any.
func (c *Comparison) join(all [][]Comparison, names []string) bool {
	first, last := *c, 0
	c.Runs = nil
	for i, list := range all {
		at := slices.IndexFunc(list, first.alike)
		if at < 0 {
			continue
		}
		after := last
		for _, s := range list[at].Runs {
			s.Arm, s.Run.Number, s.Run.Block = names[i], s.Run.Number+after, 0
			last = max(last, s.Run.Number)
			c.Runs = append(c.Runs, s)
		}
	}
	return slices.ContainsFunc(c.Runs, func(s Sample) bool { return s.Arm != names[0] })
}

// waving reports whether the rates of a campaign are those of DUTs side by side, which
// were measured within a minute of a machine that others share.
func waving(m weir.Manifest) bool {
	return m.Experiment != nil && m.Experiment.Schedule == weir.Abreast && m.Virtual()
}

// once reports whether each side has one result, as of a campaign that measures
// everything once.
func (c *Comparison) once() bool {
	for i, s := range c.Runs {
		if s.Result.Run.Number != 0 || slices.ContainsFunc(c.Runs[:i], func(o Sample) bool { return o.Arm == s.Arm }) {
			return false
		}
	}
	return true
}

// known compares the results of sweeps with the first of them by the intervals that
// they have from their rounds, and reports whether all have one.
func (c *Comparison) known(o stats.Options) bool {
	m := result.Named(cmp.Or(c.Figure, "value"))
	var sides []stats.Known
	for _, s := range c.Runs {
		r := s.Result
		if !m.Range || r.Sweep == nil || s.Doubt != "" || s.AtLeast && !s.Slow {
			return false
		}
		b, _ := m.Of(r)
		sides = append(sides, stats.Known{Arm: s.Arm, Value: b.Value, Lower: b.Lower, Upper: b.Upper, Rounds: r.Rounds})
	}
	var all stats.Comparison
	for i, side := range sides[1:] {
		found, err := stats.CompareKnown(sides[0], side, o)
		if err != nil {
			return false
		}
		if i == 0 {
			all = found
		} else {
			all.Arms, all.Effects = append(all.Arms, found.Arms[1:]...), append(all.Effects, found.Effects...)
		}
	}
	c.claims()
	all.Vetoes = c.Vetoes
	c.Comparison = all
	c.opened()
	c.exceeded()
	return true
}

// inherit takes over what vetoes the whole of a campaign.
func (p *Proof) inherit(c weir.Campaign, name string) {
	own, err := Of(c)
	if err != nil {
		return // it has no arms of its own, and nothing that they could say
	}
	for _, w := range own.Vetoes {
		brief := w.Brief()
		w.Sentence = weir.Say("%s: %s", name, w.Sentence)
		w.First = name + ": " + brief
		p.Vetoes = weir.AddWarning(p.Vetoes, w)
		for i := range p.Comparisons {
			p.Comparisons[i].Vetoes = weir.AddWarning(p.Comparisons[i].Vetoes, w)
		}
	}
}

// ofArms are the runs of a campaign by method, levels and arm.
func ofArms(c weir.Campaign) []Comparison {
	results := slices.DeleteFunc(weir.Latest(c.Results), func(r weir.Result) bool { return r.Run.Again })
	var e weir.Experiment
	if c.Manifest.Experiment != nil {
		e = *c.Manifest.Experiment
	}
	var out []Comparison
	for _, all := range compared(results, e) {
		var arms []string
		for _, s := range all.Runs {
			if !slices.Contains(arms, s.Arm) {
				arms = append(arms, s.Arm)
			}
		}
		slices.SortStableFunc(arms, func(x, y string) int { return cmp.Compare(slices.Index(e.Arms, x), slices.Index(e.Arms, y)) })
		for _, arm := range arms {
			one := all
			one.Arm, one.Factors, one.Runs = arm, nil, nil
			for _, s := range all.Runs {
				if s.Arm != arm {
					continue
				}
				if one.Factors == nil {
					one.Factors = maps.Clone(s.Result.Factors)
				}
				maps.DeleteFunc(one.Factors, func(k string, v any) bool { return result.Level(s.Result.Factors[k]) != result.Level(v) })
				one.Runs = append(one.Runs, s)
			}
			out = append(out, one)
		}
	}
	return out
}

// alike reports whether two comparisons are of the same thing.
func (c Comparison) alike(o Comparison) bool {
	return c.Method == o.Method && c.LossRatio == o.LossRatio && c.ExceedRatio == o.ExceedRatio && c.Unit == o.Unit && c.Figure == o.Figure && c.Transfer == o.Transfer &&
		c.Arm == o.Arm && maps.EqualFunc(c.Factors, o.Factors, func(x, y any) bool { return result.Level(x) == result.Level(y) })
}

// environments warn of what differs between manifests.
func environments(cs []weir.Campaign) []weir.Warning {
	out := []weir.Warning{weir.Warn(Elsewhere, "the campaigns were measured one after the other: whatever else changed meanwhile is a part of each difference; measure %s in one campaign, as levels of a factor, to be sure",
		map[bool]string{true: "both", false: "all"}[len(cs) == 2])}
	for _, d := range []struct {
		what string
		of   func(weir.Manifest) string
	}{
		{"the version of weir", func(m weir.Manifest) string { return m.Weir }},
		{"the kernel", func(m weir.Manifest) string { return m.Kernel }},
		{"the CPU", func(m weir.Manifest) string { return m.CPUModel }},
		{"the number of CPUs", func(m weir.Manifest) string { return fmt.Sprint(m.CPUs) }},
		{"the testbed", func(m weir.Manifest) string { return m.Testbed }},
		{"the platform", func(m weir.Manifest) string { return m.Platform }},
		{"the tester", func(m weir.Manifest) string { return m.Backend }},
	} {
		var values []string
		for _, c := range cs {
			if v := fmt.Sprintf("%q", d.of(c.Manifest)); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) > 1 {
			out = append(out, weir.Warn(Elsewhere, "%s differs: %s", d.what, strings.Join(values, " and ")))
		}
	}
	if slices.ContainsFunc(cs, func(c weir.Campaign) bool { return c.Manifest.Plan != cs[0].Manifest.Plan }) {
		text := "the plans differ: see both manifests"
		if len(cs) > 2 {
			text = "the plans differ: see the manifests"
		}
		out = append(out, weir.Warn(Elsewhere, "%s", text))
	}
	return out
}

// WithoutOrder returns a campaign whose runs have no numbers, where it is of others who
// have not said in which order they measured.
func WithoutOrder(c weir.Campaign) weir.Campaign {
	e := c.Manifest.Experiment
	if c.Manifest.Imported == nil || e != nil && e.Schedule != "" {
		return c
	}
	c.Results = slices.Clone(c.Results)
	for i := range c.Results {
		c.Results[i].Run.Number = 0
	}
	return c
}
