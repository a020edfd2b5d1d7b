package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/method"
)

// LossRatePlot shows the loss over the offered load, one line for each level
// (RFC 2544 section 26.3).
func LossRatePlot(g Grid) chart.Chart {
	c := chart.Chart{Title: "Frame loss rate", X: chart.Axis{Label: "offered, frames/s"}, Y: chart.Axis{Label: "frames lost, %"}}
	results, labels := Curves(g, method.LossCurve)
	for i, r := range results {
		s := lineOf(i, labels[i])
		s.Dots = true
		for _, p := range byLoad(r.Curve) {
			s.Points = append(s.Points, chart.Point{X: p.Offered, Y: max(p.LossRatio, 0) * 100,
				Tip: fmt.Sprintf("%s: offered %s kpps, lost %s %%", labels[i], Kpps(p.Offered), Percent(p.LossRatio))})
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// OverloadPlot is the forwarding rate over the offered load, up and down, with
// the MLFRR.
func OverloadPlot(r *weir.Result) chart.Chart {
	c := chart.Chart{Title: "Forwarded over offered", X: chart.Axis{Label: "offered, frames/s"}, Y: chart.Axis{Label: "forwarded, frames/s"}}
	top := 0.
	for _, p := range r.Curve {
		top = max(top, p.Forwarded)
	}
	c.Series = append(c.Series, chart.Series{Name: "forwarded = offered", Color: chart.Muted, Line: true, Dashed: true, Points: []chart.Point{{}, {X: top, Y: top}}})
	c.Series = append(c.Series, branches(r, func(p weir.Point) (float64, bool) { return p.Forwarded, counted(p) }, func(p weir.Point) string {
		return fmt.Sprintf("offered %s kpps, forwarded %s kpps", Kpps(p.Offered), Kpps(p.Forwarded))
	})...)
	if r.Value > 0 {
		c.Series = append(c.Series, chart.Series{Name: "MLFRR", Color: 2, Dots: true,
			Points: []chart.Point{{X: r.Value, Y: r.Value, Tip: "MLFRR " + Kpps(r.Value) + " kpps"}}})
	}
	return c
}

// idlePlot is the CPU time that the DUT had left, over the offered load: of the
// points that had a trial of their own.
func idlePlot(r *weir.Result) chart.Chart {
	c := chart.Chart{Title: "Left for other work", X: chart.Axis{Label: "offered, frames/s"}, Y: chart.Axis{Label: "% of the DUT's CPUs", Max: 100}}
	if !slices.ContainsFunc(r.Curve, func(p weir.Point) bool { return p.IdleShare > 0 }) {
		return c
	}
	c.Series = branches(r, func(p weir.Point) (float64, bool) { return p.IdleShare * 100, p.CPUShare+p.IdleShare > 0 }, func(p weir.Point) string {
		return fmt.Sprintf("offered %s kpps, %s %% left", Kpps(p.Offered), Number(p.IdleShare*100, 0))
	})
	return c
}

// lifePlot is how the control plane answered, over the offered load, on the
// way up.
func lifePlot(r *weir.Result) chart.Chart {
	c := chart.Chart{Title: "Signs of life of the control plane", X: chart.Axis{Label: "offered, frames/s"}, Y: chart.Axis{Label: "ms, greatest", Log: true}}
	for color, of := range []struct {
		name  string
		value func(*weir.Probe) float64
	}{
		{"echo", func(p *weir.Probe) float64 { return p.Echo.Quantile(1) }},
		{"TCP accepted", func(p *weir.Probe) float64 { return p.Accept.Quantile(1) }},
		{"gap of the heartbeat", func(p *weir.Probe) float64 { return p.Heartbeat.Seconds() }},
	} {
		s := chart.Series{Name: of.name, Color: color, Line: true, Dots: true}
		for _, p := range byLoad(r.Curve) {
			if p.Branch != "up" || p.Probe == nil {
				continue
			}
			if v := of.value(p.Probe); !math.IsNaN(v) && v > 0 {
				s.Points = append(s.Points, chart.Point{X: p.Offered, Y: v * 1e3, Tip: fmt.Sprintf(
					"%s: %s at %s kpps; %d of %d echoes and %d of %d connections failed", of.name, seconds(v), Kpps(p.Offered),
					p.Probe.EchoLost, p.Probe.EchoSent, p.Probe.AcceptFailed, p.Probe.AcceptTried)})
			}
		}
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}

// branches are a curve's ways up and down as two series.
func branches(r *weir.Result, value func(weir.Point) (float64, bool), tip func(weir.Point) string) []chart.Series {
	var out []chart.Series
	for color, branch := range []string{"up", "down"} {
		s := chart.Series{Name: "load going " + branch, Color: color, Line: true, Dots: true, Dashed: branch == "down"}
		for _, p := range byLoad(r.Curve) { // at the end of the tester's means the loads may come out of order
			if v, ok := value(p); ok && p.Branch == branch {
				s.Points = append(s.Points, chart.Point{X: p.Offered, Y: v, Tip: tip(p)})
			}
		}
		if len(s.Points) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// byLoad are the points of a curve by their offered load.
func byLoad(curve []weir.Point) []weir.Point {
	sorted := slices.Clone(curve)
	slices.SortStableFunc(sorted, func(a, b weir.Point) int { return cmp.Compare(a.Offered, b.Offered) })
	return sorted
}

// OverloadSection is what overloads have shown: what was forwarded, what was left
// for other work meanwhile, and where frames were dropped.
func OverloadSection(d *document.Document, g Grid) {
	results, labels := Curves(g, method.Curve)
	d.Part("overload", "overload")
	for i, r := range results {
		charts := slices.DeleteFunc([]chart.Chart{OverloadPlot(r), idlePlot(r), lifePlot(r)}, chart.Chart.Empty)
		blocks := []document.Block{document.ChartSet{Charts: charts}, document.Sentences(silences(r)...)}
		if t := document.TableOf(dropColumns, dropsOf(r)); len(t.Rows) > 0 {
			blocks = append(blocks, document.List{{Text: "what did not arrive", Tables: []document.Captioned{{Name: "where frames were dropped", Table: t}}}})
		}
		if i == len(results)-1 {
			blocks = append(blocks, document.Paragraph{Text: "A graceful DUT forwards as much at any overload as at its best. The way down is dashed: where it lies beside the way up, something stayed behind from the overload, or the machine changed meanwhile"})
		}
		d.Add(labels[i]+document.On(": ", r.Verdict), blocks...)
	}
}

// dropped is where frames were dropped at one load.
type droppedAt struct {
	weir.Point
	weir.Drop
}

func dropsOf(r *weir.Result) (out []droppedAt) {
	for _, p := range r.Curve {
		for _, d := range p.Drops {
			out = append(out, droppedAt{p, d})
		}
	}
	return out
}

var dropColumns = []document.Column[droppedAt]{
	{Heading: document.Heading{Head: "load"}, Text: func(d droppedAt) string { return d.Branch }},
	{Heading: document.Heading{Head: "offered", Unit: "kpps"}, Text: func(d droppedAt) string { return Kpps(d.Offered) }},
	{Heading: document.Heading{Head: "forwarded", Unit: "kpps"}, Text: func(d droppedAt) string {
		if !counted(d.Point) {
			return Missing
		}
		return Kpps(d.Forwarded)
	}},
	{Heading: document.Heading{Head: "dropped", Unit: "frames"}, Text: func(d droppedAt) string { return Count(d.Count) }},
	{Heading: document.Heading{Head: "where", Words: true}, Text: func(d droppedAt) string { return d.Place }},
}
