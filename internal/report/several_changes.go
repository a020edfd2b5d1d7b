package report

import (
	"weir/internal/document"
	"weir/internal/figures"
)

// besideChange is what an arm changes against the baseline, in one of several campaigns.
type besideChange struct {
	campaign string
	of       study
	led      led
}

// changesBeside are those of campaigns that vary something, with their intervals: a table for
// each thing that was measured, and each baseline.
func changesBeside(views []view, labels []string) []document.Table {
	var order []string
	of, confidence := map[string][]besideChange{}, ""
	for i, v := range views {
		if !v.Experiment {
			continue
		}
		for _, l := range effectsOf(v.Study.values()) {
			about := measure(l.Comparison) + " against " + v.Study.short(l.Baseline)
			order, confidence = figures.With(order, about), v.Study.confidence()
			of[about] = append(of[about], besideChange{labels[i], v.Study, l})
		}
	}
	columns := []document.Column[besideChange]{
		{Heading: document.Heading{Head: campaignRow, Words: true}, Text: func(c besideChange) string { return c.campaign }},
		{Heading: document.Heading{Head: "traffic", Words: true}, Text: func(c besideChange) string { return c.of.traffic(c.led.Comparison) }},
		{Heading: document.Heading{Head: "arm", Words: true}, Text: func(c besideChange) string { return c.of.short(c.led.Effect.Arm) }},
		{Heading: document.Heading{Head: "change"}, Text: func(c besideChange) string { return changed(c.led.Effect.Change) }},
		{Heading: document.Heading{Head: confidence + " interval"}, Text: func(c besideChange) string { return boundsOf(c.led.Effect) }},
		{Heading: document.Heading{Head: "verdict", Words: true}, Text: func(c besideChange) string { return said[c.led.Effect.Verdict] }},
	}
	var out []document.Table
	for _, about := range order {
		t := document.TableOf(columns, of[about])
		t.Title, t.Broken = about, true
		out = append(out, t)
	}
	return out
}
