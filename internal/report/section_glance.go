package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
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

// screenLines is how many lines a glance at a campaign has at most, as far as it is up to
// results that no table has: 30 with where the page lies.
const screenLines = 28

// glanceFound adds the answer of what was measured once, and its tables.
func glanceFound(d *document.Document, r reported) {
	plain, _ := r.plain()
	g := plain.Grid
	found := []document.Block{figures.Headline(plain.Campaign, g)}
	if r.c.Ended != weir.EndedComplete {
		found = append(found, document.Paragraph{Text: "Not complete: " + ending(r.c) + "."})
		for i, reason := range r.c.Reasons() {
			if i == maxClauses {
				found = append(found, document.Paragraph{Text: fmt.Sprintf("and %d more", len(r.c.Reasons())-i)})
				break
			}
			found = append(found, document.Paragraph{Text: reason.Text})
		}
	}
	d.Add("", found...)
	d.Add("", append([]document.Block{figures.SweptTable(g)}, document.Paragraphs(append(figures.SweptNotes(g), figures.SweptTerms(g)))...)...)
	if t := figures.ResultsTable(g); len(t.Rows) > 0 {
		d.Add("", append([]document.Block{t}, document.Paragraphs(g.Contradictions())...)...)
	}
}

// glanceFurther adds the results that no table has, a line each, as far as the screen has room
// between what is above them and glanceEnd.
func glanceFurther(d *document.Document, r reported) {
	plain, _ := r.plain()
	width := r.width()
	list := figures.Beside(plain.Campaign, plain.Grid, width)
	if len(list) == 0 {
		return
	}
	all := slices.Clone(*d)
	glanceEnd(&all, r)
	var b bytes.Buffer
	all.WriteText(&b, width, width)
	room := max(screenLines-1-bytes.Count(b.Bytes(), []byte("\n")), 1) // with the empty line before them
	var shown strings.Builder
	for i, text := range list {
		if i == room-1 && len(list) > room {
			more := fmt.Sprintf("and %d more", len(list)-i)
			if i == 0 {
				more = fmt.Sprintf("%d further %s", len(list), figures.Plural(len(list), "result"))
			}
			fmt.Fprintf(&shown, "%s: weir report -v %s\n", more, r.c.ID)
			break
		}
		fmt.Fprintln(&shown, cutTo(text, width))
	}
	d.Add("", document.Verbatim(shown.String()))
}

// cutTo returns a text in one line of a width.
func cutTo(text string, width int) string {
	text = strings.Join(strings.Fields(text), " ")
	if all := []rune(text); len(all) > width {
		return strings.TrimSpace(string(all[:width-4])) + " ..."
	}
	return text
}

// glanceEnd adds how far that can be trusted, what runs have found, and what to do next.
func glanceEnd(d *document.Document, r reported) {
	plain, _ := r.plain()
	trust := figures.TrustOf(r.c, plain.Grid)
	var all []string
	for _, cause := range figures.Causes(r.c.Trials...) {
		all = append(all, "First: "+cause.Text+".")
	}
	for _, limit := range figures.WhatLimits(plain.Grid) {
		all = append(all, "Limit: "+limit+".")
	}
	all = append(all, "Trust: "+trust.String()+".")
	for _, s := range r.answers() {
		text := document.Capital(s.answer())
		if left := s.leftText(); left != "" && s.noVerdict() != "" {
			text += "; " + left
		}
		all = append(all, text+".")
	}
	d.Add("", document.Paragraphs(append(all, "Next: "+strings.Join(append(trust.Advice(), "weir report -v "+r.c.ID+" tells the rest"), "; ")+"."))...)
}

// answers returns the studies of a campaign of runs; none of one that has none.
func (v view) answers() []study {
	if !v.Experiment {
		return nil
	}
	return append([]study{v.Study}, v.Others...)
}
