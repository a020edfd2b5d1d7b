package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"weir"
	"weir/internal/proof"
	"weir/stats"
)

// A verdictLine is one effect in the table of all.
type verdictLine struct {
	Traffic, Measure, Arm  string
	Change, Bounds         string
	P, RankP               string
	Said, Mark, Class      string
	Runs, More, Gain       string
	Estimate, Lower, Upper float64 // in percent, for the picture
	Drawn                  bool
}

// said are verdicts in a word or two.
var said = map[stats.Verdict]string{
	stats.Proven: "proven", stats.Equivalent: "equivalent", stats.Inconclusive: "not proven", stats.Vetoed: "no verdict",
}

// verdictLines are all effects of comparisons.
func (s study) verdictLines(list []proof.Comparison) []verdictLine {
	var out []verdictLine
	for _, l := range effectsOf(list) {
		e := l.Effect
		v := verdictLine{Traffic: s.traffic(l.Comparison), Measure: measure(l.Comparison), Arm: s.short(e.Arm),
			Change: changed(e.Change), Bounds: bounds(e.Change), P: probability(e.Adjusted), RankP: probability(e.RankP),
			Said: said[e.Verdict], Runs: s.count(l), More: missing, Gain: missing,
			Estimate: e.Change.Estimate * 100, Lower: e.Change.Lower * 100, Upper: e.Change.Upper * 100, Drawn: bounded(e.Change)}
		v.Mark, v.Class = markOf(l.Comparison, e)
		if e.More > 0 {
			v.More = number(float64(e.More), 0)
		}
		if g := gain(l.Comparison, e); g > 0 {
			v.Gain = number(g, 2)
		}
		out = append(out, v)
	}
	return out
}

// count is "12", or "12/11" where the baseline has another number of runs.
func (s study) count(l led) string {
	a, b := summary(l.Comparison, l.Effect.Arm).N, summary(l.Comparison, l.Baseline).N
	if a == b {
		return number(float64(a), 0)
	}
	return fmt.Sprintf("%d/%d", a, b)
}

// gain is how wide an interval is relative to the one that would be there
// without the blocks; 0 where there are none, or that is not known.
func gain(c proof.Comparison, e stats.Effect) float64 {
	if c.Blocks == 0 || !bounded(e.Change) || !bounded(e.Welch) {
		return 0
	}
	return (e.Change.Upper - e.Change.Lower) / (e.Welch.Upper - e.Welch.Lower)
}

// gained says what the blocks were good for.
func (s study) gained() string {
	var gains []float64
	for _, l := range effectsOf(s.values()) {
		if g := gain(l.Comparison, l.Effect); g > 0 {
			gains = append(gains, g)
		}
	}
	if len(gains) == 0 {
		return ""
	}
	slices.Sort(gains)
	said := "What is slow beside the runs cancels within a block"
	if gains[len(gains)/2] >= 1 {
		said = "Little was slow beside the runs, and blocks gained nothing"
	}
	return fmt.Sprintf("%s: intervals are %s times as wide as Welch's of the same runs%s.", said,
		number(gains[len(gains)/2], 2), pick(len(gains), "", fmt.Sprintf(" (median; %s to %s)", number(gains[0], 2), number(gains[len(gains)-1], 2))))
}

// several reports whether comparisons are of several methods or figures.
func several(list []proof.Comparison) bool {
	return slices.ContainsFunc(list, func(c proof.Comparison) bool { return measure(c) != measure(list[0]) })
}

// verdictTable is the table of all effects of comparisons, for text and
// Markdown.
func (s study) verdictTable(list []proof.Comparison) table {
	t := table{Head: []string{"frame", "arm", "change", "interval", "verdict", "p", "p", "runs", "more", "width by"},
		Units: []string{"", "", "", s.confidence(), "", "Holm", "rank", "a side", "runs", "Welch's"}, Words: []int{1, 4}, Broken: true}
	methods := several(list)
	if methods {
		t.Head, t.Units, t.Words = slices.Insert(t.Head, 1, "what"), slices.Insert(t.Units, 1, ""), []int{1, 2, 5}
	}
	t.Head[0] = cornerOf(list)
	blocks := slices.ContainsFunc(list, func(c proof.Comparison) bool { return c.Blocks > 0 })
	for _, v := range s.verdictLines(list) {
		line := []string{cmp.Or(v.Traffic, "all"), v.Arm, v.Change, v.Bounds, v.Said, v.P, v.RankP, v.Runs, v.More, v.Gain}
		if methods {
			line = slices.Insert(line, 1, v.Measure)
		}
		if !blocks {
			line = line[:len(line)-1]
		}
		t.Rows = append(t.Rows, line)
	}
	if !blocks {
		t.Head, t.Units = t.Head[:len(t.Head)-1], t.Units[:len(t.Units)-1]
	}
	return t
}

// cornerOf is the heading over what was sent, in a table of comparisons.
func cornerOf(list []proof.Comparison) string {
	if len(list) > 0 && !slices.ContainsFunc(list, func(c proof.Comparison) bool { return !ofTransfer(c) }) {
		return "transfer"
	}
	return "frame"
}

