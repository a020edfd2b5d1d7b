package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weir"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
	"weir/stats"
)

// A study is what the runs of an experiment prove, in the order in which a
// report shows it.
type study struct {
	proof.Proof
	common weir.Factors // levels that all comparisons share
	by     string       // the factor along which a campaign of several is looked at; "": there is one view
	dut    string       // what was measured
	early  string       // what an answer begins with while there are runs to come
}

// studiesOf are those of a campaign: one, or one for each factor of what others
// published. There are none where it is no experiment, or has no runs yet that
// could be compared.
func studiesOf(c weir.Campaign) []study {
	if c.Manifest.Experiment == nil && c.Manifest.Imported == nil {
		return nil
	}
	views, err := proof.Views(c)
	if err != nil {
		return nil // there is nothing to compare: there is nothing but what was measured
	}
	proof.Together(views)
	var out []study
	for _, v := range views {
		if len(v.Comparisons) > 0 {
			s := newStudy(v.Proof)
			s.by, s.early, s.dut = strings.ReplaceAll(v.Factor, "_", " "), soFar(c), dutOf(c.Manifest)
			out = append(out, s)
		}
	}
	return out
}

// soFar is what an answer begins with while there are runs to come: whoever looks
// again and again sees a difference sooner or later.
func soFar(c weir.Campaign) string {
	e := c.Manifest.Experiment
	if e == nil || c.Ended == weir.EndedComplete || c.Manifest.Imported != nil {
		return ""
	}
	made := 0
	for _, r := range c.Results {
		made = max(made, r.Run.Replicate)
	}
	if e.Runs == 0 {
		return fmt.Sprintf("so far, in the pilot (%d %s): ", made, figures.Plural(made, "replicate"))
	}
	return fmt.Sprintf("so far, with %d of %d replicates: ", made, e.Runs)
}

func newStudy(p proof.Proof) study {
	s := study{Proof: p}
	s.Comparisons = slices.Clone(p.Comparisons)
	for i := range s.Comparisons {
		s.inOrder(&s.Comparisons[i])
	}
	factors := make([]weir.Factors, len(p.Comparisons))
	for i, c := range p.Comparisons {
		factors[i] = c.Factors
	}
	s.common = result.Common(factors)
	return s
}

// inOrder puts the arms of a comparison into the order of the plan, the
// baseline and its A/A first.
func (s study) inOrder(c *proof.Comparison) {
	place := func(arm string) int {
		i := slices.Index(s.Experiment.Arms, arm)
		switch {
		case arm == c.Baseline:
			return -2
		case c.Same != nil && arm == c.Same.Arm:
			return -1
		case i < 0:
			return len(s.Experiment.Arms)
		}
		return i
	}
	c.Arms, c.Effects = slices.Clone(c.Arms), slices.Clone(c.Effects)
	slices.SortStableFunc(c.Arms, func(a, b stats.Summary) int { return cmp.Compare(place(a.Arm), place(b.Arm)) })
	slices.SortStableFunc(c.Effects, func(a, b stats.Effect) int { return cmp.Compare(place(a.Arm), place(b.Arm)) })
}

// An effectRow is one effect with the comparison that it is part of.
type effectRow struct {
	proof.Comparison
	Effect stats.Effect
}

// values are the comparisons of what methods found, figures are those of what
// they found in addition: the DUT's CPU time.
func (s study) values() []proof.Comparison {
	return slices.DeleteFunc(slices.Clone(s.Comparisons), func(c proof.Comparison) bool { return c.Figure != "" })
}

func (s study) figures() []proof.Comparison {
	return slices.DeleteFunc(slices.Clone(s.Comparisons), func(c proof.Comparison) bool { return c.Figure == "" })
}

// effectsOf are the effects of comparisons, in their order.
func effectsOf(list []proof.Comparison) []effectRow {
	var out []effectRow
	for _, c := range list {
		for _, e := range c.Effects {
			out = append(out, effectRow{c, e})
		}
	}
	return out
}

// lead is the effect that the first line is about: the largest one that is
// proven for the smallest frames. Where none is proven it is one that more runs
// may prove, then one that makes no difference. A rate goes before all else.
func (s study) lead() (effectRow, bool) {
	all := effectsOf(s.values())
	if asked := slices.DeleteFunc(slices.Clone(all), func(l effectRow) bool { return l.Effect.Arm == weir.ReferenceArm }); len(asked) > 0 {
		all = asked // plain forwarding is there for comparisons with other days
	}
	if len(all) == 0 {
		return effectRow{}, false
	}
	size := func(l effectRow) float64 {
		if l.octets() == 0 {
			return math.Inf(1) // a mix
		}
		return l.octets()
	}
	rate := func(l effectRow) int {
		if l.Unit == "frames/s" || l.Unit == "bit/s" {
			return 0
		}
		return 1
	}
	return slices.MinFunc(all, func(a, b effectRow) int {
		return cmp.Or(
			cmp.Compare(weight[a.Effect.Verdict], weight[b.Effect.Verdict]),
			cmp.Compare(rate(a), rate(b)),
			cmp.Compare(size(a), size(b)),
			cmp.Compare(magnitude(b.Effect.Change.Estimate), magnitude(a.Effect.Change.Estimate)),
		)
	}), true
}

// weight is the place of a verdict among those that could lead.
var weight = map[stats.Verdict]int{stats.Proven: 0, stats.Inconclusive: 1, stats.Equivalent: 2, stats.Vetoed: 3}

// magnitude is how large a relative change is, in either direction.
func magnitude(change float64) float64 {
	m := math.Abs(math.Log1p(change))
	if math.IsNaN(m) {
		return 0
	}
	return m
}

// octets is the frame size of a comparison; 0 for a mix, or when it is not known.
func (l effectRow) octets() float64 { return figures.OctetsOf(l.Comparison) }

// factor is the one factor that the arms differ in; false where these are
// combinations of several, or have no names.
func (s study) factor() (weir.Factor, bool) {
	var found []weir.Factor
	for _, f := range s.Experiment.Factors {
		if !f.Traffic {
			found = append(found, f)
		}
	}
	if len(found) != 1 {
		return weir.Factor{}, false
	}
	return found[0], true
}

// short is an arm without the name of the factor, where there is only one.
func (s study) short(arm string) string {
	levels := s.Experiment.Levels[arm]
	if f, one := s.factor(); one && f.Name != "mtu" && len(levels) == 1 {
		return levels[0].Name
	}
	return s.words(arm)
}

// armOf is the place among the arms of a comparison that a run belongs to; -1:
// none.
func armOf(c proof.Comparison, r proof.Sample) int {
	return slices.IndexFunc(c.Arms, func(a stats.Summary) bool { return a.Arm == r.Arm })
}

// summary is the arm of a comparison with that name; the zero Summary where
// there is none.
func summary(c proof.Comparison, arm string) stats.Summary {
	for _, a := range c.Arms {
		if a.Arm == arm {
			return a
		}
	}
	return stats.Summary{Arm: arm}
}

// compared are the arms of a comparison without the baseline's A/A.
func compared(c proof.Comparison) []stats.Summary {
	return slices.DeleteFunc(slices.Clone(c.Arms), func(a stats.Summary) bool { return c.Same != nil && a.Arm == c.Same.Arm })
}
