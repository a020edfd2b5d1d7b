package report

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// textWidth is what prose is wrapped to.
	textWidth = 96
	// tableWidth is how wide a table may be as text: the columns of a wider matrix
	// stand below each other, and other tables leave columns to the page.
	tableWidth = 100
)

// text writes a document for a terminal, with prose and tables of some width: what is
// under a heading is indented.
func (d document) text(b *bytes.Buffer, prose, tables int) {
	begun := false
	for _, s := range d {
		if len(s.Blocks) == 0 && !s.By {
			continue // it begins a part of a page
		}
		if begun {
			b.WriteByte('\n')
		}
		begun = true
		indent := ""
		if s.Title != "" {
			indent = "  "
		}
		switch {
		case s.By:
			b.WriteString("== " + s.Title + "\n")
		case s.Title != "":
			b.WriteString(s.Title + "\n")
		}
		for _, one := range s.Blocks {
			switch one := one.(type) {
			case titleBlock:
				wrapped(b, indent, one.String(), prose)
			case textBlock:
				text := one.Text
				if one.Label != "" {
					text = one.Label + ": " + text
				}
				wrapped(b, indent, text, prose)
			case listBlock:
				textList(b, "  ", one, prose)
			case table:
				one.text(b, indent, tables)
				textList(b, "  ", one.footnotes(), prose)
			case verbatimBlock:
				b.WriteString(string(one))
			}
		}
	}
}

func textList(b *bytes.Buffer, indent string, list []entry, width int) {
	for _, e := range list {
		wrapped(b, indent, strings.TrimSpace(e.Label+" "+e.Text), width)
		textList(b, indent+"    ", e.Under, width)
		for _, t := range e.Tables {
			wrapped(b, indent+"    ", t.Name, width)
			t.table.text(b, indent+"    ", tableWidth)
		}
	}
}

// wrapped writes a paragraph for a width, with a hanging indent.
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
