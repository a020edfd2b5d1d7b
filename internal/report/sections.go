package report

import (
	"fmt"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// A detail is how much a document has.
type detail int

// The details, each with more than those before it.
const (
	glance detail = iota // of sweeps what a screen has room for
	brief                // of results their values, of runs their verdicts
	usual                // with what results are of, and what claims miss
	full                 // with the curves of results
	page                 // with pictures, all trials, and what is folded
)

// reported is a campaign with what a document of it shows.
type reported struct {
	view
	c      weir.Campaign // all of it
	raw    weir.Campaign // with its names as they are
	detail detail
	Options
}

// sections are those of a document, in its order, with the least and the most detail that have
// them. To add one, write it in a file of its own and enter it here.
var sections = []struct {
	add      func(*document.Document, reported)
	from, to detail
}{
	{glanceFound, glance, glance},
	{glanceFurther, glance, glance},
	{glanceEnd, glance, glance},
	{answerSection, brief, page},
	{identitySection, brief, page},
	{pictureSection, page, page},
	{resultSections, brief, page},
	{studySections, brief, page},
	{chartSections, page, page},
	{warningSections, brief, page},
	{claimSections, brief, page},
	{procedureSection, usual, page},
	{restSection, brief, brief},
	{readingSection, page, page},
	{ledgerSection, page, page},
	{profileSection, page, page},
	{trialSections, glance, page},
	{manifestSection, page, page},
	{dataSection, page, page},
}

// reportedOf prepares a campaign for a document of some detail.
func reportedOf(c weir.Campaign, how detail, o Options) reported {
	r := reported{c: figures.Printable(c), raw: c, detail: how, Options: o}
	r.view = viewOf(r.c)
	return r
}

// document returns the sections that its detail has.
func (r reported) document() document.Document {
	var d document.Document
	for _, s := range sections {
		if s.from <= r.detail && r.detail <= s.to {
			s.add(&d, r)
		}
	}
	d.Refer(figures.RemarksOf(r.c.Manifest.Notes))
	return d
}

// answerSection are what was found, in a sentence each.
func answerSection(d *document.Document, r reported) {
	var found []document.Block
	mark := figures.SimulatedMark(r.c)
	plain, any := r.plain()
	if any {
		found = append(found, figures.Headline(plain.Campaign, plain.Grid))
	}
	for i, s := range r.answers() {
		if i > 0 && r.detail == page {
			break // a page has it where it is about that factor
		}
		if i == 0 && !any {
			found = append(found, document.Title{Text: mark + s.answer()})
		} else {
			found = append(found, document.Paragraph{Text: mark + s.answer(), Strong: true})
		}
		found = append(found, document.Paragraph{Text: s.against(r.detail == page && !any)})
	}
	d.Add("", found...)
}

// ending says how a campaign that is not complete ended.
func ending(c weir.Campaign) string {
	if c.Ended == "" {
		return "it still runs, or was killed; this is what was measured so far"
	}
	return c.HowEnded() + "; this is what was measured until then"
}

// identitySection is which campaign this is, where it was measured, how it ended, and what
// disturbed it.
func identitySection(d *document.Document, r reported) {
	var all []document.Block
	if figures.Simulated(r.c) && r.detail < page { // the heading of a page is where one looks first
		all = append(all, document.Paragraph{Label: "SIMULATED", Text: "these are figures of a model, not of a machine"})
	}
	named := "campaign " + r.c.ID
	if r.detail == page {
		all, named = append(all, r.badge()), r.named()
	}
	if of := figures.Origin(r.c.Manifest, r.All); r.detail == page {
		all = append(all, document.Paragraph{Text: named + document.On(": ", of)})
	} else {
		all = append(all, document.Paragraph{Text: named}, document.Paragraph{Text: of})
	}
	if r.c.Ended != weir.EndedComplete {
		if r.detail < page {
			all = append(all, document.Paragraph{Label: "not complete", Text: ending(r.c)})
		}
		var why document.List
		for _, one := range r.c.Reasons() {
			e := document.Entry{Text: one.Text}
			if len(one.Log) > 0 {
				e.Under = []document.Entry{{Text: "last lines of its log:", Under: document.Sentences(one.Log...)}}
			}
			why = append(why, e)
		}
		all = append(all, why)
	}
	for _, part := range []*view{&r.view, r.Plain} {
		if part == nil || r.detail == page {
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

// disturbedBy returns the campaign whose trials disturbed a view.
func (v view) disturbedBy(all weir.Campaign) weir.Campaign {
	if v.Experiment {
		return all
	}
	return v.Campaign
}

// modelMark precedes every claim of a simulated campaign.
func modelMark(c weir.Campaign) string {
	if figures.Simulated(c) {
		return "SIMULATED "
	}
	return ""
}

// warningSections are those of results, and of the trials of runs.
func warningSections(d *document.Document, r reported) {
	if plain, any := r.plain(); any {
		var all document.List
		for _, one := range figures.GroupWarnings(plain.Grid) {
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
	list := figures.Claims(r.All)
	if r.All.Imported {
		return
	}
	var earned document.List
	var missed []string
	for i, e := range list {
		one := document.Entry{Text: fmt.Sprintf("[%d] %s%s", i+1, modelMark(r.c), e)}
		if r.detail == page && len(e.Demands) > 0 {
			one.Tables = []document.Captioned{{Name: fmt.Sprintf("checklist of %d", len(e.Demands)), Table: document.TableOf(figures.DemandColumns, e.Lines())}}
		}
		earned = append(earned, one)
	}
	for _, m := range misses(list) {
		missed = append(missed, m.Refs+" "+m.Text)
	}
	d.Fold("claims", "claims")
	d.Add("claims", earned)
	if r.detail > brief {
		d.Add("what they miss", document.Sentences(missed...))
	}
}

// restSection says where to find what a terminal does not show first.
func restSection(d *document.Document, r reported) {
	if len(r.c.Results) > 0 {
		d.Add("", document.Paragraph{Label: "all of it", Text: "weir report -v " + r.c.ID})
	}
}

// procedureSection is what trials the results took, and what their values are.
func procedureSection(d *document.Document, r reported) {
	list := figures.Procedures(r.Complete, r.All)
	if len(list) == 0 || r.All.Imported {
		return
	}
	var all []string
	for _, p := range list {
		all = append(all, p.Heading+": "+p.String())
	}
	d.Fold("measured", "measured")
	d.Add("measured", document.Sentences(append(all, figures.Explanations(r.Complete, r.All)...)...))
}
