package report

import (
	"fmt"
	"strings"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// detectable are the relative changes of which an experiment without arms says
// how many runs they take.
var detectable = []float64{.01, .02, .05}

// usualPower is how often stats.Runs has such a change seen.
const usualPower = .8

// noise are the comparisons of an experiment that compares nothing: runs of the
// unchanged DUT, which say how much two differ that should not.
func (s study) noise() []proof.Comparison {
	if len(s.Experiment.Arms) != 1 {
		return nil
	}
	var out []proof.Comparison
	for _, c := range s.values() {
		if len(c.Arms) > 0 && !c.Doubted {
			out = append(out, c)
		}
	}
	return out
}

// describeNoise returns what runs of the unchanged DUT show, in a sentence: "200 runs of the
// unchanged DUT differ by 12 % in 64-octet FRMOL, by 9.1 % within a block; A/A
// passes; a change of 1 % takes about 1,300 runs a side, one of 2 % 326".
func (s study) describeNoise(c proof.Comparison) string {
	text := fmt.Sprintf("%s runs of the unchanged DUT differ by %s %%%s", figures.Number(float64(counting(c)), 0), deviation(overall(c)), document.On(" in ", s.subject(c)))
	if c.Blocks > 0 {
		text += fmt.Sprintf(", by %s %% within a block", deviation(c.Deviation))
	}
	switch {
	case c.Same == nil:
	case c.Same.Verdict == stats.Proven:
		text += "; A/A FAILS: it differs from itself by " + amountOf(c.Same.Change)
	default:
		text += "; A/A passes"
	}
	parts := make([]string, len(detectable))
	for i, d := range detectable {
		parts[i] = fmt.Sprintf("one of %s %% %s", figures.Percent(d), s.needed(c, d))
	}
	return text + "; a change of " + figures.Percent(detectable[0]) + " % takes about " + s.needed(c, detectable[0]) + " runs a side, " + strings.Join(parts[1:], ", ")
}

// overall is the relative deviation of all runs, whatever their block.
func overall(c proof.Comparison) float64 {
	a := c.Arms[0]
	if !(a.Mean > 0) {
		return 0
	}
	return a.Deviation / a.Mean
}

// needed is how many runs a side a change takes, where runs differ as those of
// the comparison do.
func (s study) needed(c proof.Comparison, change float64) string {
	n := stats.Runs(c.Deviation, change, s.Experiment.Confidence, usualPower)
	if n >= stats.MostRuns {
		return "more than " + figures.Number(stats.MostRuns, 0)
	}
	return figures.Number(float64(n), 0)
}

// noiseTable is how much runs of the unchanged DUT differ, and what that means
// for those who want to see a change.
func (s study) noiseTable() document.Table {
	list := s.noise()
	if len(list) == 0 {
		return document.Table{}
	}
	var columns []document.Column[proof.Comparison]
	add := func(head, unit string, text func(proof.Comparison) string) {
		columns = append(columns, document.Column[proof.Comparison]{Heading: document.Heading{Head: head, Unit: unit}, Text: text})
	}
	same := func(of func(stats.Interval) string) func(proof.Comparison) string {
		return func(c proof.Comparison) string {
			if c.Same == nil {
				return figures.Missing
			}
			return of(c.Same.Change)
		}
	}
	add(cornerOf(list), "", s.row)
	add("mean", "", func(c proof.Comparison) string { return figures.QuantityOf(c, center(c.Arms[0])) })
	add("runs", "", func(c proof.Comparison) string { return figures.Number(float64(counting(c)), 0) })
	add("deviation", "of all, %", func(c proof.Comparison) string { return deviation(overall(c)) })
	add("within", "blocks, %", func(c proof.Comparison) string {
		if c.Blocks == 0 {
			return figures.Missing
		}
		return deviation(c.Deviation)
	})
	add("A/A", "", same(changed))
	add("interval", s.confidence(), same(bounds))
	for i, d := range detectable {
		head := ""
		if i == 0 {
			head = "runs a side for"
		}
		add(head, figures.Percent(d)+" %", func(c proof.Comparison) string { return s.needed(c, d) })
	}
	return document.TableOf(columns, list)
}

// counting is how many runs of a comparison count.
func counting(c proof.Comparison) (n int) {
	for _, a := range c.Arms {
		n += a.N
	}
	return n
}

// noiseNote says what the numbers of the table are.
func (s study) noiseNote() string {
	return fmt.Sprintf("Runs a side are what lets a change of that size be told from none in %s %% of campaigns of two arms in blocks, with a confidence of %s, where runs differ as these do.",
		figures.Percent(usualPower), s.confidence())
}
