package report

import (
	"bytes"
	"fmt"
	"strings"

	"weir"
	"weir/internal/proof"
)

// matrixWidth is how wide a matrix may be as text before its groups of columns
// stand below each other.
const matrixWidth = 100

// textStudy writes what an experiment found, after its first line.
func textStudy(b *bytes.Buffer, s study, c weir.Campaign) {
	paragraph(b, "", "experiment: "+s.design())
	if m := c.Manifest.Imported; m != nil {
		for _, note := range m.Notes {
			paragraph(b, "", note)
		}
	}
	for _, m := range s.matrices() {
		fmt.Fprintf(b, "\n%s\n", m.Title)
		m.text(b, matrixWidth)
	}
	item(b, "", s.key())
	textVerdicts(b, s)
	textTerms(b, s)
	for i, block := range s.blocks() {
		if i == 0 { // the page has them all
			fmt.Fprintf(b, "\nministat, %s, %s\n%s", block.Title, s.unit(), block.Text)
		}
	}
	if t := s.readings(c); len(t.Rows) > 0 {
		fmt.Fprintf(b, "\nwhat the DUT's machine said, %s\n", t.Subject)
		textTable(b, "  ", t.table)
	}
}

// unit is that of the values of the comparison that leads.
func (s study) unit() string {
	if l := s.led(); len(l) > 0 && l[0].Unit != "" {
		return l[0].Unit
	}
	return "values"
}

// key is what the marks and the numbers of the matrices are.
func (s study) key() string {
	return strings.TrimPrefix(strings.Join(s.legend(), "; ")+". ", ". ") + s.note()
}

// textVerdicts writes the table of verdicts and what goes with it.
func textVerdicts(b *bytes.Buffer, s study) {
	b.WriteString("\nverdicts\n")
	textTable(b, "  ", s.verdictTable(s.values()))
	if text := s.gained(); text != "" {
		item(b, "", text)
	}
	if list := s.figures(); len(effectsOf(list)) > 0 {
		fmt.Fprintf(b, "\non %s\n", figureTitle(list))
		textTable(b, "  ", s.verdictTable(list))
	}
	for _, part := range s.parts() {
		fmt.Fprintf(b, "\n%s\n", part.Title)
		for _, line := range part.Lines {
			item(b, "", line)
		}
	}
}

// textTerms writes the effects of a factorial.
func textTerms(b *bytes.Buffer, s study) {
	for _, t := range s.effectTables() {
		fmt.Fprintf(b, "\neffects of the factors on %s\n", t.Title)
		textTable(b, "  ", t.table)
		if t.Vetoed != "" {
			item(b, "", "not proven: "+t.Vetoed)
		}
	}
}

// figureTitle names what was found beside the values.
func figureTitle(list []proof.Comparison) string {
	if several(list) {
		return "what else was measured"
	}
	return measure(list[0])
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
