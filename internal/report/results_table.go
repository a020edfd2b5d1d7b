package report

import (
	"fmt"
	"slices"

	"weir"
)

// tableOf is the main table of a grid: rates, latencies and CPU times.
func tableOf(g grid) table {
	list := claims(g)
	columns := []column[row]{{heading: heading{Head: "frame", Unit: "octets"}, Text: func(w row) string { return w.Label }}}
	add := func(head, unit string, text func(row) string) {
		columns = append(columns, column[row]{heading: heading{Head: head, Unit: unit}, Text: text})
	}
	for i, goal := range g.Goals {
		add(goalLabel(goal), "kpps", func(w row) string { return rateCell(w.Rates[goal]) })
		if i == 0 {
			add("", "Mbit/s", func(w row) string {
				if r := w.Rates[goal]; r != nil && !unknown(r) {
					return megabits(r.Value, w.Mean)
				}
				return missing
			})
		}
	}
	if slices.ContainsFunc(g.Rows, func(w row) bool { return w.Most != nil }) {
		add("FRMOL", "kpps", func(w row) string { return rateCell(w.Most) })
		columns[len(columns)-1].Look = func(w row, c *cell) {
			if w.costly() && !g.Imported {
				c.Mark = inDoubt
			}
		}
	}
	if slices.ContainsFunc(g.Rows, func(w row) bool { return w.Latency != nil }) {
		quantile := func(of func(*weir.Latency) float64) func(row) string {
			return func(w row) string {
				if w.Latency == nil || w.Latency.Latency == nil {
					return missing
				}
				return micros(of(w.Latency.Latency))
			}
		}
		head := "latency"
		if g.tagged() {
			add(head, "tagged us", func(w row) string {
				if tagged(w.Latency) {
					return micros(w.Latency.Value)
				}
				return missing
			})
			head = ""
		}
		add(head, "p50 us", quantile(func(l *weir.Latency) float64 { return l.P50 }))
		add("", "p99 us", quantile(func(l *weir.Latency) float64 { return l.P99 }))
	}
	// Of a load that the result does not name nothing is said.
	add("CPU", "%", func(w row) string {
		if main := w.main(g.Goals); main.CPUShare > 0 && !unknown(main) {
			return number(main.CPUShare*100, 0)
		}
		return missing
	})
	add("", "ns/frame", func(w row) string {
		if main := w.main(g.Goals); !unknown(main) {
			return nanos(main.CPUPerFrame)
		}
		return missing
	})
	if g.Runs != nil {
		add(" ", "runs", g.runs)
	}
	claim := column[row]{heading: heading{Head: " ", Unit: "claim", Over: true}}
	claim.Text = func(w row) string { return fmt.Sprintf("[%d]", claimIndex(list, w.main(g.Goals).Claim)+1) }
	if g.Imported {
		claim.Unit, claim.Text = "", func(row) string { return "" }
	}
	claim.Look = func(w row, c *cell) {
		if w.doubted() {
			c.Mark = inDoubt
		}
	}
	return tabled(append(columns, claim), slices.DeleteFunc(slices.Clone(g.Rows), func(w row) bool { return !w.tabled() }))
}

// tagged reports whether the table has latencies of tagged frames.
func (g grid) tagged() bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return tagged(w.Latency) })
}

func rateCell(r *weir.Result) string {
	if r == nil || unknown(r) {
		return missing
	}
	return kpps(r.Value)
}
