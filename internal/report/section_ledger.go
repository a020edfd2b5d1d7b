package report

import (
	"fmt"
	"html/template"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// A ledgerOf is the ledger of one result.
type ledgerOf struct {
	label string
	weir.Ledger
}

// ledgerSection is where the frames of each result went.
func ledgerSection(d *document.Document, r reported) {
	var all []ledgerOf
	for _, w := range r.All.Rows {
		for _, one := range w.Results {
			if one.Ledger.Offered > 0 {
				all = append(all, ledgerOf{w.Label + ", " + figures.Sought(*one), one.Ledger})
			}
		}
	}
	of := "one trial"
	switch {
	case r.Plain != nil:
		of += ", or of all runs,"
	case r.Experiment:
		of = "all runs"
	}
	t := document.TableOf(ledgerColumns, all)
	t.Note = "Frames of " + of + " at the load of the result: offered = received + drops at named counters + unexplained."
	d.Part("ledger", "ledger")
	d.Add("", t)
}

var ledgerColumns = []document.Column[ledgerOf]{
	{Heading: document.Heading{Head: "result"}, Text: func(l ledgerOf) string { return l.label }},
	{Heading: document.Heading{Head: "offered"}, Text: func(l ledgerOf) string { return figures.Count(l.Offered) }},
	{Heading: document.Heading{Head: "received"}, Text: func(l ledgerOf) string { return figures.Count(l.Received) }},
	{Heading: document.Heading{Head: "unexplained"}, Text: func(l ledgerOf) string { return figures.Number(float64(l.Unexplained), 0) },
		Look: func(l ledgerOf, c *document.Cell) {
			if l.Unexplained != 0 {
				c.Mark = figures.InDoubt
			}
		}},
	{Heading: document.Heading{Head: "dropped", Words: true}, Text: func(l ledgerOf) string {
		var parts []string
		for _, d := range l.Drops {
			parts = append(parts, figures.Count(d.Count)+" "+d.Place)
		}
		return strings.Join(parts, "; ")
	}, Look: func(l ledgerOf, c *document.Cell) { c.Picture = l.picture() }},
}

// picture is the shares of the offered frames: received, dropped, unexplained.
func (l ledgerOf) picture() template.HTML {
	share := func(frames float64) float64 { return min(max(frames/float64(l.Offered)*100, 0), 100) }
	var drops uint64
	for _, d := range l.Drops {
		drops += d.Count
	}
	received, dropped, rest := share(float64(l.Received)), share(float64(drops)), share(float64(l.Unexplained))
	if rest > 0 {
		rest = max(rest, .4) // to be seen at all
	}
	return template.HTML(fmt.Sprintf(`<svg class="stack" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="%s %% received, %s %% dropped"><rect class="received" width="%.2f" height="6"/>`+
		`<rect class="dropped" x="%.2f" width="%.2f" height="6"/><rect class="unexplained" x="%.2f" width="%.2f" height="6"/></svg>`,
		figures.Number(received, 1), figures.Number(dropped, 1), received, received, dropped, min(received+dropped, 100-rest), rest))
}
