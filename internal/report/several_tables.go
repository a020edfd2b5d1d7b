package report

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/proof"
)

// A tableNumber is one number of a campaign among several.
type tableNumber struct {
	what string // with its unit
	cell
	weir.Factors // its levels, and its campaign
}

// numbersOf are the numbers of a result that a table has, with a sign where it has
// warnings and that is to be told.
func numbersOf(r *weir.Result, told bool) []tableNumber {
	var out []tableNumber
	add := func(what, unit, figure string, v float64) {
		c := proof.Comparison{Unit: unit, Figure: figure}
		text := missing
		if v > 0 && r.Unmeasured == "" {
			text = scaledValue(v, c)
			if len(r.Warnings) > 0 && told {
				text += " " + inDoubt
			}
		}
		out = append(out, tableNumber{what + scale(c), cell{Text: text, Of: r}, r.Factors})
	}
	add(sought(*r), r.Unit, "", r.Value)
	if swept(r) {
		add("saturated rate", "frames/s", "", r.Saturated.Value)
	}
	if l := r.Latency; l != nil && inWindows(r) {
		add("latency p50 of "+sought(*r), "s", "", l.P50)
	}
	if r.CPUPerFrame > 0 && (kind(r) == method.Rate || inWindows(r)) {
		add("CPU time per frame of "+sought(*r), "s", proof.CPUPerFrame, r.CPUPerFrame)
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
			out = append(out, tableNumber{measure(c) + scale(c), cellOf(c, a.Arm), factors})
		}
	}
	return out
}

// tablesOf are numbers in one table for each thing that was measured: a row for each
// level of a factor, or for each campaign, and a column for each combination of all
// other levels that differ. It is an error where no number has such a level.
func tablesOf(list []tableNumber, rows string) ([]table, error) {
	all := weir.Factors{}
	levels := make([]weir.Factors, len(list))
	for i, n := range list {
		levels[i] = n.Factors
		maps.Copy(all, n.Factors)
	}
	shared := common(levels)
	delete(shared, rows)
	var order []string
	of := map[string][]tableNumber{}
	for _, n := range list {
		if n.Factors[rows] != nil {
			order = with(order, n.what)
			of[n.what] = append(of[n.what], n)
		}
	}
	if len(order) == 0 && len(list) > 0 {
		return nil, fmt.Errorf("no result of these campaigns has a factor %q: %s", rows, strings.Join(names(all), ", "))
	}
	var out []table
	for _, what := range order {
		out = append(out, matrixOfNumbers(what, of[what], shared, rows))
	}
	return out, nil
}

// matrixOfNumbers has the levels of one factor as rows and all others as columns.
func matrixOfNumbers(what string, list []tableNumber, shared weir.Factors, rows string) table {
	t := table{Title: what, Columns: []heading{{Unit: strings.ReplaceAll(rows, "_", " "), Words: true}}, Broken: true, Grouped: true}
	var labels, columns []string
	cells := map[[2]string]cell{}
	for _, n := range list {
		row, beside, who := level(n.Factors[rows]), maps.Clone(n.Factors), ""
		if campaign := n.Factors[campaignRow]; rows != campaignRow {
			who = level(campaign)
		}
		maps.DeleteFunc(beside, func(name string, _ any) bool { return name == rows || name == campaignRow })
		column := cmp.Or(strings.TrimSpace(labelled(beside, shared)+" "+who), "all")
		labels, columns = with(labels, row), with(columns, column)
		cells[[2]string{row, column}] = n.cell
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, heading{Unit: c})
	}
	for _, row := range labels {
		line := words(row)
		for _, c := range columns {
			line = append(line, cmp.Or(cells[[2]string{row, c}], cell{Text: missing}))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}
