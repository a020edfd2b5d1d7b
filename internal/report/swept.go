package report

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"weir"
)

// swept reports whether a result is that of a sweep over windows.
func swept(r *weir.Result) bool { return inWindows(r) && kind(*r) == "sweep" }

// inWindows reports whether a result comes from windows: a sweep's, or that of an
// overload, whose value is no knee.
func inWindows(r *weir.Result) bool { return r != nil && r.Sweep != nil }

// sweeps are the results of a row's sweeps, the lowest loss first.
func (w row) sweeps(g grid) (out []*weir.Result) {
	for _, loss := range g.Knees {
		if r := w.Swept[loss]; r != nil {
			out = append(out, r)
		}
	}
	return out
}

// A sweptColumn is one of the table of sweeps.
type sweptColumn struct {
	head, unit string
	keep       int // what is narrow leaves out the least first
	cell       func(w row) string
	doubted    func(w row) bool // nil: never
}

// The order in which a narrow table leaves columns out.
const (
	keepCPU = iota
	keepInterval
	keepTail
	keepSaturated
	keepMedian
	keepZero
	keepAlways
)

// sweptColumns are those of a grid's sweeps.
func (g grid) sweptColumns() []sweptColumn {
	first := func(w row) *weir.Result {
		if all := w.sweeps(g); len(all) > 0 {
			return all[0]
		}
		return nil
	}
	of := func(cell func(r *weir.Result) string) func(row) string {
		return func(w row) string {
			if r := first(w); r != nil {
				return cell(r)
			}
			return missing
		}
	}
	when := func(doubted func(r *weir.Result) bool) func(row) bool {
		return func(w row) bool { return first(w) != nil && doubted(first(w)) }
	}
	out := []sweptColumn{
		{"frame", "octets", keepAlways, func(w row) string { return w.Label }, nil},
		{"no loss", "kpps", keepZero, of(func(r *weir.Result) string { return boundsCell(r.KneeZero) }), when(zeroDoubted)},
	}
	for _, loss := range g.Knees {
		knee := func(w row) string {
			r := w.Swept[loss]
			switch {
			case r == nil || unknown(r):
				return missing
			case atLeast(r):
				return ">=" + significant(r.Value/1e3)
			}
			return significant(r.Value / 1e3)
		}
		out = append(out, sweptColumn{"loss " + percent(loss) + " %", "kpps", keepAlways, knee, func(w row) bool { return kneeDoubted(w.Swept[loss]) }},
			sweptColumn{"", "+-%", keepInterval, func(w row) string { return within(w.Swept[loss]) }, nil})
	}
	latency := func(quantile func(*weir.Latency) float64) func(row) string {
		return of(func(r *weir.Result) string {
			if r.Latency == nil {
				return missing
			}
			return micros(quantile(r.Latency))
		})
	}
	return append(out,
		sweptColumn{"saturated", "kpps", keepSaturated, of(func(r *weir.Result) string { return boundsCell(r.Saturated) }), when(saturatedDoubted)},
		sweptColumn{"p50", "us", keepMedian, latency(func(l *weir.Latency) float64 { return l.P50 }), when(restDoubted)},
		sweptColumn{"p99", "us", keepTail, latency(func(l *weir.Latency) float64 { return l.P99 }), when(restDoubted)},
		sweptColumn{"CPU", "ns/frame", keepCPU, of(func(r *weir.Result) string { return nanos(r.CPUPerFrame) }), when(restDoubted)},
	)
}

func boundsCell(b weir.Bounds) string {
	if b.Value == 0 {
		return missing
	}
	return significant(b.Value / 1e3)
}

// within is how far the bounds of a knee are from it, in percent.
func within(r *weir.Result) string {
	if r == nil || unknown(r) || atLeast(r) {
		return missing
	}
	return margin(weir.Bounds{Value: r.Value, Lower: r.Lower, Upper: r.Upper})
}

