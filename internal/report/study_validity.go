package report

import (
	"fmt"
	"math"
	"slices"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// againLines say of each comparison whether the baseline differs from itself.
// Where there are many, those that do not are one line.
func (s study) againLines() []string {
	var failed, all []string
	var widest proof.Comparison
	passed := 0
	for _, c := range s.values() {
		if c.Same == nil {
			continue
		}
		line := s.againLine(c)
		all = append(all, line)
		if c.Same.Verdict == stats.Proven {
			failed = append(failed, line)
			continue
		}
		if passed++; widest.Same == nil || magnitude(c.Same.Change.Estimate) > magnitude(widest.Same.Change.Estimate) {
			widest = c
		}
	}
	if passed < 2 {
		return all
	}
	which := fmt.Sprintf("all %d", passed)
	if len(failed) > 0 {
		which = fmt.Sprintf("the other %d", passed)
	}
	text := fmt.Sprintf("passes in %s comparisons of %s with itself; the largest difference is %s", which, s.words(widest.Baseline), changed(widest.Same.Change)+bracketed(widest.Same.Change))
	return append(failed, text+document.On(", of ", s.subject(widest)))
}

// againLine says of one comparison whether the baseline differs from itself.
func (s study) againLine(c proof.Comparison) string {
	state := "passes"
	if c.Same.Verdict == stats.Proven {
		state = "FAILS"
	}
	return fmt.Sprintf("%s%s twice differs by %s, p %s; %s", s.about(c), s.words(c.Baseline), changed(c.Same.Change)+bracketed(c.Same.Change), probability(c.Same.P), state)
}

// about begins a line about one comparison: with what tells it from the others; "" where there is
// one.
func (s study) about(c proof.Comparison) string {
	where := s.traffic(c)
	if several(s.values()) {
		where = s.subject(c)
	}
	if where == "" {
		return ""
	}
	return where + ": "
}

// unlikely is the probability below which a stretch of runs is reported.
const unlikely = .05

// driftLines say how much the rates changed while they were measured. Where
// there are many comparisons, those of which that may be chance are one line.
func (s study) driftLines() []string {
	var moved, all []string
	var still []proof.Comparison
	for _, c := range s.values() {
		if d := c.Drift; d == (stats.Interval{}) || !figures.Finite(d.Estimate) {
			continue
		}
		line := s.driftLine(c)
		all = append(all, line)
		d := c.Drift
		if away := bounded(d) && (d.Lower > 0 || d.Upper < 0); away || c.Stretch != nil && c.Stretch.P < unlikely {
			moved = append(moved, line)
		} else {
			still = append(still, c)
		}
	}
	if len(still) < 2 {
		return all
	}
	low, high, most := math.Inf(1), 0., still[0]
	for _, c := range still {
		low, high = min(low, c.Deviation), max(high, c.Deviation)
		if math.Abs(c.Drift.Estimate) > math.Abs(most.Drift.Estimate) {
			most = c
		}
	}
	which := fmt.Sprintf("all %d", len(still))
	if len(moved) > 0 {
		which = fmt.Sprintf("%d other", len(still))
	}
	text := fmt.Sprintf("no more than chance brings in %s comparisons; the largest from the first third of the runs to the last is %s", which, changed(most.Drift)+bracketed(most.Drift))
	text += fmt.Sprintf("%s; runs of one arm differ by %s to %s %%", document.On(", of ", s.subject(most)), deviation(low), deviation(high))
	if slices.ContainsFunc(still, func(c proof.Comparison) bool { return c.Blocks > 0 }) {
		text += " within a block"
	}
	return append(moved, text)
}

// driftLine is that of one comparison.
func (s study) driftLine(c proof.Comparison) string {
	text := fmt.Sprintf("%s%s from the first third of the runs to the last%s; runs of one arm differ by %s %%", s.about(c), changed(c.Drift), bracketed(c.Drift), deviation(c.Deviation))
	if c.Blocks > 0 {
		text += " within a block"
	}
	if w := c.Stretch; w != nil && w.P < unlikely {
		text += fmt.Sprintf("; those from run %d to %d by %s %% from the others (p %s)", w.First, w.Last, withSign(w.Change*100, 1), probability(w.P))
	}
	return text
}
