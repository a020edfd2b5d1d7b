package figures

import (
	"math"
	"slices"

	"weir"
	"weir/internal/document"
	"weir/internal/method"
	"weir/internal/warning"
)

// Swept reports whether a result is that of a sweep over windows.
func Swept(r *weir.Result) bool { return InWindows(r) && Kind(r) == method.Knee }

// InWindows reports whether a result comes from windows: a sweep's, or that of an
// overload, whose value is no knee.
func InWindows(r *weir.Result) bool { return r != nil && r.Sweep != nil }

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
		ofResult(document.Heading{Head: "no loss", Unit: "kpps", Keep: keepZero}, first, func(r *weir.Result) string { return sweptCell(r, r.KneeZero) }, zeroDoubted),
	}
	for _, loss := range g.Knees {
		at := func(w row) *weir.Result { return w.Swept[loss] }
		out = append(out,
			ofResult(document.Heading{Head: "loss " + Percent(loss) + " %", Unit: "kpps"}, at, kneeCell, kneeDoubted),
			ofResult(document.Heading{Unit: "+-%", Keep: keepInterval}, at, within, nil))
		if g.onALine(at) {
			out = append(out, ofResult(document.Heading{Unit: "% of line rate", Keep: keepLine}, at, lineCell, kneeDoubted))
		}
	}
	out = append(out, ofResult(document.Heading{Head: "saturated", Unit: "kpps", Keep: keepSaturated}, first, func(r *weir.Result) string { return sweptCell(r, r.Saturated) }, saturatedDoubted))
	has := func(known func(r *weir.Result) bool) bool {
		return slices.ContainsFunc(g.Rows, func(w row) bool { return known(first(w)) })
	}
	trips := has(turned)
	if !trips || has(func(r *weir.Result) bool { return r != nil && r.Latency != nil }) {
		out = append(out,
			ofResult(document.Heading{Head: "p50", Unit: "us", Keep: keepMedian}, first, delayCell(func(l *weir.Latency) float64 { return l.P50 }), restDoubted),
			ofResult(document.Heading{Head: "p99", Unit: "us", Keep: keepTail}, first, delayCell(func(l *weir.Latency) float64 { return l.P99 }), restDoubted))
	}
	if trips {
		out = append(out,
			ofResult(document.Heading{Head: "round trip", Unit: "p50 us", Keep: keepMedian}, first, roundTripCell(func(l *weir.Latency) float64 { return l.P50 }), restDoubted),
			ofResult(document.Heading{Unit: "p99 us", Keep: keepTail}, first, roundTripCell(func(l *weir.Latency) float64 { return l.P99 }), restDoubted))
	}
	return append(out, ofResult(document.Heading{Head: "CPU", Unit: "ns/frame", Keep: keepCPU}, first, func(r *weir.Result) string { return nanos(r.CPUPerFrame) }, restDoubted))
}

// kneeCell is the rate at the knee of a sweep.
func kneeCell(r *weir.Result) string {
	switch {
	case Unknown(r):
		return Missing
	case atLeast(r):
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
	if Unknown(r) || atLeast(r) {
		return Missing
	}
	return margin(weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper})
}

// Early reports whether a sweep has a knee and no interval of it: it was cut short
// before its second round, or was so disturbed that only one has a knee.
func Early(r *weir.Result) bool {
	return Swept(r) && r.Value > 0 && r.Lower == 0 && r.Upper == 0 && !atLeast(r)
}

// noInterval is written where a margin would be.
const noInterval = "no interval yet"

// marginOf is the larger distance of a bound, relative; 0: there is none.
func marginOf(b weir.Bounds) float64 {
	if b.Value == 0 || b.Lower >= b.Upper {
		return 0
	}
	return max(b.Upper-b.Value, b.Value-b.Lower) / b.Value
}

// margin is the larger distance of a bound in percent; missing where there is
// none.
func margin(b weir.Bounds) string {
	m := marginOf(b)
	if m == 0 {
		return Missing
	}
	if m *= 100; m >= 9.95 {
		return Number(m, 0)
	}
	return Number(max(m, .1), 1)
}

// HasCode reports whether a result carries one of some warnings.
func HasCode(r *weir.Result, codes ...weir.WarningCode) bool {
	return weir.HasWarning(r.Warnings, codes...)
}

// marked returns the warnings of a result that put cells of the table of sweeps in doubt.
func marked(r *weir.Result, cells warning.Cells) (out []weir.WarningCode) {
	for _, w := range r.Warnings {
		if warning.Of(w.Code).Marks&cells != 0 {
			out = append(out, w.Code)
		}
	}
	return out
}

// stalling reports whether the windows in which a DUT stood still move its knee.
func stalling(r *weir.Result) bool {
	const much = .03
	return r.Value > 0 && r.WithStalls.Value > 0 && math.Abs(r.WithStalls.Value/r.Value-1) > much
}

// vague reports whether the bounds of a knee lie so far from it that it is hardly a
// number.
func vague(r *weir.Result) bool {
	return farApart(weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper})
}

// farApart reports that of any rate.
func farApart(b weir.Bounds) bool { return marginOf(b) > .5 }

// kneeDoubted reports whether the load at which frames begin to be lost is in
// doubt. That it is only a lower bound has a sign of its own.
func kneeDoubted(r *weir.Result) bool {
	return Swept(r) && (vague(r) || HasCode(r, weir.NoisyResult) && stalling(r) ||
		slices.ContainsFunc(marked(r, warning.Knee), func(c weir.WarningCode) bool { return c != weir.SearchLimit || !atLeast(r) }))
}

func zeroDoubted(r *weir.Result) bool { return kneeDoubted(r) || contradicted(r) }

// contradicted reports whether more is forwarded without loss than with some.
func contradicted(r *weir.Result) bool {
	return Swept(r) && r.Value > 0 && !atLeast(r) && r.KneeZero.Value > r.Value*(1+1e-9)
}

// saturatedDoubted reports whether the rate of an overload is in doubt: what is
// forwarded still grew with the load.
func saturatedDoubted(r *weir.Result) bool {
	all := marked(r, warning.Saturated)
	if i := slices.Index(all, weir.NoisyResult); i >= 0 && stalling(r) {
		all = slices.Delete(all, i, i+1) // this one is of the knee
	}
	return len(all) > 0
}

// restDoubted reports whether what the trials at half of the knee say is in
// doubt.
func restDoubted(r *weir.Result) bool { return len(marked(r, warning.AtHalf)) > 0 }
