package figures

import (
	"slices"

	"weir"
	"weir/internal/document"
	"weir/internal/result"
)

// sweeps are the results of a row's sweeps, the lowest loss first.
func (w row) sweeps(g Grid) (out []*weir.Result) {
	for _, loss := range g.Knees {
		if r := w.Swept[loss]; r != nil {
			out = append(out, r)
		}
	}
	return out
}

// The order in which a narrow table of sweeps leaves columns out.
const (
	keepCPU = iota + 1
	keepLine
	keepInterval
	keepTail
	keepSaturated
	keepMedian
	keepZero
)

// InDoubt is the mark of a doubtful cell.
const InDoubt = "!"

// SweptTable is the table of a grid's sweeps. There are no rows where nothing was
// swept.
func SweptTable(g Grid) document.Table {
	if len(g.Knees) == 0 {
		return document.Table{}
	}
	return document.TableOf(g.sweptColumns(), slices.DeleteFunc(slices.Clone(g.Rows), func(w row) bool { return len(w.Swept) == 0 }))
}

// sweptColumns are those of a grid's sweeps.
func (g Grid) sweptColumns() []document.Column[row] {
	first := func(w row) *weir.Result {
		if all := w.sweeps(g); len(all) > 0 {
			return all[0]
		}
		return nil
	}
	out := []document.Column[row]{
		{Heading: document.Heading{Head: "frame", Unit: "octets"}, Text: func(w row) string { return w.Label }},
		metricOf(document.Heading{Head: "no loss", Unit: "kpps", Keep: keepZero}, "knee_zero", first, sweptCell),
	}
	for _, loss := range g.Knees {
		at := func(w row) *weir.Result { return w.Swept[loss] }
		bounds := metricOf(document.Heading{Unit: "+-%", Keep: keepInterval}, "value", at, within)
		bounds.Look = nil // the knee has the sign
		out = append(out, metricOf(document.Heading{Head: "loss " + Percent(loss) + " %", Unit: "kpps"}, "value", at, sweptCell), bounds)
		if g.onALine(at) {
			out = append(out, metricOf(document.Heading{Unit: "% of line rate", Keep: keepLine}, "line_rate_share", at, only(tenths)))
		}
	}
	out = append(out, metricOf(document.Heading{Head: "saturated", Unit: "kpps", Keep: keepSaturated}, "saturated", first, sweptCell))
	has := func(known func(r *weir.Result) bool) bool {
		return slices.ContainsFunc(g.Rows, func(w row) bool { return known(first(w)) })
	}
	half := func(id string, keep int) { out = withMetric(out, id, keep, first) }
	trips := has(turned)
	if !trips || has(func(r *weir.Result) bool { return r != nil && r.Latency != nil }) {
		short := func(id string, keep int) { // the table is wide enough without their title
			m := result.Named(id)
			unit, in := UnitOf(m, "")
			out = append(out, metricOf(document.Heading{Head: m.Part, Unit: unit, Keep: keep}, id, first, only(in)))
		}
		short("latency_p50", keepMedian)
		short("latency_p99", keepTail)
	}
	if trips {
		half("round_trip_p50", keepMedian)
		half("round_trip_p99", keepTail)
	}
	half("dut_cpu_seconds_per_frame", keepCPU)
	return out
}

// sweptCell is a rate of a sweep.
func sweptCell(v result.Value) string {
	if v.AtLeast {
		return atLeast + Significant(v.Value/1e3)
	}
	return Significant(v.Value / 1e3)
}

// within is how far the bounds of a knee are from it, in percent.
func within(v result.Value) string {
	if v.AtLeast {
		return Missing
	}
	return margin(v.Bounds)
}

// noInterval is written where a margin would be.
const noInterval = "no interval yet"

// margin is the larger distance of a bound in percent; missing where there is
// none.
func margin(b weir.Bounds) string {
	m := result.Margin(b)
	if m == 0 {
		return Missing
	}
	if m *= 100; m >= 9.95 {
		return Number(m, 0)
	}
	return Number(max(m, .1), 1)
}
