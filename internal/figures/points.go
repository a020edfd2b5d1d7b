package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"weir"
	"weir/internal/document"
)

// PointsOf is the curve of a result as a table, a row for each load in the
// order of measuring; without rows when it has none. What was not measured at
// any load has no column.
func PointsOf(r *weir.Result) document.Table {
	t := document.TableOf(pointColumns, r.Curve)
	return filled(t.Without(func(i int, _ document.Heading) bool {
		return i > 1 && !slices.ContainsFunc(t.Rows, func(row []document.Cell) bool { return row[i].Text != "" })
	}))
}

// filled has a sign in cells without a text.
func filled(t document.Table) document.Table {
	for _, row := range t.Rows {
		for i := range row {
			row[i].Text = cmp.Or(row[i].Text, Missing)
		}
	}
	return t
}

// pointColumns are what is shown of a load, where it is known.
var pointColumns = []document.Column[weir.Point]{
	{Heading: document.Heading{Head: "intended", Unit: "kpps", Numbers: true}, Text: intendedCell},
	{Heading: document.Heading{Head: "offered", Unit: "kpps"}, Text: func(p weir.Point) string { return Kpps(p.Offered) }},
	point("forwarded", "kpps", counted, func(p weir.Point) string { return Kpps(p.Forwarded) }),
	{Heading: document.Heading{Head: "load"}, Text: func(p weir.Point) string { return p.Branch }},
	point("loss", "%", counted, func(p weir.Point) string { return lossCell(p.LossRatio) }),
	point("", "from, %", ranged, func(p weir.Point) string { return lossCell(p.Lower) }),
	point("", "to, %", ranged, func(p weir.Point) string { return lossCell(p.Upper) }),
	point("windows", "", windowed, func(p weir.Point) string { return strconv.Itoa(p.Windows) }),
	point("", "left out", windowed, func(p weir.Point) string { return strconv.Itoa(p.LeftOut) }),
	point("CPU", "%", func(p weir.Point) bool { return p.CPUShare > 0 }, func(p weir.Point) string { return cpuPercent(p.CPUShare) }),
	point("left", "%", func(p weir.Point) bool { return p.IdleShare > 0 }, func(p weir.Point) string { return Number(p.IdleShare*100, 0) }),
	point("echo", "lost", echoed, func(p weir.Point) string { return fraction(p.Probe.EchoLost, p.Probe.EchoSent) }),
	point("", "ms", echoed, func(p weir.Point) string { return greatest(p.Probe.Echo) }),
	point("TCP", "failed", tried, func(p weir.Point) string { return fraction(p.Probe.AcceptFailed, p.Probe.AcceptTried) }),
	point("", "ms", tried, func(p weir.Point) string { return greatest(p.Probe.Accept) }),
	point("heart", "ms", func(p weir.Point) bool { return p.Probe != nil && p.Probe.Heartbeat > 0 },
		func(p weir.Point) string { return Significant(p.Probe.Heartbeat.Seconds() * 1e3) }),
}

// intendedCell is the load that was asked for; that of windows is that of each of them.
func intendedCell(p weir.Point) string {
	switch {
	case p.Intended > 0:
		return Kpps(p.Intended)
	case windowed(p):
		return Kpps(p.Load)
	}
	return "max"
}

// point is a column of what is known of some loads.
func point(head, unit string, known func(weir.Point) bool, text func(weir.Point) string) document.Column[weir.Point] {
	return document.Column[weir.Point]{Heading: document.Heading{Head: head, Unit: unit}, Text: func(p weir.Point) string {
		if !known(p) {
			return ""
		}
		return text(p)
	}}
}

// lossCell is a loss in percent with two decimals, or as many as it takes to
// tell a small one from none.
func lossCell(ratio float64) string {
	if ratio == 0 || ratio > 0 && ratio < .0001 {
		return Percent(ratio)
	}
	return Number(ratio*100, 2)
}

func windowed(p weir.Point) bool { return p.WindowPoint != nil }

func ranged(p weir.Point) bool { return windowed(p) && counted(p) }

// counted reports whether the loss of a load is known: of one that had windows,
// whether any of them counts. Where all were left out, or stood still, nothing was
// forwarded and nothing lost.
func counted(p weir.Point) bool {
	return !windowed(p) || p.Windows > 0 && (p.Forwarded > 0 || p.Loss > 0)
}

func echoed(p weir.Point) bool { return p.Probe != nil && p.Probe.EchoSent > 0 }

func tried(p weir.Point) bool { return p.Probe != nil && p.Probe.AcceptTried > 0 }

// fraction is "12/50".
func fraction(n, all uint64) string { return fmt.Sprintf("%d/%d", n, all) }

// greatest is the greatest time of h in ms; missing when it is empty, as when
// every echo was lost.
func greatest(h weir.Histogram) string {
	v := h.Quantile(1)
	if math.IsNaN(v) {
		return Missing
	}
	return Significant(v * 1e3)
}

// silences say at which loads a control plane gave no sign of life, where a
// plot has nothing to show.
func silences(r *weir.Result) []string {
	var echo, accept []string
	for _, p := range r.Curve {
		if echoed(p) && p.Probe.EchoLost >= p.Probe.EchoSent {
			echo = append(echo, Kpps(p.Offered))
		}
		if tried(p) && p.Probe.AcceptFailed >= p.Probe.AcceptTried {
			accept = append(accept, Kpps(p.Offered))
		}
	}
	var out []string
	for _, s := range []struct {
		what  string
		loads []string
	}{{"No echo came back", echo}, {"No TCP connection was taken", accept}} {
		if len(s.loads) > 0 {
			out = append(out, fmt.Sprintf("%s at an offered load of %s kpps.", s.what, Enumerated(s.loads)))
		}
	}
	return out
}

// Enumerated is "1, 2 and 3".
func Enumerated(words []string) string {
	out := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " and "
		default:
			out += ", "
		}
		out += w
	}
	return out
}
