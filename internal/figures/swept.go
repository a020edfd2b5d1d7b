package figures

import (
	"slices"
	"strings"

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

// InDoubt is the mark of a cell in doubt.
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
		ofResult(document.Heading{Head: "no loss", Unit: "kpps", Keep: keepZero}, first, func(r *weir.Result) string { return sweptCell(r, r.KneeZero) }, result.ZeroDoubted),
	}
	for _, loss := range g.Knees {
		at := func(w row) *weir.Result { return w.Swept[loss] }
		out = append(out,
			ofResult(document.Heading{Head: "loss " + Percent(loss) + " %", Unit: "kpps"}, at, kneeCell, result.KneeDoubted),
			ofResult(document.Heading{Unit: "+-%", Keep: keepInterval}, at, within, nil))
		if g.onALine(at) {
			out = append(out, ofResult(document.Heading{Unit: "% of line rate", Keep: keepLine}, at, lineCell, result.KneeDoubted))
		}
	}
	out = append(out, ofResult(document.Heading{Head: "saturated", Unit: "kpps", Keep: keepSaturated}, first, func(r *weir.Result) string { return sweptCell(r, r.Saturated) }, result.SaturatedDoubted))
	has := func(known func(r *weir.Result) bool) bool {
		return slices.ContainsFunc(g.Rows, func(w row) bool { return known(first(w)) })
	}
	half := func(id string, keep int) { out = withMetric(out, id, keep, first, result.AtHalfDoubted) }
	trips := has(turned)
	if !trips || has(func(r *weir.Result) bool { return r != nil && r.Latency != nil }) {
		half("latency_p50", keepMedian)
		half("latency_p99", keepTail)
		for i := len(out) - 2; i < len(out); i++ { // the table is wide enough without their title
			out[i].Head, out[i].Unit, _ = strings.Cut(out[i].Unit, " ")
		}
	}
	if trips {
		half("round_trip_p50", keepMedian)
		half("round_trip_p99", keepTail)
	}
	half("dut_cpu_seconds_per_frame", keepCPU)
	return out
}

// kneeCell is the rate at the knee of a sweep.
func kneeCell(r *weir.Result) string {
	switch {
	case result.Unknown(r):
		return Missing
	case result.AtLeast(r):
		return ">=" + Significant(r.Value/1e3)
	}
	return Significant(r.Value / 1e3)
}

// fasterSeen reports whether a DUT was faster than a sweep says, which is all that is
// known of that: its rates are lower bounds.
func fasterSeen(r *weir.Result) bool { return r.Limited == weir.LimitedBySpeed }

// sweptCell is a rate beside the knee of a sweep.
func sweptCell(r *weir.Result, b weir.Bounds) string {
	if fasterSeen(r) && b.Value > 0 {
		return ">=" + boundsCell(b)
	}
	return boundsCell(b)
}

func boundsCell(b weir.Bounds) string {
	if b.Value == 0 {
		return Missing
	}
	return Significant(b.Value / 1e3)
}

// within is how far the bounds of a knee are from it, in percent.
func within(r *weir.Result) string {
	if result.Unknown(r) || result.AtLeast(r) {
		return Missing
	}
	return margin(weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper})
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
