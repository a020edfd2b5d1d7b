package report

import (
	"bytes"
	"fmt"
	"strings"

	"weir"
	"weir/internal/proof"
)

// tableWidth is how wide a table may be as text: the columns of a wider matrix
// stand below each other, and other tables leave columns to the page.
const tableWidth = 100

// textStudy writes what an experiment found, after its first line.
func textStudy(b *bytes.Buffer, v view, c weir.Campaign) {
	paragraph(b, "", "experiment: "+v.design())
	if m := c.Manifest.Imported; m != nil {
		for _, note := range m.Notes {
			paragraph(b, "", note)
		}
	}
	if len(v.Others) == 0 {
		textFound(b, v.Study)
	}
	for _, s := range v.several() {
		fmt.Fprintf(b, "\n== by %s, all else the same\n", s.by)
		textFound(b, s)
	}
	for i, block := range v.Study.blocks() {
		if i == 0 { // the page has them all
			fmt.Fprintf(b, "\nministat, %s, %s\n%s", block.Title, v.Study.unit(), block.Text)
		}
	}
	if t := v.Study.readings(c); len(t.Rows) > 0 {
		fmt.Fprintf(b, "\nwhat the DUT's machine said, %s\n", t.Subject)
		textTable(b, "  ", t.table)
	}
}

// textFound writes the numbers of a study and its verdicts.
func textFound(b *bytes.Buffer, s study) {
	for _, m := range s.matrices() {
		fmt.Fprintf(b, "\n%s\n", m.Title)
		m.text(b, tableWidth)
		textNotes(b, m)
	}
	if len(s.matrices()) > 0 {
		item(b, "", s.key())
	}
	textVerdicts(b, s)
	textTerms(b, s)
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

// textVerdicts writes the tables of verdicts and what goes with them.
func textVerdicts(b *bytes.Buffer, s study) {
	if t := s.noiseTable(); len(t.Rows) > 0 {
		b.WriteString("\nhow much runs of the unchanged DUT differ\n")
		textTable(b, "  ", t)
		item(b, "", s.noiseNote())
	} else {
		for _, list := range byMeasure(s.values()) {
			if len(effectsOf(list)) == 0 {
				continue
			}
			title := "verdicts"
			if several(s.values()) {
				title += " on " + measure(list[0])
			}
			fmt.Fprintf(b, "\n%s\n", title)
			textTable(b, "  ", s.verdictTable(list).fit(tableWidth-2))
		}
	}
	if text := s.gained(); text != "" {
		item(b, "", text)
	}
	for _, list := range byMeasure(s.figures()) {
		if len(effectsOf(list)) > 0 {
			fmt.Fprintf(b, "\non %s\n", measure(list[0]))
			textTable(b, "  ", s.verdictTable(list).fit(tableWidth-2))
		}
	}
	for _, part := range s.parts() {
		fmt.Fprintf(b, "\n%s\n", part.Title)
		for _, line := range part.Lines {
			item(b, "", line)
		}
	}
}

// byMeasure are comparisons in groups of one measure each.
func byMeasure(list []proof.Comparison) [][]proof.Comparison {
	var names []string
	of := make(map[string][]proof.Comparison)
	for _, c := range list {
		names = with(names, measure(c))
		of[measure(c)] = append(of[measure(c)], c)
	}
	out := make([][]proof.Comparison, len(names))
	for i, name := range names {
		out[i] = of[name]
	}
	return out
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
