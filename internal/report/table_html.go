package report

import (
	_ "embed"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

//go:embed page/table.html
var tableText string

// pageFuncs are what templates call.
var pageFuncs = template.FuncMap{
	"proper": proper,
	"number": func(i int) int { return i + 1 },
}

// proper gives a text the letters that a page has, and keeps numbers and their units
// together.
func proper(text string) string {
	text = withUnit.ReplaceAllString(text, "$1\u00a0$2")
	return properLetters.Replace(microseconds.ReplaceAllString(text, "µs"))
}

var (
	withUnit      = regexp.MustCompile(`(\d) (kpps|%|[MG]bit/s|MB/s|us|s trials)`)
	microseconds  = regexp.MustCompile(`\bus\b`)
	properLetters = strings.NewReplacer("-octet", "\u2011octet", "s trials", "s\u00a0trials", "<->", "↔", "->", "→", " +/- ", "\u00a0±\u00a0", "+-", "±\u00a0")
)

// Units reports whether there is a second line of headings.
func (t table) Units() bool {
	return slices.ContainsFunc(t.Columns, func(h heading) bool { return h.Unit != "" })
}

// A head is a heading over one or more columns.
type head struct {
	Text string
	Span int
}

// Groups are the headings with the numbers of columns below them.
func (t table) Groups() []head {
	var out []head
	for i, h := range t.Columns {
		if i > 1 && h.Head == "" && !h.Start {
			out[len(out)-1].Span++
		} else {
			out = append(out, head{h.Head, 1})
		}
	}
	return out
}

// Class is that of the cells below a heading.
func (h heading) Class() string {
	switch {
	case h.Words:
		return "text"
	case h.Start:
		return "start"
	}
	return ""
}
