package report

import (
	"cmp"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
)

// goods are what transfers are compared by, by the unit of their value.
var goods = map[string]string{"bit/s": "goodput", "transactions/s": "transaction rate", "connections/s": "connection rate", "sessions/s": "session rate", "s": "time"}

// goodOf is what a transfer is compared by: "netperf's goodput".
func goodOf(method, unit string) string {
	return figures.ProgramOf(method) + "'s " + cmp.Or(goods[unit], "value")
}

// words is an arm with its levels as people say them; others' words are not weir's.
func (s study) words(arm string) string {
	levels := s.Experiment.Levels[arm]
	if len(levels) == 0 || s.Experiment.Schedule == "" {
		return arm
	}
	return strings.Join(levelWords(levels, nil), ", ")
}

// levelWords are levels as people say them, without those that are there already.
func levelWords(levels []weir.ArmLevel, there []string) (out []string) {
	for _, l := range levels {
		if text := figures.Written(l.Factor, l.Name); !slices.Contains(there, text) {
			out = append(out, text)
		}
	}
	return out
}

// transferMatrices are what all transfers of a study found, and the CPU time that
// it took the DUT.
func (s study) transferMatrices() []document.Table {
	var out []document.Table
	values, further := s.values(), s.figures()
	for _, list := range [][]proof.Comparison{values, further} {
		list = slices.DeleteFunc(slices.Clone(list), func(c proof.Comparison) bool { return !figures.OfTransfer(c) })
		if m, any := s.transferMatrix(list); any {
			out = append(out, m)
		}
	}
	return out
}

// transferMatrix is a matrix of comparisons of transfers: one row for each DUT,
// or for each level that is not compared; groups of columns for each transfer and
// direction, with the arms in each; and the CPU usage of the arms at the end.
func (s study) transferMatrix(list []proof.Comparison) (document.Table, bool) {
	if !slices.ContainsFunc(list, func(c proof.Comparison) bool { return len(c.Arms) > 0 }) {
		return document.Table{}, false
	}
	in := figures.ScaleFor(ratesOf(list))
	title := "goodput, " + in.Name
	if list[0].Figure != "" {
		title = result.Named(list[0].Figure).Compared.Title + figures.Scale(list[0])
	}
	var rows, groups, titles, arms []string
	order := make(map[string]int) // of the groups, by their transfers
	units := make(map[string]string)
	at := make(map[[2]string]proof.Comparison)
	for _, c := range list {
		row, title, group := s.transferPlace(c, list)
		rows, groups, titles = figures.With(rows, row), figures.With(groups, group), figures.With(titles, title)
		order[group] = slices.Index(titles, title)
		at[[2]string{row, group}] = c
		if units[group] = ""; c.Unit != "bit/s" && c.Figure == "" {
			units[group] = figures.UnitOfValues(c)
		}
		for _, r := range c.Runs {
			if !r.Run.Again && slices.Contains(s.Experiment.Arms, r.Arm) {
				arms = figures.With(arms, r.Arm)
			}
		}
	}
	slices.SortStableFunc(arms, func(a, b string) int { return slices.Index(s.Experiment.Arms, a) - slices.Index(s.Experiment.Arms, b) })
	slices.SortStableFunc(groups, func(a, b string) int { return order[a] - order[b] })
	heads := make([]string, len(groups))
	for i, g := range groups {
		heads[i] = g + document.On(", ", units[g])
	}
	corner := ""
	if len(rows) == 1 && rows[0] == s.dut {
		corner = "DUT"
	}
	var notes figures.Footnotes
	t := s.matrix(title, corner, rows, groups, heads, arms, at, func(c proof.Comparison, arm string) document.Cell { return s.transferCell(c, arm, in, &notes) })
	t.Notes = notes.Texts()
	if list[0].Figure == "" {
		t.Note = kindsNote(list)
	}
	return t, true
}

// transferPlace returns where one of several comparisons of transfers is: its row,
// what it is, and its group of columns.
func (s study) transferPlace(c proof.Comparison, list []proof.Comparison) (row, title, group string) {
	title = figures.ProgramOf(c.Method)
	if !onlyKind(c, list) {
		title = figures.TransferTitle(c.Method, &c.Transfer) + document.On(", ", s.distinguish(c))
	}
	group = title
	if s.direction(c) != "" {
		group += ", " + figures.PathOf(c.Factors)
	}
	row = strings.Join(figures.TransferLevels(c.Factors, s.common), ", ")
	if row == "" {
		row = s.dut
	}
	return row, title, group
}

// onlyKind reports whether all comparisons of a program are of one transfer.
func onlyKind(c proof.Comparison, list []proof.Comparison) bool {
	return !slices.ContainsFunc(list, func(o proof.Comparison) bool { return o.Method == c.Method && o.Transfer != c.Transfer })
}

// kindsNote says what programs did, where headings leave it out.
func kindsNote(list []proof.Comparison) string {
	var out []string
	for _, c := range list {
		text := figures.TransferTitle(c.Method, &c.Transfer) + document.On(", ", figures.FilesText(c.Transfer))
		if onlyKind(c, list) && text != figures.ProgramOf(c.Method) {
			out = figures.With(out, text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "Transfers: " + strings.Join(out, "; ") + "."
}

// distinguish returns what distinguishes a comparison of transfers from others of the same title.
func (s study) distinguish(c proof.Comparison) string {
	var others []weir.Transfer
	for _, o := range s.Comparisons {
		if o.Method == c.Method && o.Transfer != (weir.Transfer{}) {
			others = append(others, o.Transfer)
		}
	}
	return figures.Distinguish(c.Method, c.Transfer, others)
}

func (s study) transferCell(c proof.Comparison, arm string, in figures.BitScale, notes *figures.Footnotes) document.Cell {
	out := cellOf(c, arm)
	if a := summary(c, arm); a.N > 0 && c.Unit == "bit/s" && c.Figure == "" {
		out.Text = in.Of(center(a))
	}
	var runs []*weir.Result
	for _, r := range c.Runs {
		if r.Arm == arm && r.Result != nil {
			runs = append(runs, r.Result)
		}
	}
	if c.Figure == "" {
		out.Note, _ = notes.Noted(runs)
	}
	return out
}

// ratesOf are the rates of comparisons, all arms of them.
func ratesOf(list []proof.Comparison) []float64 {
	var out []float64
	for _, c := range list {
		if c.Unit != "bit/s" {
			continue
		}
		for _, a := range c.Arms {
			out = append(out, center(a))
		}
	}
	return out
}

// dutOf names what a campaign measured, as a row of a table.
func dutOf(m weir.Manifest) string {
	if m.Platform == weir.NoDUT {
		return "no DUT"
	}
	name := strings.TrimSpace(m.Platform + " " + m.Kernel)
	if name == "" {
		return "DUT"
	}
	return name
}
