package report

import (
	"fmt"
	"slices"

	"weir/internal/document"
	"weir/internal/figures"
	"weir/internal/proof"
)

// studySections are what the runs of an experiment found and prove. With other
// results they are the answer alone where not everything is wanted.
func studySections(d *document.Document, r reported) {
	if !r.Experiment || r.Plain != nil && r.detail == brief {
		return
	}
	design := []document.Block{document.Paragraph{Label: "experiment", Text: r.design()}}
	notes := r.Study.byHand()
	if m := r.c.Manifest.Imported; m != nil {
		notes = m.Notes
	}
	for _, note := range notes {
		if r.detail == page {
			note = document.Capitalised(note)
		}
		design = append(design, document.Paragraph{Text: note})
	}
	d.Part("comparison", "comparison")
	d.Add("", design...)
	if len(r.Others) == 0 {
		r.Study.found(d, r.detail, r.Plain == nil)
	}
	for i, s := range r.several() {
		*d = append(*d, document.Section{Title: "by " + s.by + ", all else the same", By: true})
		if alone := s; r.detail == page && i > 0 {
			alone.by = "" // which the heading says
			d.Add("", document.Paragraph{Text: s.answer(), Strong: true}, document.Paragraph{Text: alone.against(false)})
		}
		s.found(d, r.detail, i == 0)
	}
	if r.detail == brief {
		return
	}
	all := r.Study.blocks()
	d.Fold("ministat", "ministat")
	for i, one := range all {
		if title := fmt.Sprintf("ministat, %s, %s", one.Title, r.Study.unit()); i == 0 || r.detail == page {
			d.Add(title, document.Verbatim(one.Text))
		}
	}
	if r.detail < page {
		t := r.Study.readings(r.c)
		d.Add("what the DUT's machine said, "+t.Title, t)
	}
	d.Fold("medians", "medians of the runs")
	results(d, r.view, r.detail)
}

// found adds the numbers of a study, its verdicts, and what speaks for and against
// them; headed says that the head of the page has its first charts.
func (s study) found(d *document.Document, how detail, headed bool) {
	shown := s
	if how == brief {
		shown.Comparisons = s.values()
	}
	all := shown.matrices()
	for i, m := range all {
		blocks := []document.Block{m}
		if i == len(all)-1 {
			blocks = append(blocks, document.Paragraph{Text: shown.key()})
		}
		d.Add(m.Title, blocks...)
	}
	s.proven(d, how)
	if how == page {
		runs, order := s.runCharts(), s.orderCharts()
		if headed {
			runs.Charts, order.Charts = runs.Charts[min(1, len(runs.Charts)):], order.Charts[min(1, len(order.Charts)):]
		}
		d.Part("runs", "runs")
		d.Add("", runs)
		d.Add("order and drift", order)
	}
}

// proven are the tables of verdicts and what goes with them.
func (s study) proven(d *document.Document, how detail) {
	gained := document.Paragraph{Text: s.gained()}
	if t := s.noiseTable(); len(t.Rows) > 0 {
		d.Add("how much runs of the unchanged DUT differ", t, document.Paragraph{Text: s.noiseNote()})
		d.Add("", gained)
	} else {
		all := slices.DeleteFunc(byMeasure(s.values()), func(list []proof.Comparison) bool { return len(effectsOf(list)) == 0 })
		for i, list := range all {
			proven := slices.DeleteFunc(slices.Clone(list), func(c proof.Comparison) bool { return len(unproven([]proof.Comparison{c})) > 0 })
			var blocks []document.Block
			if len(proven) > 0 {
				blocks = append(blocks, s.verdictTable(proven))
			}
			if i == len(all)-1 {
				blocks = append(blocks, gained)
			}
			d.Add(s.titled("verdicts", list), blocks...)
		}
		for _, list := range byMeasure(unproven(s.values())) {
			d.Add(s.titled("measured without a verdict", list)+figures.Scale(list[0]), s.foundTable(list), document.Paragraph{Text: whyNone(list)})
		}
	}
	for _, list := range byMeasure(s.figures()) {
		if how > brief {
			d.Add("on "+measure(list[0]), s.verdictTable(list))
		}
	}
	for _, part := range s.parts() {
		d.Add(part.Title, document.Sentences(part.Lines...))
	}
	for _, t := range s.effectTables() {
		if how == brief {
			break
		}
		d.Add("effects of the factors on "+t.Title, t)
	}
}

// titled is a title, with what it is about where there are several methods.
func (s study) titled(title string, list []proof.Comparison) string {
	if several(s.values()) {
		title += " on " + measure(list[0])
	}
	return title
}

// unit is that of the values of the comparison that leads.
func (s study) unit() string {
	if l := s.leadFirst(); len(l) > 0 && l[0].Unit != "" {
		return l[0].Unit
	}
	return "values"
}

// key is what the marks and the numbers of the matrices are.
func (s study) key() string { return s.marked() + s.note() }

// byMeasure are comparisons in groups of one measure each.
func byMeasure(list []proof.Comparison) [][]proof.Comparison {
	var names []string
	of := make(map[string][]proof.Comparison)
	for _, c := range list {
		names = figures.With(names, measure(c))
		of[measure(c)] = append(of[measure(c)], c)
	}
	out := make([][]proof.Comparison, len(names))
	for i, name := range names {
		out[i] = of[name]
	}
	return out
}

// A part is a list of sentences with a heading.
type part struct {
	Title string
	Lines []string
}

// parts are the lists of a study: whatever speaks for and against its verdicts.
func (s study) parts() []part {
	var out []part
	add := func(title string, lines []string) {
		if len(lines) > 0 {
			out = append(out, part{title, lines})
		}
	}
	var vetoes, warnings []string
	for _, r := range s.remarks() {
		if r.Veto {
			vetoes = append(vetoes, r.String())
		} else {
			warnings = append(warnings, r.String())
		}
	}
	add("no verdict", vetoes)
	add("A/A", s.againLines())
	add("drift", s.driftLines())
	add("left out", s.leftLines())
	add("of the comparisons", warnings)
	return out
}
