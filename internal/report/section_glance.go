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
	"weir/internal/warning"
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
		d.Add("", append([]document.Block{t}, document.Paragraphs(figures.MarkDoubtful(g.Contradictions()))...)...)
	}
}

// glanceFurther adds the results that no table has, a line each, as far as the screen has room
// between what is above them and glanceEnd.
func glanceFurther(d *document.Document, r reported) {
	plain, _ := r.plain()
	width := r.width()
	list := figures.Untabled(plain.Campaign, plain.Grid, width)
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

// badge is the one statement of how far a campaign can be trusted, with its reason
// and the command that mends it.
func (r reported) badge() document.Badge {
	plain, any := r.plain()
	remark, but := "", ""
	if any {
		but = figures.Headline(plain.Campaign, plain.Grid).But
		_, remark = plain.disturbance(plain.Campaign)
	}
	switch remark = cmp.Or(remark, but); {
	case r.c.Ended != weir.EndedComplete:
		return document.Badge{Level: document.NoTrust, Label: "not complete", Text: figures.TrimmedJoin(document.Sentence(ending(r.c)), remark), Command: "weir run --resume=" + r.c.ID}
	case r.All.Imported:
		return document.Badge{Level: document.SomeTrust, Label: "imported", Text: "others measured it, and weir knows nothing of how"}
	case !any:
		return r.Study.badge(figures.Looking(r.c))
	case len(plain.Grid.Knees) > 0:
		return figures.TrustOf(r.c, plain.Grid).Badge()
	case remark != "":
		return document.Badge{Level: document.SomeTrust, Label: "beware", Text: remark, Command: figures.Looking(r.c)}
	}
	list := figures.GroupWarnings(plain.Grid)
	if against := plain.Grid.Contradictions(); len(list) == 0 && len(against) > 0 {
		return document.Badge{Level: document.SomeTrust, Label: "beware", Text: against[0]}
	}
	if len(list) == 0 {
		return document.Badge{Level: document.GoodTrust, Label: "no warnings", Text: "nothing speaks against these results"}
	}
	var codes []string
	for _, d := range list {
		codes = append(codes, warning.Of(d.Code).Label)
	}
	return document.Badge{Level: document.SomeTrust, Label: fmt.Sprintf("%d %s", len(list), figures.Plural(len(list), "warning")), Text: shortened(codes), Command: figures.Looking(r.c)}
}

// worse reports whether a badge is of less trust than another one.
func worse(a, b document.Badge) bool {
	levels := []document.Trust{document.GoodTrust, document.SomeTrust, document.NoTrust}
	return slices.Index(levels, a.Level) > slices.Index(levels, b.Level)
}

// badge is that of runs, with the command that shows what disturbed them.
func (s study) badge(look string) document.Badge {
	passed, failed := s.again()
	left := s.leftText()
	none := s.noVerdict()
	switch {
	case none != "":
		return document.Badge{Level: document.NoTrust, Label: "no verdict", Text: cmp.Or(left, none), Command: look}
	case failed > 0:
		return document.Badge{Level: document.NoTrust, Label: "A/A fails", Text: fmt.Sprintf("the baseline differs from itself in %d of %d comparisons", failed, passed+failed), Command: look}
	case left != "":
		return document.Badge{Level: document.SomeTrust, Label: "left out", Text: left, Command: look}
	case passed > 0:
		return document.Badge{Level: document.GoodTrust, Label: "A/A passes", Text: "the baseline does not differ from itself, and every run counts"}
	}
	return document.Badge{Level: document.SomeTrust, Label: "no A/A", Text: "the baseline was not measured against itself"}
}
