package report

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown writes a document for a forge or a wiki.
func (d document) markdown(b *bytes.Buffer) {
	begun := false
	apart := func() { // an empty line between any two blocks
		if begun {
			b.WriteByte('\n')
		}
		begun = true
	}
	for _, s := range d {
		if s.Title != "" && (len(s.Blocks) > 0 || s.By) {
			apart()
			level := "##"
			if s.By {
				level = "#"
			}
			fmt.Fprintf(b, "%s %s\n", level, md(capitalised(s.Title)))
		}
		for _, one := range s.Blocks {
			apart()
			switch one := one.(type) {
			case titleBlock:
				fmt.Fprintf(b, "# %s\n", md(capital(one.String())))
			case textBlock:
				b.WriteString(one.markdown() + "\n")
			case listBlock:
				markdownList(b, "", one)
				markdownTables(b, one)
			case table:
				one.markdown(b)
				for _, note := range one.footnotes() {
					fmt.Fprintf(b, "\n%s\n", md(note.Text))
				}
			case verbatimBlock:
				fmt.Fprintf(b, "```\n%s```\n", string(one))
			}
		}
	}
}

func (t textBlock) markdown() string {
	text := md(sentence(t.Text))
	switch {
	case t.Label != "":
		return "**" + md(capitalised(t.Label)) + "**: " + text
	case t.Strong:
		return "**" + md(sentence(capital(t.Text))) + "**"
	}
	return capitalised(text)
}

// sentence is text with a full stop, unless it ends with something like it.
func sentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".:!?") {
		return text
	}
	return text + "."
}

func markdownList(b *bytes.Buffer, indent string, list []entry) {
	for _, e := range list {
		text := md(e.Text)
		if e.Label != "" {
			text = strings.TrimSpace("**" + md(e.Label) + "** " + text)
		}
		if e.Advice != "" {
			text = sentence(text) + " " + md(e.Advice)
		}
		fmt.Fprintf(b, "%s- %s\n", indent, text)
		markdownList(b, indent+"  ", e.Under)
	}
}

// markdownTables writes the tables of a list behind it, as a list has no room for
// them.
func markdownTables(b *bytes.Buffer, list []entry) {
	for _, e := range list {
		for _, t := range e.Tables {
			fmt.Fprintf(b, "\n### %s: %s\n\n", md(t.Of), md(t.Name))
			t.markdown(b)
		}
	}
}

func (t table) markdown(b *bytes.Buffer) {
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("| " + md(strings.TrimSpace(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.heads())
	b.WriteString("|:--" + strings.Repeat("|--:", len(t.Columns)-1) + "|\n")
	for _, row := range t.Rows {
		line(inWords(row))
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`, "\n", " ")

// md is text that Markdown shows as it is.
func md(s string) string { return markdownEscapes.Replace(s) }

// capitalised is a heading's first letter in capitals.
func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// capital is a sentence that begins with a word, and not with a name that has
// its own way of being written.
func capital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if first != "no" && first != "stateful" && first != "stateless" {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// on is text after a word, if there is any.
func on(word, text string) string {
	if text == "" {
		return ""
	}
	return word + text
}