// spare are the columns of verdicts that a text leaves to the page and to CSV
// where it has no room for them, the first ones first.
var spare = [][2]string{{"width by", "Welch's"}, {"p", "rank"}, {"more", "runs"}}

// fit is a table without as many spare columns as it takes to fit into a width.
func (t table) fit(width int) table {
	for _, s := range spare {
		i := slices.IndexFunc(t.Head, func(h string) bool { return h == s[0] })
		for i >= 0 && i < len(t.Head) && t.Units[i] != s[1] {
			i++
		}
		if i >= 0 && i < len(t.Head) && t.width() > width {
			t = t.without(i)
		}
	}
	return t
}

// width is that of the table as text.
func (t table) width() int {
	sum := -2
	for i := range t.Head {
		widest := max(utf8.RuneCountInString(t.Head[i]), utf8.RuneCountInString(t.Units[i]))
		for _, row := range t.Rows {
			widest = max(widest, utf8.RuneCountInString(row[i]))
		}
		sum += widest + 2
	}
	return sum
}

// confidence is that of the intervals: "95 %".
func (s study) confidence() string {
	level := s.Experiment.Confidence
	if level == 0 {
		level = .95
	}
	return percent(level) + " %"
}

// design says how the runs were ordered and what counts as a difference.
func (s study) design() string {
	e := s.Experiment
	var parts []string
	if n := len(e.Arms); n > 0 {
		text := fmt.Sprintf("%d %s", n, plural(n, "arm"))
		if e.Same {
			text += " and the baseline once more (A/A)"
		}
		parts = append(parts, text)
	}
	return strings.Join(append(parts, s.ordered()), ", ")
}

// ordered is the design without what was varied.
func (s study) ordered() string {
	e := s.Experiment
	var parts []string
	switch e.Schedule {
	case weir.Blocks:
		parts = append(parts, "randomised complete blocks, seed "+fmt.Sprint(e.Seed))
	case weir.Abreast:
		parts = append(parts, "the arms of a block side by side, in windows in turn, seed "+fmt.Sprint(e.Seed))
	case weir.ABBA:
		parts = append(parts, "blocks in ABBA order, seed "+fmt.Sprint(e.Seed))
	default:
		parts = append(parts, "the order of the runs is not known")
	}
	switch e.Reset {
	case weir.NoReset:
		parts = append(parts, "nothing reset between runs of one arm")
	case weir.Reapply:
		parts = append(parts, "levels undone and set anew between runs")
	case weir.Rebuild:
		parts = append(parts, "testbed set up anew between runs")
	}
	parts = append(parts, s.confidence()+" intervals")
	if e.Detect > 0 {
		made := "made to see changes of " + percent(e.Detect) + " %"
		switch {
		case e.Needed == 0:
			made = "changes of " + percent(e.Detect) + " % matter"
		case e.Needed > e.Runs:
			made = fmt.Sprintf("changes of %s %% take %d replicates by the pilot, and %d were the most: smaller ones than these can see are missed", percent(e.Detect), e.Needed, e.Runs)
		}
		parts = append(parts, made)
	}
	if e.Margin > 0 {
		parts = append(parts, "changes below "+percent(e.Margin)+" % make no difference")
	}
	return strings.Join(parts, ", ")
}

// deviation is a relative one in percent, with two digits.
func deviation(d float64) string {
	switch {
	case d >= .095:
		return number(d*100, 0)
	case d >= .0095:
		return number(d*100, 1)
	}
	return number(d*100, 2)
}

// effectTables are those of a factorial: main effects and interactions.
func (s study) effectTables() []effectTable {
	var out []effectTable
	for _, e := range s.Effects {
		t := effectTable{Title: strings.TrimSuffix(measure(proof.Comparison{Method: e.Method, LossRatio: e.LossRatio, Transfer: e.Transfer}), ", "),
			table: table{Head: []string{"effect", "change", s.confidence() + " interval", "p"}, Units: []string{"", "", "", "not adjusted"}, Broken: true}}
		for _, term := range e.Terms {
			parts := make([]string, len(term.Factors))
			for i, f := range term.Factors {
				parts[i] = strings.ReplaceAll(f, "_", " ")
				if i < len(term.Levels) {
					parts[i] = levelWords(f, term.Levels[i])
				}
			}
			t.Rows = append(t.Rows, []string{strings.Join(parts, " x "), changed(term.Change), bounds(term.Change), probability(term.P)})
		}
		t.Vetoed = texts(e.Vetoes)
		if interacts(e.Terms) {
			out = append(out, t)
		}
	}
	return out
}

// interacts reports whether terms are of several factors: of one the verdicts
// say the same.
func interacts(terms []proof.Term) bool {
	return slices.ContainsFunc(terms, func(t proof.Term) bool { return !slices.Equal(t.Factors, terms[0].Factors) })
}

// An effectTable is the effects on one measure.
type effectTable struct {
	Title  string
	Vetoed string // why none of them is proven
	table
}
