package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/chart"
	"weir/internal/claim"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
	"weir/internal/result"
)

// A tableNumber is one number of a campaign among several.
type tableNumber struct {
	measure, scale string // what it is, and its unit behind a comma
	document.Cell
	weir.Factors         // its levels, and its campaign
	value        float64 // in unit; 0: not known
	unit         string  // of a chart
	open         bool    // weir has set up no firewall, and there was no level of one
}

// numbered is a table of numbers with its chart, which is empty where it would have
// more bars than can be distinguished.
type numbered struct {
	document.Table
	chart.Chart
}

// numbersOf returns the numbers of a result that a table has, with a sign where it has
// warnings and that is asked for.
func numbersOf(r *weir.Result, marked bool) []tableNumber {
	out := []tableNumber{numberOf(r, figures.Sought(*r), proof.Comparison{Unit: r.Unit}, r.Value, marked)}
	for m := range result.ComparedByCampaigns(r) {
		v, known := m.Of(r)
		c := proof.Comparison{Method: r.Method, LossRatio: r.LossRatio, Unit: m.Compared.Unit, Figure: m.ID}
		switch title := m.Compared.Title; {
		case m.Compared.AtLoad && known:
			out = append(out, numberOf(r, measure(c), c, v.Value, marked))
		case m.Compared.Unit == "%" && known:
			out = append(out, percentOf(r, title, v.Value))
		case m.Group == result.Windows: // a sweep that found none has a sign
			out = append(out, numberOf(r, title, c, v.Value, marked))
		}
	}
	if r.Transfer != nil && r.CPUShare == 0 { // programs of end hosts, and those that keep an access up: where there is no DUT, that is what a rate costs
		for _, f := range r.Figures {
			if f.Unit == "CPUs" || f.Name == claim.CPUOfSource || f.Name == claim.CPUOfDestination {
				out = append(out, percentOf(r, f.Name, f.Value))
			}
		}
	}
	return out
}

// numberOf returns a number of a result, in a table that has its unit.
func numberOf(r *weir.Result, title string, c proof.Comparison, v float64, marked bool) tableNumber {
	out := tableNumber{measure: title, scale: figures.Scale(c), Cell: document.Cell{Text: figures.Missing, Of: r}, Factors: r.Factors, value: v, unit: c.Unit}
	if v > 0 && r.Unmeasured == "" {
		out.Text = figures.ScaledValue(v, c)
		if len(r.Warnings) > 0 && marked {
			out.Text += " " + figures.InDoubt
		}
	}
	switch {
	case c.Unit == "s" && c.Figure != "" && result.Named(c.Figure).Unit == "s/frame":
		out.value, out.unit = v*1e9, "ns"
	case c.Unit == "s":
		out.value, out.unit = v*1e6, "µs"
	}
	return out
}

// percentOf returns a share that a result has, in percent.
func percentOf(r *weir.Result, title string, share float64) tableNumber {
	return tableNumber{measure: title + ", " + figures.Sought(*r), scale: ", %",
		Cell: document.Cell{Text: figures.Number(100*share, 0), Of: r}, Factors: r.Factors, value: 100 * share, unit: "%"}
}

// numbers are those of a study between campaigns, with the marks of its verdicts.
func (s study) numbers() []tableNumber {
	var out []tableNumber
	for _, c := range s.Comparisons {
		for _, a := range c.Arms {
			factors := maps.Clone(c.Factors)
			if factors == nil {
				factors = weir.Factors{}
			}
			factors[campaignRow] = a.Arm
			out = append(out, tableNumber{measure: measure(c), scale: figures.Scale(c), Cell: cellOf(c, a.Arm), Factors: factors})
		}
	}
	return out
}

// systemFactors are those of which each level is another DUT: each has a row of its own, as
// each campaign has.
var systemFactors = []string{"testbed", "kernel"}

// tablesOf are numbers in one table for each thing that was measured: a row for each
// level of a factor, or for each system that a campaign has measured, and a column for each
// combination of all other levels that differ. It is an error where no number has such a level.
func tablesOf(list []tableNumber, rows string) ([]numbered, error) {
	all := weir.Factors{}
	levels := make([]weir.Factors, len(list))
	for i, n := range list {
		levels[i] = n.Factors
		maps.Copy(all, n.Factors)
	}
	shared := result.Common(levels)
	delete(shared, rows)
	var order []string
	of := map[string][]tableNumber{}
	for _, n := range list {
		if n.Factors[rows] != nil {
			what := n.measure + n.scale
			order = figures.With(order, what)
			of[what] = append(of[what], n)
		}
	}
	if len(order) == 0 && len(list) > 0 {
		return nil, fmt.Errorf("no result of these campaigns has a factor %q: %s", rows, strings.Join(result.Names(all), ", "))
	}
	var out []numbered
	for _, what := range order {
		out = append(out, matrixOfNumbers(of[what], shared, rows))
	}
	return out, nil
}

