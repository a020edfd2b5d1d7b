package document

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// textWidth is what prose is wrapped to.
	TextWidth = 96
	// tableWidth is how wide a table may be as text: the columns of a wider matrix
	// are below each other, and other tables leave columns to the page.
	TableWidth = 100
)

// WriteText writes a document for a terminal, with prose and tables of some width: what is
// under a heading is indented.
func (d Document) WriteText(b *bytes.Buffer, prose, tables int) {
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
			case Title:
				WriteWrapped(b, indent, one.String(), prose)
			case Paragraph:
				text := one.Text
				if one.Label != "" {
					text = one.Label + ": " + text
				}
				WriteWrapped(b, indent, text, prose)
			case List:
				textList(b, "  ", one, prose)
			case Table:
				one.WriteText(b, indent, tables)
				textList(b, "  ", one.footnotes(), prose)
			case Verbatim:
				b.WriteString(string(one))
			}
		}
	}
}

func textList(b *bytes.Buffer, indent string, list []Entry, width int) {
	for _, e := range list {
		WriteWrapped(b, indent, strings.TrimSpace(e.Label+" "+e.Text), width)
		textList(b, indent+"    ", e.Under, width)
		for _, t := range e.Tables {
			WriteWrapped(b, indent+"    ", t.Name, width)
			t.Table.WriteText(b, indent+"    ", TableWidth)
		}
	}
}

// wordsOf returns the words of a text, a number with its unit as one.
func wordsOf(text string) (words []string) {
	for word := range strings.FieldsSeq(text) {
		last := len(words) - 1
		if last >= 0 && isUnit(word) && unicode.IsDigit(rune(words[last][len(words[last])-1])) {
			words[last] += " " + word
			continue
		}
		words = append(words, word)
	}
	return words
}

// isUnit reports whether a word, with what punctuates it, is a unit that stands behind numbers.
func isUnit(word string) bool {
	return slices.Contains([]string{"%", "kpps", "Mbit/s", "Gbit/s", "frames/s", "us", "ms", "ns", "s"}, strings.TrimRight(word, ".,;:)"))
}

// WriteWrapped writes a paragraph for a width, with a hanging indent.
func WriteWrapped(b *bytes.Buffer, prefix, text string, width int) {
	n := 0
	for i, word := range wordsOf(text) {
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
