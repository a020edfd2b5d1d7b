package report

import (
	"fmt"
	"strings"

	"weir"
)

// reported is a campaign as a document tells it.
type reported struct {
	view
	c       weir.Campaign // all of it
	verbose bool          // with curves
	brief   bool          // of runs beside other results the answer alone
}

// sections are those of a document, in its order. To add one, write it in a file of
// its own and enter it here.
var sections = []func(*document, reported){
	answerSection,
	identitySection,
	resultSections,
	studySections,
	warningSections,
	claimSections,
	procedureSection,
}

func documentOf(c weir.Campaign, verbose, brief bool) document {
	r := reported{viewOf(c), c, verbose, brief}
	var d document
	for _, tell := range sections {
		tell(&d, r)
	}
	return d
}

// answerSection are what was found, in a sentence each.
func answerSection(d *document, r reported) {
	var found []block
	mark := ""
	if simulated(r.c) {
		mark = "SIMULATED: "
	}
	plain, any := r.plain()
	if any {
		found = append(found, titleBlock(mark+headline(plain.Campaign, plain.Grid)))
	}
	for i, s := range r.answers() {
		if i == 0 && !any {
			found = append(found, titleBlock(mark+s.answer()))
		} else {
			found = append(found, textBlock{Text: mark + s.answer(), Strong: true})
		}
		found = append(found, textBlock{Text: s.against()})
	}
	d.add("", found...)
}

// identitySection is which campaign this is, where it was measured, how it ended, and what
// stood in its way.
func identitySection(d *document, r reported) {
	var all []block
	if simulated(r.c) {
		all = append(all, textBlock{Label: "SIMULATED", Text: "these are figures of a model, not of a machine"})
	}
	all = append(all, textBlock{Text: "campaign " + r.c.ID}, textBlock{Text: origin(r.c.Manifest, r.All)})
	if r.c.Ended != "complete" {
		all = append(all, textBlock{Label: "not complete", Text: ending(r.c)})
		var why listBlock
		for _, one := range reasons(r.c) {
			e := entry{Text: one.Text}
			if len(one.Log) > 0 {
				e.Under = []entry{{Text: "last lines of its log:", Under: sentences(one.Log...)}}
			}
			why = append(why, e)
		}
		all = append(all, why)
	}
	for _, part := range []*view{&r.view, r.Plain} {
		if part == nil {
			continue
		}
		label, text := part.disturbance(part.disturbedBy(r.c))
		all = append(all, textBlock{Label: label, Text: text})
	}
	d.add("", all...)
}

// hindered is the campaign whose trials stood in the way of a view.
func (v view) disturbedBy(all weir.Campaign) weir.Campaign {
	if v.Experiment {
		return all
	}
	return v.Campaign
}

// modelMark precedes every claim of a simulated campaign.
func modelMark(c weir.Campaign) string {
	if simulated(c) {
		return "SIMULATED "
	}
	return ""
}

// origin says on which machine a campaign was measured, and at which levels
// that all of its results share.
func origin(m weir.Manifest, g grid) string {
	var parts []string
	if m.Kernel != "" {
		parts = append(parts, "kernel "+m.Kernel)
	}
	if m.CPUModel != "" || m.CPUs > 0 {
		parts = append(parts, processors(m))
	}
	if m.Platform != "" {
		parts = append(parts, "DUT "+m.Platform+" ("+m.Testbed+")")
	}
	if m.Backend != "" && m.Imported == nil {
		parts = append(parts, "tester "+m.Backend)
	}
	if m.Imported == nil {
		parts = append(parts, "weir "+m.Weir)
	}
	for _, level := range changes(g.Common, nil) {
		if m.Imported == nil || !strings.HasSuffix(level, notSaid) {
			parts = append(parts, level)
		}
	}
	if m.Imported != nil {
		parts = append(parts, published(*m.Imported)) // it ends with a sentence of its own
	}
	return strings.Join(parts, ", ")
}

// notSaid ends a level that whoever published has not said.
const notSaid = "not said"

// warningSections are those of results, and of the trials of runs.
func warningSections(d *document, r reported) {
	if plain, any := r.plain(); any {
		var all listBlock
		for _, one := range doubts(plain.Grid) {
			e := entry{Label: string(one.Code), Text: "(" + one.Where() + "):", Advice: one.Advice}
			if texts := one.Texts(); len(texts) == 1 {
				e.Text += " " + texts[0]
			} else {
				e.Under = sentences(texts...)
			}
			all = append(all, e)
		}
		d.add("warnings (!)", all)
	}
	if r.Experiment {
		d.add(ofTrials+" (!)", sentences(r.warned(r.c)...))
	}
}

// claimSections are the names that results have earned, and what keeps them from stronger
// ones.
func claimSections(d *document, r reported) {
	list := claims(r.All)
	if r.All.Imported {
		return
	}
	var earned, missed []string
	for i, e := range list {
		earned = append(earned, fmt.Sprintf("[%d] %s%s", i+1, modelMark(r.c), e))
	}
	for _, m := range misses(list) {
		missed = append(missed, m.Refs+" "+m.Text)
	}
	d.add("claims", sentences(earned...))
	d.add("what they miss", sentences(missed...))
}

// procedureSection is what trials the results took, and what their values are.
func procedureSection(d *document, r reported) {
	list := procedures(r.Whole, r.All)
	if len(list) == 0 || r.All.Imported {
		return
	}
	var all []string
	for _, p := range list {
		all = append(all, p.Heading+": "+p.String())
	}
	d.add("measured", sentences(append(all, explanations(r.Whole, r.All)...)...))
}
