package report

import (
	"strings"

	"weir/internal/document"
	"weir/internal/figures"
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
	d.Add(title, figures.SweptTable(g), document.Sentences(figures.SweptNotes(g)...), trust)
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
	if set.Apart(v.Experiment, len(v.Study.Experiment.Arms)) {
		m := set.Matrix()
		if v.Experiment {
			m.Title += ", medians of the runs"
		}
		d.Add(m.Title, m)
	}
	t, note := figures.SecondsTable(set.Courses())
	d.Add("peaks and flutter", t, document.Paragraph{Text: note})
}
