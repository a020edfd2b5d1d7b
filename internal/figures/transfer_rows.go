package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// A transferSet are the transfers of a campaign by what they are, which has a
// column, and by their levels, which have a row.
type transferSet struct {
	Columns []transferColumn
	Rows    []string
	cells   map[[2]int]transferCell
}

type transferColumn struct {
	Method string
	Kind   weir.Transfer
	Unit   string
}

// A transferCell is a result with its runs.
type transferCell struct {
	*weir.Result
	Runs []*weir.Result
}

// TransfersOf are the transfers of a grid.
func TransfersOf(g Grid) transferSet {
	s := transferSet{cells: make(map[[2]int]transferCell)}
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if !result.OfTransfer(r) {
				continue
			}
			column := transferColumn{r.Method, r.Transfer.Kind(), r.Unit}
			x := FindOrAdd(&s.Columns, func(c transferColumn) bool { return c == column }, column)
			y := FindOrAdd(&s.Rows, func(label string) bool { return label == w.Label }, w.Label)
			runs := g.Of[r]
			if len(runs) == 0 {
				runs = []*weir.Result{r}
			}
			if _, there := s.cells[[2]int{y, x}]; !there {
				s.cells[[2]int{y, x}] = transferCell{r, runs}
			}
		}
	}
	return s
}

// planned are the rows of a grid as the plan has them, what is sent before what is
// compared.
func (g Grid) planned() []row {
	place := func(w row, f weir.Factor) int {
		return slices.Index(f.Levels, result.Level(w.Results[0].Factors[f.Name]))
	}
	rows := slices.Clone(g.Rows)
	slices.SortStableFunc(rows, func(a, b row) int {
		for _, sent := range []bool{true, false} {
			for _, f := range g.Plan {
				if d := place(a, f) - place(b, f); f.Traffic == sent && d != 0 {
					return d
				}
			}
		}
		return 0
	})
	return rows
}

// title is a column's heading.
func (s transferSet) title(x int) string {
	c := s.Columns[x]
	var others []weir.Transfer
	for _, o := range s.Columns {
		if o.Method == c.Method {
			others = append(others, o.Kind)
		}
	}
	text := TransferTitle(c.Method, &c.Kind)
	return text + document.On(", ", Distinguish(c.Method, c.Kind, others))
}

// scale is the unit of all rates.
func (s transferSet) scale() BitScale {
	var rates []float64
	for _, c := range s.cells {
		if c.Unit == "bit/s" && c.Unmeasured == "" {
			rates = append(rates, c.Value)
		}
	}
	return ScaleFor(rates)
}

// Matrix is the table of source and target: a row for each way, server and
// level, a column for each transfer, and remarks.
func (s transferSet) Matrix() document.Table {
	in := s.scale()
	t := document.Table{Title: "transfers", Columns: []document.Heading{{Unit: "source -> target", Words: true}}, Broken: true, Grouped: true, Note: s.note()}
	for x, c := range s.Columns {
		unit := strings.TrimPrefix(unitOf("", c.Unit), " ")
		if c.Unit == "bit/s" {
			if unit = in.Name; c.Kind.Files > 0 {
				unit += " (MB/s)"
			}
		}
		t.Columns = append(t.Columns, document.Heading{Head: s.title(x), Unit: unit, Start: true})
	}
	var notes Footnotes
	for y, label := range s.Rows {
		cells := document.Cells(label)
		var about []string
		of := make(map[string][]string) // columns, by kind of note
		low, high := 0., 0.
		for x := range s.Columns {
			c, there := s.cells[[2]int{y, x}]
			if !there {
				cells = append(cells, document.Cell{Text: Missing})
				continue
			}
			numbers, kinds := notes.Noted(c.Runs)
			for _, k := range kinds {
				about = With(about, k)
				of[k] = append(of[k], s.title(x))
			}
			if v := c.CPUShare; v > 0 && c.Unmeasured == "" {
				if low == 0 || v < low {
					low = v
				}
				high = max(high, v)
			}
			cells = append(cells, document.Cell{Text: c.shown(in), Note: numbers, Of: c.Result})
		}
		var parts []string
		for _, k := range about {
			parts = append(parts, strings.Join(of[k], ", ")+" "+k)
		}
		t.Rows = append(t.Rows, append(cells, document.Cells(loadRange(low, high), strings.Join(parts, "; "))...))
	}
	t.Columns = append(t.Columns, document.Heading{Head: "CPU", Unit: "%", Start: true}, document.Heading{Head: "remarks", Start: true, Words: true})
	t.Notes = notes.Texts()
	last := len(t.Columns) - 1
	empty := func(column int, text string) bool {
		return !slices.ContainsFunc(t.Rows, func(row []document.Cell) bool { return row[column].Text != text })
	}
	noLoad, noRemark := empty(last-1, Missing), empty(last, "")
	return t.Without(func(i int, _ document.Heading) bool { return i == last-1 && noLoad || i == last && noRemark })
}

// loadRange is "12 to 31", of shares of the DUT's CPUs in percent.
func loadRange(low, high float64) string {
	from, to := Number(low*100, 0), Number(high*100, 0)
	switch {
	case high == 0:
		return Missing
	case from == to:
		return to
	}
	return from + " to " + to
}

// shown is the value of a cell in a column.
func (c transferCell) shown(in BitScale) string {
	switch {
	case c.Unmeasured != "" || !Finite(c.Value):
		return Missing
	case c.Unit == "bit/s" && FilesOf(c.Transfer):
		return fmt.Sprintf("%s (%s)", in.Of(c.Value), Significant(c.Value/8e6))
	case c.Unit == "bit/s":
		return in.Of(c.Value)
	case c.Unit == "s":
		return seconds(c.Value)
	}
	return significantOrWhole(c.Value)
}

// note says what the numbers of the table are.
func (s transferSet) note() string {
	text := "Rates are those of the payload that arrived"
	runs, files := 0, false
	var servers []string
	for y := range s.Rows {
		for x, column := range s.Columns {
			c, there := s.cells[[2]int{y, x}]
			if !there {
				continue
			}
			runs = max(runs, len(c.Runs))
			files = files || column.Kind.Files > 0
			if _, varied := c.Factors["server"]; !varied && c.Server != "" {
				servers = With(servers, ProgramOf(column.Method)+" at the "+sideOf(c.Server))
			}
		}
	}
	if runs > 1 {
		text += fmt.Sprintf(", medians of up to %d runs", runs)
	}
	text += "; near is host 0 and far host 1"
	if files {
		text += "; 1 MB/s is 8 Mbit/s"
	}
	if len(servers) > 0 {
		text += "; servers: " + strings.Join(servers, ", ")
	}
	return text + "."
}

// sideOf is a side as tables call it.
func sideOf(s weir.Side) string {
	if s == weir.Destination {
		return "target"
	}
	return string(s)
}

// AddsToMatrix reports whether a table of source and target has more than the matrix of
// arms: the server's place or the MTU varies, or there are other rows.
func (s transferSet) AddsToMatrix(experiment bool, arms int) bool {
	if !experiment {
		return true
	}
	varies := func(name string) bool {
		var seen []string
		for _, c := range s.cells {
			if v, there := c.Factors[name]; there {
				seen = With(seen, result.Level(v))
			}
		}
		return len(seen) > 1
	}
	return varies("server") || varies("mtu") || arms < 2
}

// WithoutTransfers is a grid of what was measured with test frames.
func (g Grid) WithoutTransfers() Grid {
	g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(w row) bool { return result.OfTransfer(w.Results[0]) })
	return g
}