// early reports whether a sweep has a knee and no interval of it: it was cut short
// before its second round, or was so disturbed that only one has a knee.
func early(r *weir.Result) bool {
	return swept(r) && r.Method == "sweep" && r.Value > 0 && r.Lower == 0 && r.Upper == 0 && !atLeast(r)
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
		return missing
	}
	if m *= 100; m >= 9.95 {
		return number(m, 0)
	}
	return number(max(m, .1), 1)
}

// sweptTable is the table of a grid's sweeps for a width in columns of text; 0
// is as wide as it is. A cell in doubt ends with a sign. There are no rows where
// nothing was swept.
func sweptTable(g grid, width int) table {
	if len(g.Knees) == 0 {
		return table{}
	}
	columns := g.sweptColumns()
	for {
		t := drawn(g, columns)
		least := slices.MinFunc(columns, func(a, b sweptColumn) int { return a.keep - b.keep })
		if width == 0 || t.width() <= width || least.keep == keepAlways {
			return t
		}
		columns = slices.DeleteFunc(columns, func(c sweptColumn) bool { return c.keep == least.keep })
	}
}

// inDoubt is the sign of a cell in doubt.
const inDoubt = " !"

func drawn(g grid, columns []sweptColumn) table {
	t := table{}
	for _, w := range g.Rows {
		if len(w.Swept) > 0 {
			t.Rows = append(t.Rows, nil)
		}
	}
	for _, c := range columns {
		t.Head, t.Units = append(t.Head, c.head), append(t.Units, c.unit)
		var cells []string
		for _, w := range g.Rows {
			if len(w.Swept) == 0 {
				continue
			}
			cell := c.cell(w)
			if c.doubted != nil && cell != missing && c.doubted(w) {
				cell += inDoubt
			}
			cells = append(cells, cell)
		}
		for i := range cells {
			t.Rows[i] = append(t.Rows[i], cells[i])
		}
		t.signs(len(t.Head) - 1)
	}
	return t
}

// signs makes room in a column where any cell of it has a sign: numbers stay
// below each other.
func (t table) signs(column int) {
	signed := func(row []string) bool { return strings.HasSuffix(row[column], inDoubt) }
	if !slices.ContainsFunc(t.Rows, signed) {
		return
	}
	for _, row := range t.Rows {
		if !signed(row) {
			row[column] += strings.Repeat(" ", utf8.RuneCountInString(inDoubt))
		}
	}
	t.Head[column], t.Units[column] = overSigns(t.Head[column]), overSigns(t.Units[column])
}

// overSigns is a heading over cells with a sign.
func overSigns(s string) string {
	if s == "" {
		return ""
	}
	return s + "  "
}

// hasCode reports whether a result carries one of some warnings.
func hasCode(r *weir.Result, codes ...weir.WarningCode) bool {
	return slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return slices.Contains(codes, w.Code) })
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
	return swept(r) && (vague(r) || hasCode(r, weir.ShortWindows, weir.NegativeLoss, weir.FramesCorrupt) || hasCode(r, weir.NoisyResult) && stalling(r) ||
		hasCode(r, weir.SearchLimit) && !atLeast(r))
}

func zeroDoubted(r *weir.Result) bool { return kneeDoubted(r) || contradicted(r) }

// contradicted reports whether more is forwarded without loss than with some.
func contradicted(r *weir.Result) bool {
	return swept(r) && r.Value > 0 && !atLeast(r) && r.KneeZero.Value > r.Value*(1+1e-9)
}

// saturatedDoubted reports whether the rate of an overload is in doubt: what is
// forwarded still grew with the load.
func saturatedDoubted(r *weir.Result) bool {
	noisy := 0
	for _, w := range r.Warnings {
		if w.Code == weir.NoisyResult {
			noisy++
		}
	}
	return noisy > 1 || noisy == 1 && !stalling(r) || hasCode(r, weir.NegativeLoss)
}

// restDoubted reports whether what the trials at half of the knee say is in
// doubt: any warning but those about windows.
func restDoubted(r *weir.Result) bool {
	return slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool {
		return !slices.Contains([]weir.WarningCode{weir.ShortWindows, weir.NoisyResult, weir.SearchLimit, weir.BeyondTester, weir.ClaimNotEarned}, w.Code)
	})
}
