package proof

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"weir"
	"weir/stats"
)

// Between says what differs between two campaigns: the runs of each method at
// the same levels and arm, without blocks, because the two share none. Runs in
// doubt do not count, and the A/A's are left out. Whatever else changed from one
// to the other is in the differences too: what their manifests say of that is a
// warning. Confidence, margin and smallest change are those of a. It is an error
// when nothing in them is alike.
func Between(a, b weir.Campaign) (Proof, error) {
	names := []string{cmp.Or(a.Name, a.ID, "the first"), cmp.Or(b.Name, b.ID, "the second")}
	if names[0] == names[1] {
		names = []string{names[0] + " (1)", names[1] + " (2)"}
	}
	var p Proof
	if e := a.Manifest.Experiment; e != nil {
		p.Experiment = weir.Experiment{Detect: e.Detect, Margin: e.Margin, Confidence: e.Confidence}
	}
	p.Experiment.Arms = names
	p.Warnings = environments(a.Manifest, b.Manifest)
	raw := waving(a.Manifest) || waving(b.Manifest)
	x, y, told, inTerms := referred(a, b)
	if inTerms {
		a, b = x, y
		p.Warnings = append([]weir.Warning{{Code: Elsewhere, Text: told}}, p.Warnings...)
	}
	o := options(p.Experiment)
	for _, first := range ofArms(a) {
		others := ofArms(b)
		at := slices.IndexFunc(others, first.alike)
		if at < 0 {
			continue
		}
		c := first
		last := 0
		for i := range c.Runs {
			c.Runs[i].Arm = names[0]
			last = max(last, c.Runs[i].Run.Number)
		}
		for _, s := range others[at].Runs {
			s.Arm = names[1]
			s.Run.Number += last
			c.Runs = append(c.Runs, s)
		}
		for i := range c.Runs {
			c.Runs[i].Run.Block = 0
		}
		if c.once() && c.Figure != "" && !c.known(o) {
			continue // beside a value that was found once there is nothing that says how much it varies
		}
		if !c.once() || !c.known(o) {
			c.analyse(o)
		}
		switch once := c.Runs[0].Run.Number == 0; {
		case once || !raw || inTerms && c.Figure == "":
		case c.Figure == "":
			c.veto(Elsewhere, "rates of DUTs side by side on a virtual machine carry what its host did in that minute, 15 %% and more: their ratios to plain forwarding can be compared between campaigns, with runs: {reference: yes} in both plans")
		default:
			c.veto(Elsewhere, "times on a virtual machine carry what its host did in that minute: between campaigns rates in terms of plain forwarding are compared alone")
		}
		p.Comparisons = append(p.Comparisons, c)
	}
	if len(p.Comparisons) == 0 {
		return Proof{}, errors.New("the campaigns have no method at the same levels in common: there is nothing to compare")
	}
	for i, c := range []weir.Campaign{a, b} {
		p.inherit(c, names[i])
	}
	p.judge(o)
	return p, nil
}

// waving reports whether the rates of a campaign are those of DUTs side by side, which
// were measured within a minute of a machine that others share.
func waving(m weir.Manifest) bool {
	return m.Experiment != nil && m.Experiment.Schedule == weir.Abreast && m.Virtual()
}

// once reports whether each side has one result, as of a campaign that measures
// everything once.
func (c *Comparison) once() bool {
	return len(c.Runs) == 2 && c.Runs[0].Arm != c.Runs[1].Arm && c.Runs[0].Result.Run.Number == 0 && c.Runs[1].Result.Run.Number == 0
}

// known compares two results of sweeps by the intervals that they have from their
// rounds, and reports whether both have one.
func (c *Comparison) known(o stats.Options) bool {
	var sides []stats.Known
	for _, s := range c.Runs {
		r := s.Result
		if r.Sweep == nil || s.Doubt != "" {
			return false
		}
		b := weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper}
		switch c.Figure {
		case "":
		case Saturated:
			b = r.Saturated
		default:
			return false
		}
		sides = append(sides, stats.Known{Arm: s.Arm, Value: b.Value, Lower: b.Lower, Upper: b.Upper, Rounds: r.Rounds})
	}
	found, err := stats.CompareKnown(sides[0], sides[1], o)
	if err != nil {
		return false
	}
	c.claims()
	found.Vetoes = c.Vetoes
	c.Comparison = found
	return true
}

// inherit takes over what vetoes the whole of a campaign.
func (p *Proof) inherit(c weir.Campaign, name string) {
	own, err := Of(c)
	if err != nil {
		return // it has no arms of its own, and nothing that they could say
	}
	for _, w := range own.Vetoes {
		w.Text = name + ": " + w.Text
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
				maps.DeleteFunc(one.Factors, func(k string, v any) bool { return level(s.Result.Factors[k]) != level(v) })
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
		c.Arm == o.Arm && maps.EqualFunc(c.Factors, o.Factors, func(x, y any) bool { return level(x) == level(y) })
}

// environments warn of what differs between two manifests.
func environments(a, b weir.Manifest) []weir.Warning {
	out := []weir.Warning{{Code: Elsewhere, Text: "the campaigns were measured one after the other: whatever else changed meanwhile is a part of each difference; measure both in one campaign, as levels of a factor, to be sure"}}
	for _, d := range []struct{ what, a, b string }{
		{"the version of weir", a.Weir, b.Weir},
		{"the kernel", a.Kernel, b.Kernel},
		{"the CPU", a.CPUModel, b.CPUModel},
		{"the number of CPUs", fmt.Sprint(a.CPUs), fmt.Sprint(b.CPUs)},
		{"the testbed", a.Testbed, b.Testbed},
		{"the platform", a.Platform, b.Platform},
		{"the tester", a.Backend, b.Backend},
	} {
		if d.a != d.b {
			out = append(out, weir.Warning{Code: Elsewhere, Text: fmt.Sprintf("%s differs: %q and %q", d.what, d.a, d.b)})
		}
	}
	if a.Plan != b.Plan {
		out = append(out, weir.Warning{Code: Elsewhere, Text: "the plans differ: see both manifests"})
	}
	return out
}
