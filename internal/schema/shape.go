package schema

import (
	"cmp"
	"slices"
	"strings"
)

// Shape describes what may be written for a value: a single word, one of some words, a list or an
// object, or any of several of these.
type Shape struct {
	Kind      Kind   // of a word; "": it is none, or one of Words
	Low, High string // bounds of a word that is a number, as they are written; "": none
	Words     []string
	Items     *Shape // of a list; a single item may stand without brackets, unless Least is more than 1
	Least     int    // items of a list; 0: one
	Fields    []Described
	Either    []Shape
	Named     string // what it is called, which messages about an object have, too; "": it has no name
}

// Described is a field for documents and editors.
type Described struct {
	Key      string
	Means    string // in Markdown; lists have its first clause alone (Brief)
	Default  string // in Markdown; "": it has to be there, or has none
	Needed   bool   // what reads the object refuses one without it
	Prefixed bool   // there may be several, whose keys begin with the regular expression Key
	Shape    Shape
}

// Kind is a way to write a word.
type Kind string

// The ways to write a word.
const (
	Text               Kind = "text"
	Whole              Kind = "whole number"
	Scaled             Kind = "number with a scale"
	ScaledWhole        Kind = "whole number with a scale"
	Number             Kind = "number"
	Percentage         Kind = "percentage"
	PercentageOrNumber Kind = "percentage or number"
	Span               Kind = "duration"
	YesOrNo            Kind = "yes or no"
	FileSize           Kind = "size of a file"
	Any                Kind = "anything" // no word alone: whatever YAML has
)

// Anything describes a value of which documents know nothing.
var Anything = Shape{Kind: Any}

// Choice describes a word that is one of some.
func Choice(words ...string) Shape { return Shape{Words: words} }

// ListOf describes a list.
func ListOf(items Shape) Shape { return Shape{Items: &items} }

// Levels describes a list of at least two items.
func Levels(items Shape) Shape { return Shape{Items: &items, Least: 2} }

// Object describes an object, by what messages call it.
func Object(named string, fields ...Described) Shape { return Shape{Named: named, Fields: fields} }

// Either describes a value that has one of several shapes.
func Either(shapes ...Shape) Shape { return Shape{Either: shapes} }

// Call returns the shape with a name, unless it has one: an editor's schema has it once by that.
func (s Shape) Call(name string) Shape {
	s.Named = cmp.Or(s.Named, name)
	return s
}

// Table returns fields as a table in Markdown for a page, whose links to itself need no name.
// Where no field has a default there is no column of them.
func Table(page string, fields []Described) string {
	defaults := slices.ContainsFunc(fields, func(f Described) bool { return f.Default != "" })
	var text strings.Builder
	text.WriteString("| field | meaning |")
	if defaults {
		text.WriteString(" default |")
	}
	text.WriteString("\n|---|---|")
	if defaults {
		text.WriteString("---|")
	}
	for _, f := range fields {
		text.WriteString("\n| `" + f.Key + "` | " + f.Means + " |")
		if defaults {
			text.WriteString(strings.TrimRight(" "+f.Default, " ") + " |")
		}
	}
	return strings.ReplaceAll(text.String(), "]("+page+"#", "](#") + "\n"
}

// Brief returns the first clause of text in Markdown, without its marks: up to a semicolon or full
// stop outside of parentheses.
func Brief(markdown string) string {
	text, open := Plain(markdown), 0
	for i := range len(text) - 1 {
		switch end := text[i : i+2]; {
		case text[i] == '(':
			open++
		case text[i] == ')':
			open--
		case open == 0 && (end == "; " || end == ". "):
			return text[:i]
		}
	}
	return text
}

// Plain returns text in Markdown without its marks: links as their words, code as it is.
func Plain(markdown string) string {
	var out strings.Builder
	for rest := markdown; ; {
		before, link, found := strings.Cut(rest, "](")
		open := strings.LastIndex(before, "[")
		_, after, closed := strings.Cut(link, ")")
		if !found || open < 0 || !closed {
			out.WriteString(rest)
			break
		}
		out.WriteString(before[:open] + before[open+1:])
		rest = after
	}
	return strings.NewReplacer("`", "", "**", "").Replace(out.String())
}
