package document

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"weir/internal/chart"
)

var (
	//go:embed page/document.html
	pageText string
	//go:embed page/document.css
	pageStyle string

	pageTemplate = template.Must(template.New("document").Funcs(template.FuncMap{
		"capital":  func(text string) string { return Proper(Capitalised(text)) },
		"sentence": func(text string) string { return Proper(Sentence(Capital(text))) },
		"proper":   Proper,
		"unbroken": func(text string) string { return unbroken(Capital(text)) },
		"number":   func(i int) int { return i + 1 },
		"blank":    func(text string) bool { return strings.TrimSpace(text) == "" },
	}).Parse(pageText))
)

// A pagePart is a part of a page: sections in a frame.
type pagePart struct {
	Section
	Sections []Section
}

// A Site is what a page is part of, where it is no file of its own.
type Site struct {
	Style, Script string        // addresses of Style and chart.Script; "": they are in the page
	Icon          string        // address of the picture that browsers show beside the title; ""
	Live          string        // address of another script; ""
	Above         template.HTML // before all of the document
	Data          string        // address of the state of the page, which Live follows; ""
}

// Style returns what pages look like, charts among them.
func Style() template.CSS { return chart.Colors() + template.CSS(pageStyle) + chart.Style() }

// WriteHTML writes a document as one file that needs nothing else.
func (d Document) WriteHTML(b *bytes.Buffer) error { return d.WritePage(b, Site{}) }

// WritePage writes a document as a page of a site.
func (d Document) WritePage(b *bytes.Buffer, site Site) error {
	var head []Section
	var parts []pagePart
	var titles []string
	var script template.JS
	for _, s := range d {
		switch {
		case s.By:
			s.ID = "by-" + strings.ReplaceAll(s.Title, " ", "-")
			parts = append(parts, pagePart{Section: s})
		case s.ID != "":
			for slices.ContainsFunc(parts, func(p pagePart) bool { return p.ID == s.ID }) {
				s.ID += "-more" // those of another factor
			}
			parts = append(parts, pagePart{Section: s})
		case len(parts) == 0:
			head = append(head, s)
		default:
			last := &parts[len(parts)-1]
			if last.By {
				parts = append(parts, pagePart{})
				last = &parts[len(parts)-1]
			}
			last.Sections = append(last.Sections, s)
		}
		for _, one := range s.Blocks {
			switch one := one.(type) {
			case Title:
				titles = append(titles, one.Text)
			case ChartSet:
				script = chart.Script()
			}
		}
	}
	parts = slices.DeleteFunc(parts, func(p pagePart) bool { return len(p.Sections) == 0 && !p.By })
	return pageTemplate.Execute(b, struct {
		Title  string
		Style  template.CSS
		Script template.JS
		Head   []Section
		Parts  []pagePart
		Site   Site
	}{Capital(strings.Join(titles, " ")), Style(), script, head, parts, site})
}

// Figures are the charts, the last one of an odd number with all the width.
func (c ChartSet) Figures() []template.HTML {
	var out []template.HTML
	for i, one := range c.Charts {
		one.Title = Proper(one.Title)
		if len(c.Charts)%2 == 1 && i == len(c.Charts)-1 {
			out = append(out, one.HTML(1040, 330))
		} else {
			out = append(out, one.HTML(520, 310))
		}
	}
	return out
}

// URL is where a file is, or the file itself in an address.
func (f File) URL() template.URL {
	if f.Address != "" {
		return template.URL(f.Address)
	}
	return template.URL("data:" + f.Type + ";base64," + base64.StdEncoding.EncodeToString(f.Data))
}

// Units reports whether there is a second line of headings.
func (t Table) Units() bool {
	return slices.ContainsFunc(t.Columns, func(h Heading) bool { return h.Unit != "" })
}

// A head is a heading over one or more columns.
type head struct {
	Heading
	Span int
}

// Groups are the headings with the numbers of columns below them.
func (t Table) Groups() []head {
	var out []head
	for i, h := range t.Columns {
		if i > 1 && h.Head == "" && !h.Start {
			out[len(out)-1].Span++
		} else {
			out = append(out, head{h, 1})
		}
	}
	return out
}

// Class is that of the cells below a heading.
func (h Heading) Class() string {
	switch {
	case h.Words:
		return "text"
	case h.Start:
		return "start"
	}
	return ""
}

// Proper gives a text the letters that a page has.
func Proper(text string) string {
	return properLetters.Replace(microseconds.ReplaceAllString(text, "µs"))
}

// unbroken is a heading that does not break within a number and its unit.
func unbroken(text string) string {
	return unbrokenLetters.Replace(withUnit.ReplaceAllString(Proper(text), "$1\u00a0$2"))
}

var (
	withUnit        = regexp.MustCompile(`(\d) (kpps|%|[MG]bit/s|MB/s|µs|s\b)`)
	microseconds    = regexp.MustCompile(`\bus\b`)
	unbrokenLetters = strings.NewReplacer("-octet", "\u2011octet", "± ", "±\u00a0")
	properLetters   = strings.NewReplacer("<->", "↔", "->", "→", " +/- ", " ± ", "+-", "± ")
)
