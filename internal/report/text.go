package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"weir"
)

// textWidth is what prose is wrapped to.
const textWidth = 96

func writeText(w io.Writer, c weir.Campaign, o Options) error {
	var b bytes.Buffer
	v := viewOf(c)
	if plain, any := v.plain(); any && len(plain.Grid.Knees) > 0 && !o.Verbose {
		textBrief(&b, v, c, o.width())
	} else {
		textFull(&b, v, c, o.Verbose)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// textFull writes all that is known of a campaign. What runs beside other results
// have found is its answer alone where not everything is wanted.
func textFull(b *bytes.Buffer, v view, c weir.Campaign, verbose bool) {
	mark := ""
	if simulated(c) {
		mark = "   SIMULATED: these are figures of a model, not of a machine"
	}
	plain, any := v.plain()
	if any && (v.Experiment || len(plain.Grid.Knees) > 0) {
		paragraph(b, "", modelMark(c)+headline(plain.Campaign, plain.Grid))
	}
	if v.Experiment {
		for _, s := range append([]study{v.Study}, v.Others...) {
			paragraph(b, "", modelMark(c)+s.answer())
			paragraph(b, "", s.against())
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "campaign %s%s\n", c.ID, mark)
	paragraph(b, "", origin(c.Manifest, v.All))
	textEnding(b, c)
	for _, part := range []*view{&v, v.Plain} {
		if part == nil {
			continue
		}
		if label, text := part.hindrance(part.hindered(c)); text != "" {
			paragraph(b, "", label+": "+text)
		}
	}
	b.WriteByte('\n')
	if any {
		textTables(b, plain, verbose)
	}
	if v.Experiment && (v.Plain == nil || verbose) {
		if v.Plain != nil {
			b.WriteByte('\n')
		}
		textStudy(b, v, c)
		textTables(b, v, verbose)
	}
	textDoubts(b, v, c)
	if list := claims(v.All); len(list) > 0 && !v.All.Imported {
		b.WriteString("\nclaims\n")
		for i, e := range list {
			item(b, "", fmt.Sprintf("[%d] %s%s", i+1, modelMark(c), e))
		}
		if missed := misses(list); len(missed) > 0 {
			b.WriteString("what they miss\n")
			for _, m := range missed {
				item(b, "", m.Refs+" "+m.Text)
			}
		}
	}
	if list := procedures(v.Whole, v.All); len(list) > 0 && !v.All.Imported {
		b.WriteString("\nmeasured\n")
		for _, p := range list {
			item(b, "", fmt.Sprintf("%s: %s", p.Heading, p))
		}
		for _, text := range explanations(v.Whole, v.All) {
			item(b, "", text)
		}
	}
}

// hindered is the campaign whose trials stood in the way of a view.
func (v view) hindered(all weir.Campaign) weir.Campaign {
	if v.Experiment {
		return all
	}
	return v.Campaign
}

// textEnding says why a campaign is not complete.
func textEnding(b *bytes.Buffer, c weir.Campaign) {
	if c.Ended == "complete" {
		return
	}
	paragraph(b, "", "not complete: "+ending(c))
	for _, r := range reasons(c) {
		item(b, "", r.Text)
		if len(r.Log) > 0 {
			item(b, "  ", "last lines of its log:")
		}
		for _, line := range r.Log {
			item(b, "    ", line)
		}
	}
}

// textTables writes the numbers of a view: its tables, and what has no column in
// them.
func textTables(b *bytes.Buffer, v view, curves bool) {
	g := v.Grid
	t, further := v.tables(curves)
	knees := sweptTable(g, tableWidth)
	if len(knees.Rows)+len(t.Rows) > 0 && v.Experiment {
		b.WriteString("\nmedians of the runs\n")
	}
	if len(knees.Rows) > 0 {
		textTable(b, "", knees)
		for _, line := range sweptNotes(g) {
			item(b, "", line)
		}
		if len(t.Rows) > 0 || len(further) > 0 {
			b.WriteByte('\n')
		}
	}
	if len(g.Rows) == 0 && !v.Experiment {
		b.WriteString("no results\n")
	} else if len(t.Rows) > 0 {
		textTable(b, "", t)
		if len(further) > 0 {
			b.WriteByte('\n')
		}
	}
	textTransfers(b, v)
	if len(transfersOf(g).Rows) > 0 && len(further) > 0 {
		b.WriteByte('\n')
	}
	textFurther(b, further)
	if mbits, from := imixEstimate(g); mbits != "" {
		fmt.Fprintf(b, "\nIMIX estimate from %s: %s Mbit/s\n", from, mbits)
	}
}

// textDoubts writes the warnings of results and of the trials of runs.
func textDoubts(b *bytes.Buffer, v view, c weir.Campaign) {
	if plain, any := v.plain(); any {
		list := doubts(plain.Grid)
		if len(list) > 0 {
			b.WriteString("\nwarnings (!)\n")
		}
		for _, d := range list {
			head := fmt.Sprintf("%s (%s):", d.Code, d.Where())
			if texts := d.Texts(); len(texts) == 1 {
				item(b, "", head+" "+texts[0])
			} else {
				item(b, "", head)
				for _, text := range texts {
					item(b, "  ", text)
				}
			}
		}
	}
	if !v.Experiment {
		return
	}
	list := v.warned(c)
	if len(list) > 0 {
		fmt.Fprintf(b, "\n%s (!)\n", ofTrials)
	}
	for _, line := range list {
		item(b, "", line)
	}
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

// item writes a paragraph of a list.
func item(b *bytes.Buffer, indent, text string) { paragraph(b, "  "+indent, text) }

// paragraph writes wrapped text with a hanging indent.
func paragraph(b *bytes.Buffer, prefix, text string) { wrapped(b, prefix, text, textWidth) }

// wrapped is paragraph for a width.
func wrapped(b *bytes.Buffer, prefix, text string, width int) {
	n := 0
	for i, word := range slices.Collect(strings.FieldsSeq(text)) {
		switch length := utf8.RuneCountInString(word); {
		case i == 0:
			n, _ = b.WriteString(prefix + word)
		case n+1+length > width:
			b.WriteByte('\n')
			n, _ = b.WriteString(prefix + "  " + word)
		default:
			b.WriteString(" " + word)
			n += 1 + length
		}
	}
	b.WriteByte('\n')
}
