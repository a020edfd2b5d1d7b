package figures

import (
	"slices"

	"weir"
	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/method"
)

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
