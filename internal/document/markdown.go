package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WriteMarkdown writes a document for a forge or a wiki.
func (d Document) WriteMarkdown(b *bytes.Buffer) {
	begun := false
	separate := func() { // an empty line between any two blocks
		if begun {
			b.WriteByte('\n')
		}
		begun = true
	}
	for _, s := range d {
		if s.Title != "" && (len(s.Blocks) > 0 || s.By) {
			separate()
			level := "##"
			if s.By {
				level = "#"
			}
			fmt.Fprintf(b, "%s %s\n", level, Escaped(Capitalised(s.Title)))
		}
		for _, one := range s.Blocks {
			separate()
			switch one := one.(type) {
			case Title:
				fmt.Fprintf(b, "# %s\n", Escaped(Capital(one.String())))
			case Paragraph:
				b.WriteString(one.markdown() + "\n")
			case List:
				markdownList(b, "", one)
				markdownTables(b, one)
			case Table:
				one.WriteMarkdown(b)
				for _, note := range one.footnotes() {
					fmt.Fprintf(b, "\n%s\n", Escaped(note.Text))
				}
			case Verbatim:
				fmt.Fprintf(b, "```\n%s```\n", string(one))
			}
		}
	}
}

func (t Paragraph) markdown() string {
	text := Escaped(Sentence(t.Text))
	switch {
	case t.Label != "":
		return "**" + Escaped(Capitalised(t.Label)) + "**: " + text
	case t.Strong:
		return "**" + Escaped(Sentence(Capital(t.Text))) + "**"
	}
	return Capitalised(text)
}

// Sentence is text with a full stop, unless it ends with something like it.
func Sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".:!?") {
		return text
	}
	return text + "."
}

func markdownList(b *bytes.Buffer, indent string, list []Entry) {
	for _, e := range list {
		text := Escaped(e.Text)
		if e.Label != "" {
			text = strings.TrimSpace("**" + Escaped(e.Label) + "** " + text)
		}
		if e.Advice != "" {
			text = Sentence(text) + " " + Escaped(e.Advice)
		}
		fmt.Fprintf(b, "%s- %s\n", indent, text)
		markdownList(b, indent+"  ", e.Under)
	}
}

// markdownTables writes the tables of a list behind it, as a list has no room for
// them.
func markdownTables(b *bytes.Buffer, list []Entry) {
	for _, e := range list {
		for _, t := range e.Tables {
			fmt.Fprintf(b, "\n### %s: %s\n\n", Escaped(t.Of), Escaped(t.Name))
			t.WriteMarkdown(b)
		}
	}
}

// WriteMarkdown writes a table for a forge or a wiki.
func (t Table) WriteMarkdown(b *bytes.Buffer) {
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + Escaped(strings.TrimSpace(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Heads())
	first := "|:--"
	if t.Columns[0].Numbers {
		first = "|--:"
	}
	b.WriteString(first + strings.Repeat("|--:", len(t.Columns)-1) + "|\n")
	for _, row := range t.Rows {
		line(InWords(row))
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "\n", " ")

// Escaped is text that Markdown shows as it is.
func Escaped(s string) string { return markdownEscapes.Replace(s) }

// Capitalised is a heading's first letter in capitals.
func Capitalised(s string) string {
	if s == "" {
		return s
	}
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// Capital is a sentence that begins with a word, and not with a name that has
// its own way of being written.
func Capital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if first != "no" && first != "stateful" && first != "stateless" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// On is text after a word, if there is any.
func On(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}
