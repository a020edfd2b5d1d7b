package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// An armFound is what the runs of one arm of a comparison found.
type armFound struct {
	proof.Comparison
	arm string
}

// unproven are the comparisons without a verdict on any arm, of those for which
// something was measured.
func unproven(list []proof.Comparison) []proof.Comparison {
	return slices.DeleteFunc(slices.Clone(list), func(c proof.Comparison) bool {
		return c.Unmeasured() != "" || slices.ContainsFunc(c.Effects, func(e stats.Effect) bool { return e.Verdict != stats.Vetoed })
	})
}

// foundTable shows what was measured where no verdict can be given: of each arm its
// runs and how many of them are doubtful, their median with its interval, and the
// change from the baseline where that has an interval.
func (s study) foundTable(list []proof.Comparison) document.Table {
	var rows []armFound
	for _, c := range list {
		for _, arm := range s.armsOf(c) {
			rows = append(rows, armFound{c, arm})
		}
	}
	text := func(h document.Heading, of func(armFound) string) document.Column[armFound] {
		return document.Column[armFound]{Heading: h, Text: of}
	}
	t := document.TableOf([]document.Column[armFound]{
		text(document.Heading{Head: cornerOf(list)}, func(a armFound) string { return cmp.Or(s.traffic(a.Comparison), "all") }),
		text(document.Heading{Head: "arm", Words: true}, func(a armFound) string { return s.short(a.arm) }),
		text(document.Heading{Head: "runs"}, func(a armFound) string { return figures.Number(float64(a.runs(false)), 0) }),
		text(document.Heading{Head: "in doubt"}, func(a armFound) string { return figures.Number(float64(a.runs(true)), 0) }),
		{Heading: document.Heading{Head: "median"}, Text: armFound.median, Look: func(_ armFound, c *document.Cell) {
			if c.Text != figures.Missing {
				c.Mark, c.Class = marks[stats.Vetoed].mark, marks[stats.Vetoed].class
			}
		}},
		text(document.Heading{Head: "interval", Unit: s.confidence()}, armFound.interval),
		text(document.Heading{Head: "change"}, func(a armFound) string { return changeOf(a.effect()) }),
		text(document.Heading{Head: "interval", Unit: s.confidence()}, func(a armFound) string { return boundsOf(a.effect()) }),
	}, rows)
	t.Broken = true
	return t
}

// whyNone is why there is no verdict on comparisons, the first reason of each.
func whyNone(list []proof.Comparison) string {
	var why []string
	for _, c := range list {
		if len(c.Vetoes) > 0 {
			why = figures.With(why, texts(c.Vetoes[:1]))
		}
	}
	if len(why) == 0 {
		return ""
	}
	return "There is no verdict: " + strings.Join(why, "; ") + "."
}

// armsOf are the arms of the runs of a comparison as the plan has them, the baseline
// first and without its A/A.
func (s study) armsOf(c proof.Comparison) []string {
	var out []string
	for _, arm := range append([]string{c.Baseline}, s.Experiment.Arms...) {
		if slices.ContainsFunc(c.Runs, func(r proof.Sample) bool { return r.Arm == arm }) {
			out = figures.With(out, arm)
		}
	}
	return out
}

// runs is how many there are of an arm, or how many of these are doubtful.
func (a armFound) runs(doubtful bool) (n int) {
	for _, r := range a.Runs {
		if r.Arm == a.arm && (!doubtful || r.Doubt != "") {
			n++
		}
	}
	return n
}

// values are those of an arm's runs, and whether one of them is a lower bound.
func (a armFound) values() (all []float64, atLeast bool) {
	for _, r := range a.Runs {
		if r.Arm == a.arm && r.Value > 0 {
			all = append(all, r.Value)
			atLeast = atLeast || r.AtLeast
		}
	}
	return all, atLeast
}

// median returns that of an arm's runs, doubtful or not.
func (a armFound) median() string {
	all, atLeast := a.values()
	if len(all) == 0 {
		return figures.Missing
	}
	text := figures.ScaledValue(stats.Median(all), a.Comparison)
	if atLeast {
		return "at least " + text
	}
	return text
}

// interval is that of an arm's value, where it was compared.
func (a armFound) interval() string {
	i := summary(a.Comparison, a.arm).Interval
	if _, atLeast := a.values(); atLeast || !bounded(i) {
		return figures.Missing
	}
	return fmt.Sprintf("%s to %s", figures.ScaledValue(i.Lower, a.Comparison), figures.ScaledValue(i.Upper, a.Comparison))
}

// effect is that of the arm; one that nothing is known of where there is none.
func (a armFound) effect() stats.Effect {
	for _, e := range a.Effects {
		if e.Arm == a.arm {
			return e
		}
	}
	return stats.Effect{Change: stats.Unknown}
}

// counted is how many runs of an arm count.
func counted(c proof.Comparison, arm string) int {
	if c.Doubted {
		return armFound{c, arm}.runs(false) - armFound{c, arm}.runs(true)
	}
	return summary(c, arm).N
}

// A printout is what ministat prints of a comparison.
type printout struct{ Title, Text string }

// maxBlocks is the most comparisons that ministat is printed of.
const maxBlocks = 12

// blocks are those of the comparisons that ministat can print, the lead's
// first; Of more runs than it has room for nothing is left out.
func (s study) blocks() []printout {
	var out []printout
	for _, c := range s.leadFirst() {
		var b bytes.Buffer
		if len(out) == maxBlocks || stats.Ministat(&b, s.sets(c), stats.MinistatOptions{}) != nil {
			continue // too few runs, or too many arms; the verdicts are there all the same
		}
		out = append(out, printout{s.subject(c), b.String()})
	}
	return out
}

// leadFirst returns the comparisons of values, that of the lead first.
func (s study) leadFirst() []proof.Comparison {
	l, any := s.lead()
	if !any {
		return s.values()
	}
	same := func(c proof.Comparison) bool {
		return measure(c) == measure(l.Comparison) && s.traffic(c) == s.traffic(l.Comparison)
	}
	out := []proof.Comparison{l.Comparison}
	for _, c := range s.values() {
		if !same(c) {
			out = append(out, c)
		}
	}
	return out
}

// sets are the values of each arm that count, the baseline's first.
func (s study) sets(c proof.Comparison) []stats.Set {
	out := make([]stats.Set, len(c.Arms))
	for i, a := range c.Arms {
		out[i].Name = a.Arm
	}
	for _, r := range c.Runs {
		if i := armOf(c, r); i >= 0 && r.Doubt == "" {
			out[i].Values = append(out[i].Values, r.Value)
		}
	}
	return out
}
