package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// leastWidth is the narrowest terminal that text is made for, and usualWidth what
// is taken where nobody says.
const (
	leastWidth = 60
	usualWidth = document.TableWidth
)

// width is that of the terminal.
func (o Options) width() int {
	return max(leastWidth, min(cmp.Or(o.Width, usualWidth), document.TableWidth))
}

// screenLines is how many lines what is written first of a campaign has at most,
// as far as it is up to results that no table has: 30 with where the page lies.
const screenLines = 28

// briefOf is what matters first of a campaign with sweeps: what was found, how far that
// can be trusted, and what to do next.
func briefOf(v view, c weir.Campaign, width int) document.Document {
	plain, _ := v.plain()
	d, end := briefFound(plain, c), briefEnd(v, c)
	if list := figures.Beside(plain.Campaign, plain.Grid, width); len(list) > 0 {
		lines := func(d document.Document) int {
			var b bytes.Buffer
			d.WriteText(&b, width, width)
			return bytes.Count(b.Bytes(), []byte("\n")) + 1 // with an empty one
		}
		room := max(screenLines-lines(d)-lines(end), 1)
		var shown strings.Builder
		for i, text := range list {
			if i == room-1 && len(list) > room {
				more := fmt.Sprintf("and %d more", len(list)-i)
				if i == 0 {
					more = fmt.Sprintf("%d further %s", len(list), figures.Plural(len(list), "result"))
				}
				fmt.Fprintf(&shown, "%s: weir report -v %s\n", more, c.ID)
				break
			}
			fmt.Fprintln(&shown, cutTo(text, width))
		}
		d.Add("", document.Verbatim(shown.String()))
	}
	d = append(d, end...)
	d.Refer(figures.RemarksOf(c.Manifest.Notes))
	return d
}

// cutTo is a text in one line of a width.
func cutTo(text string, width int) string {
	text = strings.Join(strings.Fields(text), " ")
	if all := []rune(text); len(all) > width {
		return strings.TrimSpace(string(all[:width-4])) + " ..."
	}
	return text
}

// briefFound is the answer of what was measured once, and its tables.
func briefFound(plain view, c weir.Campaign) (d document.Document) {
	g := plain.Grid
	found := []document.Block{figures.Headline(plain.Campaign, g)}
	if c.Ended != weir.EndedComplete {
		found = append(found, document.Paragraph{Text: "Not complete: " + ending(c) + "."})
		for i, r := range c.Reasons() {
			if i == maxClauses {
				found = append(found, document.Paragraph{Text: fmt.Sprintf("and %d more", len(c.Reasons())-i)})
				break
			}
			found = append(found, document.Paragraph{Text: r.Text})
		}
	}
	d.Add("", found...)
	d.Add("", append([]document.Block{figures.SweptTable(g)}, document.Paragraphs(append(figures.SweptNotes(g), figures.SweptTerms(g)))...)...)
	if t := figures.ResultsTable(g); len(t.Rows) > 0 {
		d.Add("", append([]document.Block{t}, document.Paragraphs(g.Contradictions())...)...)
	}
	return d
}

// briefEnd is how far that can be trusted, what runs have found, and what to do
// next.
func briefEnd(v view, c weir.Campaign) (d document.Document) {
	plain, _ := v.plain()
	trust := figures.TrustOf(c, plain.Grid)
	var all []string
	for _, cause := range figures.Causes(c.Trials...) {
		all = append(all, "First: "+cause.Text+".")
	}
	for _, limit := range figures.WhatLimits(plain.Grid) {
		all = append(all, "Limit: "+limit+".")
	}
	all = append(all, "Trust: "+trust.String()+".")
	for _, s := range v.answers() {
		text := document.Capital(s.answer())
		if left := s.leftText(); left != "" && s.noVerdict() != "" {
			text += "; " + left
		}
		all = append(all, text+".")
	}
	d.Add("", document.Paragraphs(append(all, "Next: "+strings.Join(append(trust.Advice(), "weir report -v "+c.ID+" tells the rest"), "; ")+"."))...)
	return d
}

// answers are the studies of a campaign of runs; none of one that has none.
func (v view) answers() []study {
	if !v.Experiment {
		return nil
	}
	return append([]study{v.Study}, v.Others...)
}
