package report

import (
	"fmt"
	"strings"

	"weir"
	"weir/internal/document"
)

// reported is a campaign as a document tells it.
type reported struct {
	view
	c   weir.Campaign // all of it
	raw weir.Campaign // with its names as they are
	detail
}

// detail is how much a document tells.
type detail struct {
	curves bool // those of results, too
	brief  bool // what matters first alone: of results their values, of runs their verdicts, and beside other results the answer
	room   bool // for pictures, for all trials, and for what is folded
	headed bool // the head of the page has the first charts of the runs
}

// sections are those of a document, in its order. To add one, write it in a file of
// its own and enter it here.
var sections = []struct {
	tell func(*document.Document, reported)
	room bool // it takes that
}{
	{answerSection, false},
	{identitySection, false},
	{pictureSection, true},
	{resultSections, false},
	{studySections, false},
	{chartSections, true},
	{warningSections, false},
	{claimSections, false},
	{procedureSection, false},
	{restSection, false},
	{readingSection, true},
	{ledgerSection, true},
	{profileSection, true},
	{trialSections, true},
	{manifestSection, true},
	{dataSection, true},
}

func documentOf(c weir.Campaign, how detail) document.Document {
	return reportedOf(c, how).document()
}

// reportedOf is a campaign as a document of it shows it.
func reportedOf(c weir.Campaign, how detail) reported {
	r := reported{c: Printable(c), raw: c, detail: how}
	r.view = viewOf(r.c)
	return r
}

func (r reported) document() document.Document {
	var d document.Document
	for _, s := range sections {
		if r.room || !s.room {
			s.tell(&d, r)
		}
	}
	d.Refer(remarksOf(r.c.Manifest.Notes))
	return d
}

// answerSection are what was found, in a sentence each.
func answerSection(d *document.Document, r reported) {
	var found []document.Block
	mark := simulatedMark(r.c)
	plain, any := r.plain()
	if any {
		found = append(found, headline(plain.Campaign, plain.Grid))
	}
	for i, s := range r.answers() {
		if i > 0 && r.room {
			break // a page has it where it tells of that factor
		}
		if i == 0 && !any {
			found = append(found, document.Title{Text: mark + s.answer()})
		} else {
			found = append(found, document.Paragraph{Text: mark + s.answer(), Strong: true})
		}
		found = append(found, document.Paragraph{Text: s.against(r.room && !any)})
	}
	d.Add("", found...)
}

// identitySection is which campaign this is, where it was measured, how it ended, and what
// stood in its way.
func identitySection(d *document.Document, r reported) {
	var all []document.Block
	if simulated(r.c) && !r.room { // the heading of a page stands where one looks first
		all = append(all, document.Paragraph{Label: "SIMULATED", Text: "these are figures of a model, not of a machine"})
	}
	named := "campaign " + r.c.ID
	if r.room {
		all, named = append(all, r.badge()), r.named()
	}
	if of := origin(r.c.Manifest, r.All); r.room {
		all = append(all, document.Paragraph{Text: named + document.On(": ", of)})
	} else {
		all = append(all, document.Paragraph{Text: named}, document.Paragraph{Text: of})
	}
	if r.c.Ended != "complete" {
		if !r.room {
			all = append(all, document.Paragraph{Label: "not complete", Text: ending(r.c)})
		}
		var why document.List
		for _, one := range reasons(r.c) {
			e := document.Entry{Text: one.Text}
			if len(one.Log) > 0 {
				e.Under = []document.Entry{{Text: "last lines of its log:", Under: document.Sentences(one.Log...)}}
			}
			why = append(why, e)
		}
		all = append(all, why)
	}
	for _, part := range []*view{&r.view, r.Plain} {
		if part == nil || r.room {
			continue // a page has it in its badge
		}
		label, text := part.disturbance(part.disturbedBy(r.c))
		all = append(all, document.Paragraph{Label: label, Text: text})
	}
	d.Add("", all...)
}

// named is which campaign it is, and when it was measured.
func (r reported) named() string {
	text := strings.TrimSpace(r.c.Name + " " + r.c.ID)
	if started := r.c.Manifest.Started; !started.IsZero() {
		text += started.UTC().Format(", 2 January 2006, 15:04 UTC")
	}
	return text
}

// disturbedBy is the campaign whose trials stood in the way of a view.
func (v view) disturbedBy(all weir.Campaign) weir.Campaign {
	if v.Experiment {
		return all
	}
	return v.Campaign
}

// simulatedMark precedes every answer of a simulated campaign.
func simulatedMark(c weir.Campaign) string {
	if simulated(c) {
		return "SIMULATED: "
	}
	return ""
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
		parts = append(parts, "DUT "+m.Platform+document.On(" at ", m.Place)+" ("+m.Testbed+")")
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
func warningSections(d *document.Document, r reported) {
	if plain, any := r.plain(); any {
		var all document.List
		for _, one := range doubts(plain.Grid) {
			e := document.Entry{Label: string(one.Code), Text: "(" + one.Where() + "):", Advice: one.Advice}
			if texts := one.Texts(); len(texts) == 1 {
				e.Text += " " + texts[0]
			} else {
				e.Under = document.Sentences(texts...)
			}
			all = append(all, e)
		}
		d.Part("warnings", "warnings (!)")
		d.Add("warnings (!)", all)
	}
	if r.Experiment {
		d.Fold("warnings", "warnings of trials")
		d.Add(ofTrials+" (!)", document.Sentences(r.warned(r.c)...))
	}
}

// claimSections are the names that results have earned, and what keeps them from stronger
// ones.
func claimSections(d *document.Document, r reported) {
	list := claims(r.All)
	if r.All.Imported {
		return
	}
	var earned document.List
	var missed []string
	for i, e := range list {
		one := document.Entry{Text: fmt.Sprintf("[%d] %s%s", i+1, modelMark(r.c), e)}
		if r.room && len(e.Demands) > 0 {
			one.Tables = []document.Captioned{{Name: fmt.Sprintf("checklist of %d", len(e.Demands)), Table: document.TableOf(demandColumns, e.Lines())}}
		}
		earned = append(earned, one)
	}
	for _, m := range misses(list) {
		missed = append(missed, m.Refs+" "+m.Text)
	}
	d.Fold("claims", "claims")
	d.Add("claims", earned)
	if !r.brief {
		d.Add("what they miss", document.Sentences(missed...))
	}
}

// restSection says where all is that a terminal does not show first.
func restSection(d *document.Document, r reported) {
	if r.brief && len(r.c.Results) > 0 {
		d.Add("", document.Paragraph{Label: "all of it", Text: "weir report -v " + r.c.ID})
	}
}

// procedureSection is what trials the results took, and what their values are.
func procedureSection(d *document.Document, r reported) {
	list := procedures(r.Whole, r.All)
	if len(list) == 0 || r.All.Imported || r.brief {
		return
	}
	var all []string
	for _, p := range list {
		all = append(all, p.Heading+": "+p.String())
	}
	d.Fold("measured", "measured")
	d.Add("measured", document.Sentences(append(all, explanations(r.Whole, r.All)...)...))
}
