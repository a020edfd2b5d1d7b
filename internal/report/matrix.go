package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/stats"
)

// marks are next to the numbers of arms.
var marks = map[stats.Verdict]struct{ mark, class, means string }{
	stats.Proven:       {"*", "proven", "it differs from the baseline"},
	stats.Equivalent:   {"=", "equivalent", "it makes no difference that matters"},
	stats.Inconclusive: {"?", "open", "no difference proven"},
	stats.Vetoed:       {"x", "vetoed", "no verdict"},
}

// verdicts are the verdicts in the order in which a legend has them.
var verdicts = []stats.Verdict{stats.Proven, stats.Equivalent, stats.Inconclusive, stats.Vetoed}

// markOf is the mark of a verdict on a change: a proven one says by its class
// whether it is for the better.
func markOf(c proof.Comparison, e stats.Effect) (mark, class string) {
	m := marks[e.Verdict]
	if e.Verdict != stats.Proven {
		return m.mark, m.class
	}
	if better := (e.Change.Estimate > 0) != (c.Unit == "s"); better && c.Unit != "" {
		return m.mark, m.class + " better"
	}
	return m.mark, m.class + " worse"
}

// matrices are those of a study: one for each method and figure.
func (s study) matrices() []document.Table {
	var out []document.Table
	var order []string
	sets := make(map[string][]proof.Comparison)
	out = append(out, s.transferMatrices()...)
	for _, c := range s.Comparisons {
		if figures.OfTransfer(c) {
			continue
		}
		name := measure(c) + "\x00" + c.Unit
		order = figures.With(order, name)
		sets[name] = append(sets[name], c)
	}
	for _, name := range order {
		if slices.ContainsFunc(sets[name], func(c proof.Comparison) bool { return len(c.Arms) > 0 }) {
			out = append(out, s.matrixOf(sets[name]))
		}
	}
	return out
}

// matrixOf is the matrix of comparisons of one method.
func (s study) matrixOf(list []proof.Comparison) document.Table {
	var rows, groups, arms []string
	at := make(map[[2]string]proof.Comparison)
	for _, c := range list {
		row, group := s.placed(c)
		rows, groups = figures.With(rows, row), figures.With(groups, group)
		at[[2]string{row, group}] = c
		for _, a := range compared(c) {
			arms = figures.With(arms, a.Arm)
		}
	}
	over := ""
	if f, one := s.factor(); one {
		over = f.Name
	}
	title := strings.TrimPrefix(measure(list[0])+figures.Scale(list[0]), ", ")
	heads := make([]string, len(groups))
	for i, g := range groups {
		heads[i] = cmp.Or(strings.TrimSpace(g), over)
	}
	return s.matrix(title, "frame", rows, groups, heads, arms, at, cellOf)
}

