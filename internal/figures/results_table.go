package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// metricOf is a column of a metric of one of a row's results, with a sign where there is none
// and another one where it is doubtful.
func metricOf(h document.Heading, id string, of func(row) *weir.Result, in func(result.Value) string) document.Column[row] {
	m := result.Named(id)
	value := func(w row) (result.Value, bool) {
		if r := of(w); r != nil {
			return m.Of(r)
		}
		return result.Value{}, false
	}
	return document.Column[row]{Heading: h, Of: func(w row) any { return OrNil(of(w)) }, Text: func(w row) string {
		if v, known := value(w); known {
			return in(v)
		}
		return Missing
	}, Look: func(w row, c *document.Cell) {
		if v, known := value(w); known && v.Doubtful && c.Text != Missing {
			c.Mark = InDoubt
		}
	}}
}

// withMetric appends a column of a metric of one of a row's results, under the heading before
// it where that has its title.
func withMetric(columns []document.Column[row], id string, keep int, of func(row) *weir.Result) []document.Column[row] {
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
	return append(columns, metricOf(h, id, of, only(in)))
}

// only is how a value is written of which nothing else is shown.
func only(in func(float64) string) func(result.Value) string {
	return func(v result.Value) string { return in(v.Value) }
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
	add := func(head, unit, id string, of func(row) *weir.Result, in func(float64) string) {
		columns = append(columns, metricOf(document.Heading{Head: head, Unit: unit}, id, of, only(in)))
	}
	for i, goal := range g.Goals {
		of := func(w row) *weir.Result { return w.Rates[goal] }
		add(goalLabel(goal), "kpps", "value", of, Kpps)
		if i == 0 {
			add("", "Mbit/s", "value", of, nil)
			columns[len(columns)-1].Text = func(w row) string {
				if r := of(w); r != nil && !result.Unknown(r) {
					return megabits(r.Value, w.Mean)
				}
				return Missing
			}
			if g.onALine(of) {
				add("", "% of line rate", "line_rate_share", of, tenths)
			}
		}
	}
	if slices.ContainsFunc(g.Rows, func(w row) bool { return w.Most != nil }) {
		add("FRMOL", "kpps", "value", func(w row) *weir.Result { return w.Most }, Kpps)
		columns[len(columns)-1].Look = func(w row, c *document.Cell) {
			if w.costly() && !g.Imported {
				c.Mark = InDoubt
			}
		}
	}
	latency := func(w row) *weir.Result { return w.Latency }
	if slices.ContainsFunc(g.Rows, func(w row) bool { return w.Latency != nil && w.Latency.Unmeasured == "" }) {
		if g.tagged() {
			add("latency", "tagged us", "value", func(w row) *weir.Result {
				if tagged(w.Latency) {
					return w.Latency
				}
				return nil
			}, Micros)
		}
		columns = withMetric(columns, "latency_p50", 0, latency)
		columns = withMetric(columns, "latency_p99", 0, latency)
	}
	if slices.ContainsFunc(g.Rows, func(w row) bool { return turned(w.Latency) }) {
		columns = withMetric(columns, "round_trip_p50", 0, latency)
		columns = withMetric(columns, "round_trip_p99", 0, latency)
	}
	// Of a load that the result does not name nothing is written.
	main := func(w row) *weir.Result { return w.main(g.Goals) }
	known := func(w row) *weir.Result {
		if r := main(w); !result.Unknown(r) {
			return r
		}
		return nil
	}
	add("CPU", "%", "dut_cpu_share", known, cpuPercent)
	columns = withMetric(columns, "dut_cpu_seconds_per_frame", 0, known)
	if g.Runs != nil {
		columns = append(columns, document.Column[row]{Heading: document.Heading{Head: " ", Unit: "runs"}, Text: g.runs})
	}
	claim := document.Column[row]{Heading: document.Heading{Head: " ", Unit: "claim", Over: true}}
	claim.Text = func(w row) string { return fmt.Sprintf("[%d]", claimIndex(list, main(w).Claim)+1) }
	if g.Imported {
		claim.Unit, claim.Text = "", func(row) string { return "" }
	}
	claim.Look = func(w row, c *document.Cell) {
		if w.doubtful() {
			c.Mark = InDoubt
		}
	}
	return document.TableOf(append(columns, claim), slices.DeleteFunc(slices.Clone(g.Rows), func(w row) bool { return !w.tabled() }))
}

// tagged reports whether the table has latencies of tagged frames.
func (g Grid) tagged() bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return tagged(w.Latency) })
}
