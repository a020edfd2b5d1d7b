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

func writeText(w io.Writer, c weir.Campaign) error {
	var b bytes.Buffer
	v := viewOf(c)
	g := v.Grid
	mark := ""
	if simulated(c) {
		mark = "   SIMULATED: these are figures of a model, not of a machine"
	}
	if v.Experiment {
		for _, s := range append([]study{v.Study}, v.Others...) {
			paragraph(&b, "", modelMark(c)+s.answer())
			paragraph(&b, "", s.against())
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "campaign %s%s\n", c.ID, mark)
	paragraph(&b, "", origin(c.Manifest, g))
	if c.Ended != "complete" {
		paragraph(&b, "", "not complete: "+ending(c))
		for _, r := range reasons(c) {
			item(&b, "", r.Text)
			if len(r.Log) > 0 {
				item(&b, "  ", "last lines of its log:")
			}
			for _, line := range r.Log {
				item(&b, "    ", line)
			}
		}
	}
	if label, text := v.hindrance(c); text != "" {
		paragraph(&b, "", label+": "+text)
	}
	b.WriteByte('\n')
	if v.Experiment {
		textStudy(&b, v, c)
	}
	all := c
	c = v.Campaign
	t, further := v.tables(false)
	if len(g.Rows) == 0 && !v.Experiment {
		b.WriteString("no results\n")
	} else if len(t.Rows) > 0 {
		if v.Experiment {
			b.WriteString("\nmedians of the runs\n")
		}
		textTable(&b, "", t)
		if len(further) > 0 {
			b.WriteByte('\n')
		}
	}
	textTransfers(&b, v)
	if len(transfersOf(g).Rows) > 0 && len(further) > 0 {
		b.WriteByte('\n')
	}
	textFurther(&b, further)
	if mbits, from := imixEstimate(g); mbits != "" {
		fmt.Fprintf(&b, "\nIMIX estimate from %s: %s Mbit/s\n", from, mbits)
	}
	if list := v.warned(all); v.Experiment && len(list) > 0 {
		fmt.Fprintf(&b, "\n%s (!)\n", ofTrials)
		for _, line := range list {
			item(&b, "", line)
		}
	} else if list := doubts(g); len(list) > 0 {
		b.WriteString("\nwarnings (!)\n")
		for _, d := range list {
			head := fmt.Sprintf("%s (%s):", d.Code, d.Where())
			if texts := d.Texts(); len(texts) == 1 {
				item(&b, "", head+" "+texts[0])
			} else {
				item(&b, "", head)
				for _, text := range texts {
					item(&b, "  ", text)
				}
			}
		}
	}
	if list := claims(g); len(list) > 0 && !g.Imported {
		b.WriteString("\nclaims\n")
		for i, e := range list {
			item(&b, "", fmt.Sprintf("[%d] %s%s", i+1, modelMark(c), e))
		}
		if missed := misses(list); len(missed) > 0 {
			b.WriteString("what they miss\n")
			for _, m := range missed {
				item(&b, "", m.Refs+" "+m.Text)
			}
		}
	}
	if list := procedures(c, g); len(list) > 0 && !g.Imported {
		b.WriteString("\nmeasured\n")
		for _, p := range list {
			item(&b, "", fmt.Sprintf("%s: %s", p.Heading, p))
		}
		for _, text := range explanations(c, g) {
			item(&b, "", text)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
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

// A table is what text and Markdown show of a grid. Its first column holds
// words, the others numbers.
type table struct {
	Head, Units []string
	Rows        [][]string
	Words       []int // further columns that hold words
}

func tableOf(g grid) table {
	t := table{Head: []string{"frame"}, Units: []string{"octets"}}
	column := func(head, unit string) { t.Head, t.Units = append(t.Head, head), append(t.Units, unit) }
	for i, goal := range g.Goals {
		column(goalLabel(goal), "kpps")
		if i == 0 {
			column("", "Mbit/s")
		}
	}
	most := slices.ContainsFunc(g.Rows, func(w row) bool { return w.Most != nil })
	if most {
		column("FRMOL", "kpps")
	}
	latency := slices.ContainsFunc(g.Rows, func(w row) bool { return w.Latency != nil })
	if latency {
		if g.tagged() {
			column("latency", "tagged us")
			column("", "p50 us")
		} else {
			column("latency", "p50 us")
		}
		column("", "p99 us")
	}
	column("CPU", "%")
	column("", "ns/frame")
	if g.Runs != nil {
		column("", "runs")
	}
	if g.Imported {
		column("", "")
	} else {
		column("", "claim")
	}
	list := claims(g)
	for _, w := range g.Rows {
		if w.tabled() {
			t.Rows = append(t.Rows, w.cells(g, most, latency, list))
		}
	}
	return t
}

// Heads are the headings in one line each.
func (t table) Heads() []string {
	out := make([]string, len(t.Head))
	over := ""
	for i, head := range t.Head {
		if head != "" {
			over = head
		}
		out[i] = strings.TrimSuffix(over+", "+t.Units[i], ", ")
	}
	return out
}

// tagged reports whether the table has latencies of tagged frames.
func (g grid) tagged() bool {
	return slices.ContainsFunc(g.Rows, func(w row) bool { return tagged(w.Latency) })
}

func (w row) cells(g grid, most, latency bool, list []earned) []string {
	main := w.main(g.Goals)
	cells := []string{w.Label}
	for i, goal := range g.Goals {
		r := w.Rates[goal]
		cells = append(cells, rateCell(r))
		if i == 0 && r != nil && !unknown(r) {
			cells = append(cells, megabits(r.Value, w.Mean))
		} else if i == 0 {
			cells = append(cells, missing)
		}
	}
	if most {
		cells = append(cells, rateCell(w.Most))
	}
	switch {
	case g.tagged() && tagged(w.Latency):
		cells = append(cells, micros(w.Latency.Value))
	case g.tagged():
		cells = append(cells, missing)
	}
	switch {
	case w.Latency != nil && w.Latency.Latency != nil:
		cells = append(cells, micros(w.Latency.Latency.P50), micros(w.Latency.Latency.P99))
	case latency:
		cells = append(cells, missing, missing)
	}
	perFrame := nanos(main.CPUPerFrame)
	if unknown(main) {
		perFrame = missing // it is that of a load that the result does not name
	}
	if main.CPUShare > 0 && !unknown(main) {
		cells = append(cells, number(main.CPUShare*100, 0))
	} else {
		cells = append(cells, missing)
	}
	claim := fmt.Sprintf("[%d]", claimIndex(list, main.Claim)+1)
	if g.Imported {
		claim = ""
	}
	if w.doubted() {
		claim += " !"
	} else {
		claim += "  "
	}
	cells = append(cells, perFrame)
	if g.Runs != nil {
		cells = append(cells, g.runs(w))
	}
	return append(cells, claim)
}

func rateCell(r *weir.Result) string {
	if r == nil || unknown(r) {
		return missing
	}
	return kpps(r.Value)
}

// textTable writes t with aligned columns, two spaces between them.
func textTable(b *bytes.Buffer, indent string, t table) {
	lines := append([][]string{t.Head, t.Units}, t.Rows...)
	widths := make([]int, len(t.Head))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, line := range lines {
		if n == 1 && strings.Join(line, "") == "" {
			continue // no column has a unit
		}
		var s strings.Builder
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				s.WriteString(cell + pad)
			} else if slices.Contains(t.Words, i) {
				s.WriteString("  " + cell + pad)
			} else {
				s.WriteString("  " + pad + cell)
			}
		}
		b.WriteString(indent + strings.TrimRight(s.String(), " ") + "\n")
	}
}

// item writes a paragraph of a list.
func item(b *bytes.Buffer, indent, text string) { paragraph(b, "  "+indent, text) }

// paragraph writes wrapped text with a hanging indent.
func paragraph(b *bytes.Buffer, prefix, text string) {
	n := 0
	for i, word := range slices.Collect(strings.FieldsSeq(text)) {
		switch length := utf8.RuneCountInString(word); {
		case i == 0:
			n, _ = b.WriteString(prefix + word)
		case n+1+length > textWidth:
			b.WriteByte('\n')
			n, _ = b.WriteString(prefix + "  " + word)
		default:
			b.WriteString(" " + word)
			n += 1 + length
		}
	}
	b.WriteByte('\n')
}