// matrix is a table of comparisons at their places: what was sent in rows and
// groups of columns, what was set in the columns of each group, and the CPU's load.
func (s study) matrix(title, corner string, rows, groups, heads, arms []string, at map[[2]string]proof.Comparison, of func(proof.Comparison, string) document.Cell) document.Table {
	t := document.Table{Title: title, Columns: []document.Heading{{Unit: corner, Words: true}}, Broken: true, Grouped: true}
	group := func(text string) {
		for i, arm := range arms {
			h := document.Heading{Unit: s.short(arm), Start: i == 0}
			if h.Start {
				h.Head = text
			}
			t.Columns = append(t.Columns, h)
		}
	}
	for _, text := range heads {
		group(text)
	}
	loaded := false
	for _, c := range at {
		loaded = loaded || busy(c, arms)
	}
	if loaded {
		group("CPU usage, %")
	}
	for _, row := range rows {
		cells := document.Cells(row)
		var all []proof.Comparison
		for _, g := range groups {
			c, there := at[[2]string{row, g}]
			if there {
				all = append(all, c)
			}
			for _, arm := range arms {
				if there {
					one := of(c, arm)
					one.Of = figures.OrNil(runOf(c, arm))
					cells = append(cells, one)
				} else {
					cells = append(cells, document.Cell{Text: figures.Missing})
				}
			}
		}
		for _, arm := range arms {
			if loaded {
				cells = append(cells, document.Cell{Text: cpuOf(all, arm)})
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// runOf is the result of a run of an arm; nil where there is none.
func runOf(c proof.Comparison, arm string) *weir.Result {
	for _, r := range c.Runs {
		if r.Arm == arm && r.Result != nil {
			return r.Result
		}
	}
	return nil
}

// placed returns where a comparison is: its row, and its group of columns.
func (s study) placed(c proof.Comparison) (row, group string) {
	row = s.traffic(c)
	if way := s.direction(c); way != "" {
		row = strings.TrimSpace(strings.Replace(row+" ", " "+way+" ", " ", 1))
		row = strings.TrimSpace(strings.Replace(row, " "+way+",", "", 1))
		return row, way
	}
	return row, ""
}

func cellOf(c proof.Comparison, arm string) document.Cell {
	a := summary(c, arm)
	if a.N == 0 {
		return document.Cell{Text: figures.Missing}
	}
	out := document.Cell{Text: figures.ScaledValue(center(a), c)}
	if _, atLeast := (armFound{c, arm}).values(); atLeast {
		out.Text = "at least " + out.Text
	}
	if c.Doubted {
		out.Mark, out.Class = marks[stats.Vetoed].mark, marks[stats.Vetoed].class
	}
	for _, e := range c.Effects {
		if e.Arm == arm {
			out.Change = changeOf(e)
			out.Mark, out.Class = markOf(c, e)
		}
	}
	return out
}

// center is the geometric mean of an arm's runs, or their median where the
// model gives none.
func center(a stats.Summary) float64 {
	if figures.Finite(a.Interval.Estimate) && a.Interval.Estimate > 0 {
		return a.Interval.Estimate
	}
	return a.Median
}

// cpuLoad is the mean share of the DUT's CPUs that the runs of an arm used; 0
// when unknown.
func cpuLoad(c proof.Comparison, arm string) float64 {
	sum, n := 0., 0.
	for _, r := range c.Runs {
		if r.Arm == arm && r.Doubt == "" && r.Result != nil && r.Result.CPUShare > 0 {
			sum += min(r.Result.CPUShare, 1)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// busy reports whether it is known of a value how busy the DUT was at some arms.
func busy(c proof.Comparison, arms []string) bool {
	return c.Figure == "" && slices.ContainsFunc(arms, func(arm string) bool { return cpuLoad(c, arm) > 0 })
}

// cpuOf is the mean CPU load of an arm over the groups of a row.
func cpuOf(list []proof.Comparison, arm string) string {
	sum, n := 0., 0.
	for _, c := range list {
		if v := cpuLoad(c, arm); v > 0 {
			sum += v
			n++
		}
	}
	if n == 0 {
		return figures.Missing
	}
	return figures.Number(sum/n*100, 0)
}

// marked says what the marks of matrices mean, those that there are.
func (s study) marked() string {
	var out []string
	for _, v := range verdicts {
		doubtful := v == stats.Vetoed && slices.ContainsFunc(s.Comparisons, func(c proof.Comparison) bool { return c.Doubted && len(c.Arms) > 0 })
		if !doubtful && !slices.ContainsFunc(effectsOf(s.Comparisons), func(l effectRow) bool { return l.Effect.Verdict == v }) {
			continue
		}
		text := marks[v].means
		if v == stats.Equivalent && s.margin() > 0 {
			text = "it makes no difference above " + figures.Percent(s.margin()) + " %"
		}
		if doubtful {
			text += ", and the numbers are of all runs, in doubt or not"
		}
		out = append(out, marks[v].mark+" "+text)
	}
	return strings.TrimPrefix(strings.Join(out, "; ")+". ", ". ") + s.judgedTogether()
}

// judgedTogether says that verdicts hold for all comparisons together, where one is
// weaker than its interval, which is one by itself, would have it.
func (s study) judgedTogether() string {
	weaker := func(l effectRow) bool {
		c, m := l.Effect.Change, s.Experiment.Margin
		return l.Effect.Verdict == stats.Inconclusive && bounded(c) && (c.Lower > 0 || c.Upper < 0 || c.Lower > -m && c.Upper < m)
	}
	all := effectsOf(s.Comparisons)
	if !slices.ContainsFunc(all, weaker) {
		return ""
	}
	return "A verdict holds for all comparisons together (Holm), an interval for its own. "
}

// means says what numbers of runs are.
func (s study) means() string {
	text := "Geometric means of the runs"
	if left := s.leftOut(); left > 0 {
		text += fmt.Sprintf(" that count (%d do not)", left)
	}
	return text
}

// note says what the numbers of the matrices are.
func (s study) note() string {
	text := s.means()
	if slices.ContainsFunc(s.values(), func(c proof.Comparison) bool { return busy(c, armNames(c)) }) {
		text += "; CPU usage is the mean of its runs, all directions together"
	}
	return text + "."
}

// leftOut is how many runs do not count.
func (s study) leftOut() int {
	n := 0
	for _, c := range s.measured() {
		for _, r := range c.Runs {
			if r.Doubt != "" {
				n++
			}
		}
	}
	return n
}