// rowFactors are the factors whose levels are the rows of a table: of campaigns those of their
// systems, too, or these alone where all is of one campaign.
func rowFactors(list []tableNumber, shared weir.Factors, rows string) []string {
	if rows != campaignRow {
		return []string{rows}
	}
	var out []string
	for _, name := range systemFactors {
		if shared[name] == nil && slices.ContainsFunc(list, func(n tableNumber) bool { return n.Factors[name] != nil }) {
			out = append(out, name)
		}
	}
	if len(out) > 0 && !slices.ContainsFunc(list, func(n tableNumber) bool { return n.Factors[rows] != list[0].Factors[rows] }) {
		return out
	}
	return append([]string{rows}, out...)
}

// column is one of such a table, by the heading of a group of them, and its own.
type column struct{ over, each string }

// matrixOfNumbers has the levels of one factor, or what systems are, as rows and all others
// as columns.
func matrixOfNumbers(list []tableNumber, shared weir.Factors, rows string) numbered {
	in := rowFactors(list, shared, rows)
	t := document.Table{Title: list[0].measure + list[0].scale, Columns: []document.Heading{{Unit: strings.ReplaceAll(strings.Join(in, ", "), "_", " "), Words: true}}, Broken: true, Grouped: true}
	place := func(f weir.Factors) (row string, c column) {
		var levels []string
		for _, name := range in {
			if level := f[name]; level != nil {
				levels = append(levels, result.Level(level))
			}
		}
		others, who := maps.Clone(f), ""
		if rows != campaignRow {
			who = result.Level(f[campaignRow])
		}
		maps.DeleteFunc(others, func(name string, _ any) bool { return name == campaignRow || slices.Contains(in, name) })
		c.over, c.each = figures.Split(others, shared, who)
		c.each = cmp.Or(c.each, "all")
		return strings.Join(levels, ", "), c
	}
	has := map[column][]string{} // the rows that have it
	for _, n := range list {
		row, c := place(n.Factors)
		has[c] = append(has[c], row)
	}
	var labels, overs, eachs []string
	var columns []column
	cells := map[string]map[column]tableNumber{}
	for _, n := range list {
		row, c := place(n.Factors)
		if n.open { // it is next to those that were set to have none
			with := maps.Clone(n.Factors)
			with["firewall"] = "none"
			if _, none := place(with); len(has[none]) > 0 && !slices.Contains(has[none], row) {
				c = none
			}
		}
		labels, overs, eachs = figures.With(labels, row), figures.With(overs, c.over), figures.With(eachs, c.each)
		if !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
		if cells[row] == nil {
			cells[row] = map[column]tableNumber{}
		}
		cells[row][c] = n
	}
	slices.SortFunc(columns, func(a, b column) int {
		return cmp.Or(slices.Index(overs, a.over)-slices.Index(overs, b.over), slices.Index(eachs, a.each)-slices.Index(eachs, b.each))
	})
	bars := chart.Chart{Title: document.Capitalised(list[0].measure), X: chart.Axis{Categories: true, Min: -.5, Max: float64(len(labels)) - .5}, Y: chart.Axis{Label: list[0].unit}}
	for i, c := range columns {
		h := document.Heading{Unit: c.each}
		if i > 0 && c.over != columns[i-1].over || c.over != "" && i == 0 {
			h.Head, h.Start = c.over, true
		}
		t.Columns = append(t.Columns, h)
		bars.Series = append(bars.Series, chart.Series{Name: strings.TrimSpace(c.over + " " + c.each), Color: i, Bars: true})
	}
	for y, row := range labels {
		line := document.Cells(row)
		bars.X.Ticks = append(bars.X.Ticks, chart.Tick{Value: float64(y), Label: document.Proper(row)})
		for i, c := range columns {
			n, there := cells[row][c]
			line = append(line, cmp.Or(n.Cell, document.Cell{Text: figures.Missing}))
			if there && n.value > 0 {
				bars.Series[i].Points = append(bars.Series[i].Points, chart.Point{X: float64(y), Y: n.value, Tip: row + ", " + bars.Series[i].Name + ": " + n.Text})
			}
		}
		t.Rows = append(t.Rows, line)
	}
	if len(labels) > figures.MaxBars || len(columns) > chart.Palette {
		bars = chart.Chart{}
	}
	return numbered{t, bars}
}

// chartsOfSeveral are those that a page of campaigns begins with: of what most of them
// have measured, and of a time, or else of what comes next.
func chartsOfSeveral(tables []numbered) document.ChartSet {
	var out document.ChartSet
	drawn := slices.DeleteFunc(slices.Clone(tables), func(n numbered) bool { return n.Chart.Empty() })
	slices.SortStableFunc(drawn, func(a, b numbered) int { return len(b.Rows) - len(a.Rows) })
	for _, at := range []int{0, max(1, slices.IndexFunc(drawn, func(n numbered) bool { return n.Y.Label == "µs" }))} {
		if at < len(drawn) {
			out.Charts = append(out.Charts, drawn[at].Chart)
		}
	}
	return out
}
