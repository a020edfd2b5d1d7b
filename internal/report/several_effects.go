package report

import (
	"strings"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
)

// A besideEffect is what a level changes against the first one of its factor, over all levels
// of the others, in one of several campaigns.
type besideEffect struct {
	campaign string
	proof.Term
}

// effectsBeside are those of campaigns that vary several factors, a table for each thing that
// was measured.
func effectsBeside(views []view, labels []string) []document.Table {
	var order []string
	of, notes, confidence := map[string][]besideEffect{}, map[string][]string{}, ""
	for i, v := range views {
		if !v.Experiment {
			continue
		}
		for _, e := range v.Study.Effects {
			if !interacts(e.Terms) {
				continue
			}
			what := strings.TrimSuffix(measure(proof.Comparison{Method: e.Method, LossRatio: e.LossRatio, Transfer: e.Transfer}), ", ")
			order, confidence = figures.With(order, what), v.Study.confidence()
			for _, t := range e.Terms {
				if len(t.Factors) == 1 {
					of[what] = append(of[what], besideEffect{labels[i], t})
				}
			}
			if vetoes := texts(e.Vetoes); vetoes != "" {
				notes[what] = append(notes[what], labels[i]+": not proven: "+vetoes)
			}
		}
	}
	columns := []document.Column[besideEffect]{
		{Heading: document.Heading{Head: campaignRow, Words: true}, Text: func(e besideEffect) string { return e.campaign }},
		{Heading: document.Heading{Head: "effect", Words: true}, Text: func(e besideEffect) string { return termWords(e.Term) }},
		{Heading: document.Heading{Head: "change"}, Text: func(e besideEffect) string { return changed(e.Change) }},
		{Heading: document.Heading{Head: confidence + " interval"}, Text: func(e besideEffect) string { return bounds(e.Change) }},
	}
	var out []document.Table
	for _, what := range order {
		t := document.TableOf(columns, of[what])
		t.Title, t.Broken, t.Note = "effects of the factors on "+what, true, strings.Join(notes[what], ". ")
		out = append(out, t)
	}
	return out
}
