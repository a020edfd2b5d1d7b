package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/method"
	"weir/internal/proof"
)

// A tableNumber is one number of a campaign among several.
type tableNumber struct {
	measure, scale string // what it is, and its unit behind a comma
	document.Cell
	weir.Factors         // its levels, and its campaign
	value        float64 // in unit; 0: not known
	unit         string  // of a chart
}

// numbered is a table of numbers with its chart, which is empty where it would have
// more bars than can be told apart.
type numbered struct {
	document.Table
	chart.Chart
}

// numbersOf are the numbers of a result that a table has, with a sign where it has
// warnings and that is to be told.
func numbersOf(r *weir.Result, told bool) []tableNumber {
	var out []tableNumber
	add := func(what, unit, figure string, v float64) {
		c := proof.Comparison{Unit: unit, Figure: figure}
		text := figures.Missing
		if v > 0 && r.Unmeasured == "" {
			text = figures.ScaledValue(v, c)
			if len(r.Warnings) > 0 && told {
				text += " " + figures.InDoubt
			}
		}
		one := tableNumber{measure: what, scale: figures.Scale(c), Cell: document.Cell{Text: text, Of: r}, Factors: r.Factors, value: v, unit: unit}
		switch {
		case figure != "":
			one.value, one.unit = v*1e9, "ns"
		case unit == "s":
			one.value, one.unit = v*1e6, "µs"
		}
		out = append(out, one)
	}
	add(figures.Sought(*r), r.Unit, "", r.Value)
	if figures.Swept(r) {
		add("saturated rate", "frames/s", "", r.Saturated.Value)
	}
	if l := r.Latency; l != nil && figures.InWindows(r) {
		add("latency p50 of "+figures.Sought(*r), "s", "", l.P50)
	}
	if l := r.RoundTrip; l != nil && figures.InWindows(r) {
		add("round trip p50 of "+figures.Sought(*r), "s", "", l.P50)
	}
	if r.CPUPerFrame > 0 && (figures.Kind(r) == method.Rate || figures.InWindows(r)) {
		add("CPU time per frame of "+figures.Sought(*r), "s", proof.CPUPerFrame, r.CPUPerFrame)
	}
	if r.Transfer != nil && r.CPUShare > 0 {
		share := 100 * r.CPUShare
		out = append(out, tableNumber{measure: "CPU load of the DUT, " + figures.Sought(*r), scale: ", %",
			Cell: document.Cell{Text: figures.Number(share, 0), Of: r}, Factors: r.Factors, value: share, unit: "%"})
	}
	return out
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

// tablesOf are numbers in one table for each thing that was measured: a row for each
// level of a factor, or for each campaign, and a column for each combination of all
// other levels that differ. It is an error where no number has such a level.
func tablesOf(list []tableNumber, rows string) ([]numbered, error) {
	all := weir.Factors{}
	levels := make([]weir.Factors, len(list))
	for i, n := range list {
		levels[i] = n.Factors
		maps.Copy(all, n.Factors)
	}
	shared := figures.Common(levels)
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
		return nil, fmt.Errorf("no result of these campaigns has a factor %q: %s", rows, strings.Join(figures.Names(all), ", "))
	}
	var out []numbered
	for _, what := range order {
		out = append(out, matrixOfNumbers(of[what], shared, rows))
	}
	return out, nil
}

// matrixOfNumbers has the levels of one factor as rows and all others as columns.
func matrixOfNumbers(list []tableNumber, shared weir.Factors, rows string) numbered {
	t := document.Table{Title: list[0].measure + list[0].scale, Columns: []document.Heading{{Unit: strings.ReplaceAll(rows, "_", " "), Words: true}}, Broken: true, Grouped: true}
	var labels, columns []string
	cells := map[[2]string]tableNumber{}
	for _, n := range list {
		row, beside, who := figures.Level(n.Factors[rows]), maps.Clone(n.Factors), ""
		if campaign := n.Factors[campaignRow]; rows != campaignRow {
			who = figures.Level(campaign)
		}
		maps.DeleteFunc(beside, func(name string, _ any) bool { return name == rows || name == campaignRow })
		column := cmp.Or(strings.TrimSpace(figures.Labelled(beside, shared)+" "+who), "all")
		labels, columns = figures.With(labels, row), figures.With(columns, column)
		cells[[2]string{row, column}] = n
	}
	bars := chart.Chart{Title: document.Capitalised(list[0].measure), X: chart.Axis{Categories: true, Min: -.5, Max: float64(len(labels)) - .5}, Y: chart.Axis{Label: list[0].unit}}
	for i, c := range columns {
		t.Columns = append(t.Columns, document.Heading{Unit: c})
		bars.Series = append(bars.Series, chart.Series{Name: c, Color: i, Bars: true})
	}
	for y, row := range labels {
		line := document.Cells(row)
		bars.X.Ticks = append(bars.X.Ticks, chart.Tick{Value: float64(y), Label: document.Proper(row)})
		for i, c := range columns {
			n, there := cells[[2]string{row, c}]
			line = append(line, cmp.Or(n.Cell, document.Cell{Text: figures.Missing}))
			if there && n.value > 0 {
				bars.Series[i].Points = append(bars.Series[i].Points, chart.Point{X: float64(y), Y: n.value, Tip: row + ", " + c + ": " + n.Text})
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
