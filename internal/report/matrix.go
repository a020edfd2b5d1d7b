package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weir/internal/proof"
	"weir/stats"
)

// A matrix is what one method found: what was sent in rows and groups of
// columns, what was set in the columns of each group, and the CPU's load.
type matrix struct {
	Title  string // "throughput, kpps"
	Corner string // over the rows
	Groups []head
	Levels []string // of the columns, group after group
	Starts []bool   // whether a column is the first of its group
	Rows   []matrixRow

	Notes   []string // footnotes, from 1
	Note    string   // what the numbers are, where that is not said of all matrices
	Remarks bool     // the last column holds words
}

type matrixRow struct {
	Label string
	Cells []matrixCell
}

// A matrixCell is one number. Change and Mark are those of the arms that are
// compared.
type matrixCell struct {
	Value, Change, Mark string
	Class               string // of the verdict, for the style sheet
	Note                string // numbers of footnotes: "1", "1,3"
	Start               bool
}

// cpuUsage is the heading of how busy the DUT's CPUs were.
const cpuUsage = "CPU usage, %"

// marks stand beside the numbers of arms.
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
func (s study) matrices() []matrix {
	var out []matrix
	var order []string
	sets := make(map[string][]proof.Comparison)
	out = append(out, s.transferMatrices()...)
	for _, c := range s.Comparisons {
		if ofTransfer(c) {
			continue
		}
		name := measure(c) + "\x00" + c.Unit
		order = with(order, name)
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
func (s study) matrixOf(list []proof.Comparison) matrix {
	m := matrix{Title: strings.TrimPrefix(measure(list[0])+scale(list[0]), ", "), Corner: "frame"}
	var rows, groups, arms []string
	at := make(map[[2]string]proof.Comparison)
	for _, c := range list {
		row, group := s.placed(c)
		rows, groups = with(rows, row), with(groups, group)
		at[[2]string{row, group}] = c
		for _, a := range compared(c) {
			arms = with(arms, a.Arm)
		}
	}
	heading := ""
	if f, one := s.factor(); one {
		heading = f.Name
	}
	group := func(text string) {
		m.Groups = append(m.Groups, head{text, len(arms)})
		for i, arm := range arms {
			m.Levels, m.Starts = append(m.Levels, s.short(arm)), append(m.Starts, i == 0)
		}
	}
	for _, g := range groups {
		group(cmp.Or(strings.TrimSpace(g), heading))
	}
	busy := list[0].Figure == "" && slices.ContainsFunc(list, func(c proof.Comparison) bool {
		return slices.ContainsFunc(arms, func(arm string) bool { return cpuLoad(c, arm) > 0 })
	})
	if busy {
		group(cpuUsage)
	}
	for _, row := range rows {
		r := matrixRow{Label: row}
		var all []proof.Comparison
		for _, g := range groups {
			c, there := at[[2]string{row, g}]
			if there {
				all = append(all, c)
			}
			for i, arm := range arms {
				cell := matrixCell{Value: missing}
				if there {
					cell = cellOf(c, arm)
				}
				cell.Start = i == 0
				r.Cells = append(r.Cells, cell)
			}
		}
		for i, arm := range arms {
			if busy {
				r.Cells = append(r.Cells, matrixCell{Value: cpuOf(all, arm), Start: i == 0})
			}
		}
		m.Rows = append(m.Rows, r)
	}
	return m
}

// scale is the unit of a matrix, after its name.
func scale(c proof.Comparison) string {
	if c.Figure == proof.CPUPerFrame {
		return ", ns"
	}
	switch c.Unit {
	case "frames/s":
		return ", kpps"
	case "bit/s":
		return ", Mbit/s"
	case "s":
		return ", us"
	case "":
		return ""
	}
	return ", " + c.Unit
}

// scaledValue is a value in the unit of scale.
func scaledValue(v float64, c proof.Comparison) string {
	switch {
	case !finite(v) || v == 0:
		return missing
	case c.Figure == proof.CPUPerFrame:
		return nanos(v)
	case c.Unit == "frames/s":
		return kpps(v)
	case c.Unit == "bit/s":
		return megabitScale.of(v)
	case c.Unit == "s":
		return micros(v)
	}
	return significantOrWhole(v)
}

// placed is where a comparison stands: its row, and its group of columns.
func (s study) placed(c proof.Comparison) (row, group string) {
	row = s.traffic(c)
	if way := s.direction(c); way != "" {
		row = strings.TrimSpace(strings.Replace(row+" ", " "+way+" ", " ", 1))
		row = strings.TrimSpace(strings.Replace(row, " "+way+",", "", 1))
		return row, way
	}
	return row, ""
}

func cellOf(c proof.Comparison, arm string) matrixCell {
	a := summary(c, arm)
	if a.N == 0 {
		return matrixCell{Value: missing}
	}
	cell := matrixCell{Value: scaledValue(center(a), c)}
	for _, e := range c.Effects {
		if e.Arm == arm {
			cell.Change = changed(e.Change)
			cell.Mark, cell.Class = markOf(c, e)
		}
	}
	return cell
}

// center is the geometric mean of an arm's runs, or their median where the
// model gives none.
func center(a stats.Summary) float64 {
	if finite(a.Interval.Estimate) && a.Interval.Estimate > 0 {
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
			sum += r.Result.CPUShare
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / n
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
		return missing
	}
	return number(sum/n*100, 0)
}

// legend says what the marks of a matrix mean, those that it has.
func (s study) legend() []string {
	var out []string
	for _, v := range verdicts {
		if !slices.ContainsFunc(effectsOf(s.Comparisons), func(l led) bool { return l.Effect.Verdict == v }) {
			continue
		}
		text := marks[v].means
		if v == stats.Equivalent && s.margin() > 0 {
			text = "it makes no difference above " + percent(s.margin()) + " %"
		}
		out = append(out, marks[v].mark+" "+text)
	}
	return out
}

// note says what the numbers of the matrices are.
func (s study) note() string {
	text := "Geometric means of the runs"
	if left := s.leftOut(); left > 0 {
		text += fmt.Sprintf(" that count (%d do not)", left)
	}
	if slices.ContainsFunc(s.matrices(), func(m matrix) bool {
		return slices.ContainsFunc(m.Groups, func(g head) bool { return g.Text == cpuUsage })
	}) {
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
