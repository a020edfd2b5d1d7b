package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"weir"
)

// A table is what text and Markdown show of a grid. Its first column holds
// words, the others numbers.
type table struct {
	Head, Units []string
	Rows        [][]string
	Words       []int // further columns that hold words
	Broken      bool  // headings go on in the second line, in place of units
}

func tableOf(g grid) table {
	t := table{Head: []string{"frame"}, Units: []string{"octets"}}
	column := func(head, unit string) { t.Head, t.Units = append(t.Head, head), append(t.Units, unit) }
	for i, goal := range g.Goals {
		column(goalLabel(goal), "kpps")
		if i == 0 {
			column("", "Mbit/s")
		}
	}
	most := slices.ContainsFunc(g.Rows, func(w row) bool { return w.Most != nil })
	if most {
		column("FRMOL", "kpps")
	}
	latency := slices.ContainsFunc(g.Rows, func(w row) bool { return w.Latency != nil })
	if latency {
		if g.tagged() {
			column("latency", "tagged us")
			column("", "p50 us")
		} else {
			column("latency", "p50 us")
		}
		column("", "p99 us")
	}
	column("CPU", "%")
	column("", "ns/frame")
	if g.Runs != nil {
		column(" ", "runs")
	}
	if g.Imported {
		column(" ", "")
	} else {
		column(" ", "claim")
	}
	list := claims(g)
	for _, w := range g.Rows {
		if w.tabled() {
			t.Rows = append(t.Rows, w.cells(g, most, latency, list))
		}
	}
	if i := slices.Index(t.Head, "FRMOL"); i > 0 {
		t.signs(i)
	}
	return t
}

// Heads are the headings in one line each: "throughput, kpps", "p Holm".
func (t table) Heads() []string {
	out := make([]string, len(t.Head))
	over, with := "", ", "
	if t.Broken {
		with = " "
	}
	for i, head := range t.Head {
		if head != "" {
			over = strings.TrimSpace(head)
		}
		out[i] = over + on(with, strings.TrimSpace(t.Units[i]))
		if over == "" {
			out[i] = strings.TrimSpace(t.Units[i])
		}
	}
	return out
}

// tagged reports whether the table has latencies of tagged frames.
func (g grid) tagged() bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return tagged(w.Latency) })
}

func (w row) cells(g grid, most, latency bool, list []earned) []string {
	main := w.main(g.Goals)
	cells := []string{w.Label}
	for i, goal := range g.Goals {
		r := w.Rates[goal]
		cells = append(cells, rateCell(r))
		if i == 0 && r != nil && !unknown(r) {
			cells = append(cells, megabits(r.Value, w.Mean))
		} else if i == 0 {
			cells = append(cells, missing)
		}
	}
	if most {
		cell := rateCell(w.Most)
		if w.costly() && !g.Imported {
			cell += inDoubt
		}
		cells = append(cells, cell)
	}
	switch {
	case g.tagged() && tagged(w.Latency):
		cells = append(cells, micros(w.Latency.Value))
	case g.tagged():
		cells = append(cells, missing)
	}
	switch {
	case w.Latency != nil && w.Latency.Latency != nil:
		cells = append(cells, micros(w.Latency.Latency.P50), micros(w.Latency.Latency.P99))
	case latency:
		cells = append(cells, missing, missing)
	}
	perFrame := nanos(main.CPUPerFrame)
	if unknown(main) {
		perFrame = missing // it is that of a load that the result does not name
	}
	if main.CPUShare > 0 && !unknown(main) {
		cells = append(cells, number(main.CPUShare*100, 0))
	} else {
		cells = append(cells, missing)
	}
	claim := fmt.Sprintf("[%d]", claimIndex(list, main.Claim)+1)
	if g.Imported {
		claim = ""
	}
	if w.doubted() {
		claim += " !"
	} else {
		claim += "  "
	}
	cells = append(cells, perFrame)
	if g.Runs != nil {
		cells = append(cells, g.runs(w))
	}
	return append(cells, claim)
}

func rateCell(r *weir.Result) string {
	if r == nil || unknown(r) {
		return missing
	}
	return kpps(r.Value)
}

// textTable writes t with aligned columns, two spaces between them.
func textTable(b *bytes.Buffer, indent string, t table) {
	lines := append([][]string{t.Head, t.Units}, t.Rows...)
	widths := make([]int, len(t.Head))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, line := range lines {
		if n == 1 && strings.Join(line, "") == "" {
			continue // no column has a unit
		}
		var s strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				s.WriteString(cell + pad)
			} else if slices.Contains(t.Words, i) {
				s.WriteString("  " + cell + pad)
			} else {
				s.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(indent + strings.TrimRight(s.String(), " ") + "\n")
	}
}
