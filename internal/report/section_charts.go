package report

import (
	"slices"

	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/method"
)

// A chartGroup are charts of one kind, of which a page has the first of the first
// two at its head.
type chartGroup struct {
	ID, Title string
	document.ChartSet
}

// plainCharts are those of what was measured once, what matters most first.
func plainCharts(v view) []chartGroup {
	c, g := v.Campaign, v.Grid.withoutTransfers()
	group := func(id, title, note string, charts ...chart.Chart) chartGroup {
		return chartGroup{id, title, document.ChartSet{Charts: slices.DeleteFunc(charts, chart.Chart.Empty), Note: note}}
	}
	courses := transfersOf(v.Grid).courses()
	var overload chart.Chart
	loss, lossRate := lossPlot(c, g), lossRatePlot(g)
	if loss.Empty() {
		loss, lossRate = lossRate, loss
	}
	if results, labels := curves(g, method.Curve); len(results) > 0 {
		overload = overloadPlot(results[0])
		overload.Title += ", " + labels[0]
		loss = chart.Chart{} // of loads that it has, too
	}
	groups := []chartGroup{
		group("forwarded", "forwarded over offered", "A graceful DUT forwards as much at any overload as at its best.", overload),
		group("sweep", "loss over load", "A line is the median loss of the windows at a load, its band the 95 % interval, its mark the knee. Behind it are single windows.", sweepPlot(c, g)),
		group("loss", "loss over load", "A mark is a trial of one steady load.", loss),
		group("latency", "latency", "", latencyPlot(c, g)),
		group("loss-rate", "frame loss rate", "", lossRate),
		group("goodput", "goodput", "", transferPlots(transfersOf(v.Grid))...),
		group("seconds", "flutter", "The rate of each second on the link to the receiving end that counts, of runs that fluctuated.", unstablePlots(courses)...),
		group("rate", "rate over frame size", "", ratePlot(g)),
		group("scale", "scale", "", factorPlots(g)...),
		group("time", "over time", "", timelinePlots(c, g)...),
		group("cpu", "CPU of the DUT", "At the load of each result; latency is measured at part of the throughput.", cpuPlots(g)...),
	}
	return slices.DeleteFunc(groups, func(g chartGroup) bool { return len(g.Charts) == 0 })
}

// charts are the two of a page's head, and the others.
func (r reported) charts() (first document.ChartSet, others []chartGroup) {
	plain, any := r.plain()
	if !any {
		others = []chartGroup{{ChartSet: r.Study.runCharts()}, {ChartSet: r.Study.orderCharts()}}
	} else if others = plainCharts(plain); len(others) == 1 && len(others[0].Charts) > 1 {
		one := others[0]
		one.Charts, others[0].Charts = one.Charts[1:], one.Charts[:1]
		others = append(others, one)
	}
	for i := range others {
		if g := &others[i]; i < 2 && len(g.Charts) > 0 {
			first.Charts = append(first.Charts, g.Charts[0])
			first.Note = trimmedJoin(first.Note, g.Note)
			g.Charts = g.Charts[1:]
		}
	}
	if !any {
		return first, nil // the section of runs has them
	}
	return first, slices.DeleteFunc(others, func(g chartGroup) bool { return len(g.Charts) == 0 })
}

// pictureSection are the charts that a page begins with.
func pictureSection(d *document.Document, r reported) {
	first, _ := r.charts()
	d.Part("charts", "")
	d.Add("", first)
}

// chartSections are the other charts of what was measured once.
func chartSections(d *document.Document, r reported) {
	_, others := r.charts()
	for _, g := range others {
		d.Part(g.ID, g.Title)
		d.Add("", g.ChartSet)
	}
	overloadSection(d, r.All)
}

// overloadSection is what overloads have shown: what was forwarded, what was left
// for other work meanwhile, and where frames were dropped.
func overloadSection(d *document.Document, g grid) {
	results, labels := curves(g, method.Curve)
	d.Part("overload", "overload")
	for i, r := range results {
		charts := slices.DeleteFunc([]chart.Chart{overloadPlot(r), idlePlot(r), lifePlot(r)}, chart.Chart.Empty)
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
