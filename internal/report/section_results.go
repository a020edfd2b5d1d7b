package report

import (
	"slices"
	"strings"

	"weir/internal/chart"
	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/method"
)

// resultSections are what was measured once: of a campaign of runs, before them.
func resultSections(d *document.Document, r reported) {
	if plain, any := r.plain(); any {
		d.Part("results", "results")
		results(d, plain, r.detail)
		if r.detail == usual || r.detail == full {
			t := plain.readings(r.c)
			d.Add("what the DUT's machine said, "+t.Title, t)
		}
	}
}

// results are the numbers of a view: its tables, and what has no column in them.
func results(d *document.Document, v view, how detail) {
	g := v.Grid
	t, further := v.tables(how >= full)
	title := ""
	if v.Experiment {
		title = "medians of the runs"
	}
	if len(g.Rows) == 0 && !v.Experiment {
		d.Add("", document.Paragraph{Text: "no results"})
	}
	trust := document.Paragraph{Label: "trust"}
	if len(g.Knees) > 0 && !v.Experiment && how < page {
		trust.Text = figures.TrustOf(v.Campaign, g).String()
	}
	d.Add(title, figures.SweptTable(g), document.Sentences(append(figures.SweptNotes(g), figures.Signs(figures.SweptTable(g))...)...), trust)
	if len(g.Knees) > 0 {
		title = ""
	}
	d.Add(title, t)
	var first []string
	for _, cause := range figures.Causes(v.Campaign.Trials...) {
		first = append(first, cause.Text)
	}
	d.Add("", document.Paragraph{Label: "first", Text: strings.Join(first, ". ")}, document.Paragraph{Label: "limit", Text: strings.Join(figures.WhatLimits(g), ". ")})
	transfers(d, v)
	d.Add("further results", figures.FurtherList(further, how == brief))
	if label, text := figures.ImixEstimate(g); text != "" {
		d.Add("", document.Paragraph{Label: label, Text: text})
	}
}

// transfers are the table of source and target, and that of seconds.
func transfers(d *document.Document, v view) {
	set := figures.TransfersOf(v.Grid)
	if len(set.Rows) == 0 {
		return
	}
	if set.AddsToMatrix(v.Experiment, len(v.Study.Experiment.Arms)) {
		m := set.Matrix()
		if v.Experiment {
			m.Title += ", medians of the runs"
		}
		d.Add(m.Title, m)
	}
	t, note := figures.SecondsTable(set.Courses())
	d.Add("peaks and flutter", t, document.Paragraph{Text: note})
}

// A chartGroup are charts of one kind, of which a page has the first of the first
// two at its head.
type chartGroup struct {
	ID, Title string
	document.ChartSet
}

// plainCharts are those of what was measured once, what matters most first.
func plainCharts(v view) []chartGroup {
	c, g := v.Campaign, v.Grid.WithoutTransfers()
	group := func(id, title, note string, charts ...chart.Chart) chartGroup {
		return chartGroup{id, title, document.ChartSet{Charts: slices.DeleteFunc(charts, chart.Chart.Empty), Note: note}}
	}
	courses := figures.TransfersOf(v.Grid).Courses()
	var overload chart.Chart
	loss, lossRate := figures.LossPlot(c, g), figures.LossRatePlot(g)
	if loss.Empty() {
		loss, lossRate = lossRate, loss
	}
	if results, labels := figures.Curves(g, method.Curve); len(results) > 0 {
		overload = figures.OverloadPlot(results[0])
		overload.Title += ", " + labels[0]
		loss = chart.Chart{} // of loads that it has, too
	}
	groups := []chartGroup{
		group("forwarded", "forwarded over offered", "A graceful DUT forwards as much at any overload as at its best.", overload),
		group("sweep", "loss over load", "A line is the median loss of the windows at a load, its band the 95 % interval, its mark the knee. Behind it are single windows. Over loads in terms of the capacity of the moment the line rises: where a load lost less than a lower one, the two are taken together.", figures.SweepPlot(c, g)),
		group("track", "capacity over time", "What the DUT could forward, from window to window. Where there is this chart, loss is drawn over the load in terms of that.", figures.TrackPlot(g)),
		group("loss", "loss over load", "A mark is a trial of one steady load.", loss),
		group("latency", "latency", "", figures.LatencyPlot(c, g)),
		group("loss-rate", "frame loss rate", "", lossRate),
		group("goodput", "goodput", "", figures.TransferPlots(figures.TransfersOf(v.Grid))...),
		group("seconds", "flutter", "The rate of each second on the link to the receiving end that counts, of runs that fluctuated.", figures.UnstablePlots(courses)...),
		group("rate", "rate over frame size", "", figures.RatePlot(g)),
		group("scale", "scale", "", figures.FactorPlots(g)...),
		group("time", "over time", "", figures.TimelinePlots(c, g)...),
		group("cpu", "CPU of the DUT", "At the load of each result; latency is measured at part of the throughput.", figures.CPUPlots(g)...),
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
			first.Note = figures.TrimmedJoin(first.Note, g.Note)
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
	figures.OverloadSection(d, r.All)
}
