package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// ofResult is a column of one of a row's results, with a sign where there is none and
// another one where it is in doubt.
func ofResult(h document.Heading, of func(row) *weir.Result, text func(*weir.Result) string, doubted func(*weir.Result) bool) document.Column[row] {
	return document.Column[row]{Heading: h, Of: func(w row) any { return OrNil(of(w)) }, Text: func(w row) string {
		if r := of(w); r != nil {
			return text(r)
		}
		return Missing
	}, Look: func(w row, c *document.Cell) {
		if r := of(w); c.Text != Missing && doubted != nil && doubted(r) {
			c.Mark = InDoubt
		}
	}}
}

// withMetric appends a column of a metric of one of a row's results, under the heading before
// it where that has its title.
func withMetric(columns []document.Column[row], id string, keep int, of func(row) *weir.Result, doubted func(*weir.Result) bool) []document.Column[row] {
	m := result.Named(id)
	unit, in := UnitOf(m, "")
	h := document.Heading{Head: m.Title, Unit: strings.TrimSpace(m.Part + " " + unit), Keep: keep}
	for _, before := range slices.Backward(columns) {
		if before.Head == h.Head {
			h.Head = ""
		}
		if before.Head != "" {
			break
		}
	}
	return append(columns, ofResult(h, of, func(r *weir.Result) string {
		if v, known := m.Of(r); known {
			return in(v.Value)
		}
		return Missing
	}, doubted))
}

// OrNil is a result that a cell is of; nil where there is none.
func OrNil(r *weir.Result) any {
	if r == nil {
		return nil
	}
	return r
}

// ResultsTable is the main table of a grid: rates, latencies and CPU times.
func ResultsTable(g Grid) document.Table {
	list := Claims(g)
	columns := []document.Column[row]{{Heading: document.Heading{Head: "frame", Unit: "octets"}, Text: func(w row) string { return w.Label }}}
	add := func(head, unit string, of func(row) *weir.Result, text func(*weir.Result) string) {
		columns = append(columns, ofResult(document.Heading{Head: head, Unit: unit}, of, text, nil))
	}
	for i, goal := range g.Goals {
		of := func(w row) *weir.Result { return w.Rates[goal] }
		add(goalLabel(goal), "kpps", of, rateCell)
		if i == 0 {
			add("", "Mbit/s", of, nil)
			columns[len(columns)-1].Text = func(w row) string {
				if r := of(w); r != nil && !result.Unknown(r) {
					return megabits(r.Value, w.Mean)
				}
				return Missing
			}
			if g.onALine(of) {
				add("", "% of line rate", of, lineCell)
			}
		}
	}
	if slices.ContainsFunc(g.Rows, func(w row) bool { return w.Most != nil }) {
		add("FRMOL", "kpps", func(w row) *weir.Result { return w.Most }, rateCell)
		columns[len(columns)-1].Look = func(w row, c *document.Cell) {
			if w.costly() && !g.Imported {
				c.Mark = InDoubt
			}
		}
	}
	latency := func(w row) *weir.Result { return w.Latency }
	if slices.ContainsFunc(g.Rows, func(w row) bool { return w.Latency != nil && w.Latency.Unmeasured == "" }) {
		if g.tagged() {
			add("latency", "tagged us", latency, func(r *weir.Result) string {
				if tagged(r) {
					return Micros(r.Value)
				}
				return Missing
			})
		}
		columns = withMetric(columns, "latency_p50", 0, latency, nil)
		columns = withMetric(columns, "latency_p99", 0, latency, nil)
	}
	if slices.ContainsFunc(g.Rows, func(w row) bool { return turned(w.Latency) }) {
		columns = withMetric(columns, "round_trip_p50", 0, latency, nil)
		columns = withMetric(columns, "round_trip_p99", 0, latency, nil)
	}
	// Of a load that the result does not name nothing is said.
	main := func(w row) *weir.Result { return w.main(g.Goals) }
	add("CPU", "%", main, func(r *weir.Result) string {
		if r.CPUShare > 0 && !result.Unknown(r) {
			return cpuPercent(r.CPUShare)
		}
		return Missing
	})
	add("", "ns/frame", main, func(r *weir.Result) string {
		if result.Unknown(r) {
			return Missing
		}
		return nanos(r.CPUPerFrame)
	})
	if g.Runs != nil {
		columns = append(columns, document.Column[row]{Heading: document.Heading{Head: " ", Unit: "runs"}, Text: g.runs})
	}
	claim := document.Column[row]{Heading: document.Heading{Head: " ", Unit: "claim", Over: true}}
	claim.Text = func(w row) string { return fmt.Sprintf("[%d]", claimIndex(list, main(w).Claim)+1) }
	if g.Imported {
		claim.Unit, claim.Text = "", func(row) string { return "" }
	}
	claim.Look = func(w row, c *document.Cell) {
		if w.doubted() {
			c.Mark = InDoubt
		}
	}
	return document.TableOf(append(columns, claim), slices.DeleteFunc(slices.Clone(g.Rows), func(w row) bool { return !w.tabled() }))
}

// tagged reports whether the table has latencies of tagged frames.
func (g Grid) tagged() bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return tagged(w.Latency) })
}

func rateCell(r *weir.Result) string {
	if result.Unknown(r) {
		return Missing
	}
	return Kpps(r.Value)
}
