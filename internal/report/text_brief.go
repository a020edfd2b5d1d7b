package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"weir"
	"weir/internal/document"
	"weir/internal/method"
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
	if list := beside(plain.Grid, width); len(list) > 0 {
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
					more = fmt.Sprintf("%d further %s", len(list), plural(len(list), "result"))
				}
				fmt.Fprintf(&shown, "%s: weir report -v %s\n", more, c.ID)
				break
			}
			fmt.Fprintln(&shown, cutTo(text, width))
		}
		d.Add("", document.Verbatim(shown.String()))
	}
	d = append(d, end...)
	d.Refer(remarksOf(c.Manifest.Notes))
	return d
}

// beside are the results that no table of a grid has, in a line each, with what
// their values mean where there is room for it.
func beside(g grid, width int) (out []string) {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if w.shown(r) {
				continue
			}
			text := w.Label + " " + sought(*r)
			switch {
			case r.Unmeasured != "":
				text += ": not measured: " + r.Unmeasured
			case unknown(r):
				text += ": " + missing
			default:
				text += ": " + least(r) + Value(r)
			}
			if r.Verdict != "" {
				text += ", " + r.Verdict
			}
			if len(r.Warnings) > 0 {
				text += " " + inDoubt
			}
			if meaning := " (" + method.MeaningOf(r.Method) + ")"; len(meaning) > 3 && utf8.RuneCountInString(text+meaning) <= width {
				text += meaning
			}
			out = append(out, text)
		}
	}
	return out
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
	found := []document.Block{headline(plain.Campaign, g)}
	if c.Ended != "complete" {
		found = append(found, document.Paragraph{Text: "Not complete: " + ending(c) + "."})
		for i, r := range reasons(c) {
			if i == maxClauses {
				found = append(found, document.Paragraph{Text: fmt.Sprintf("and %d more", len(reasons(c))-i)})
				break
			}
			found = append(found, document.Paragraph{Text: r.Text})
		}
	}
	d.Add("", found...)
	d.Add("", append([]document.Block{sweptTable(g)}, document.Paragraphs(append(sweptNotes(g), sweptTerms(g)))...)...)
	if t := tableOf(g); len(t.Rows) > 0 {
		d.Add("", append([]document.Block{t}, document.Paragraphs(g.contradictions())...)...)
	}
	return d
}

// briefEnd is how far that can be trusted, what runs have found, and what to do
// next.
func briefEnd(v view, c weir.Campaign) (d document.Document) {
	plain, _ := v.plain()
	trust := trustOf(c, plain.Grid)
	all := []string{"Trust: " + trust.String() + "."}
	for _, s := range v.answers() {
		text := document.Capital(s.answer())
		if left := s.leftText(); left != "" && s.noVerdict() != "" {
			text += "; " + left
		}
		all = append(all, text+".")
	}
	d.Add("", document.Paragraphs(append(all, "Next: "+strings.Join(append(trust.advice(), "weir report -v "+c.ID+" tells the rest"), "; ")+"."))...)
	return d
}

// answers are the studies of a campaign of runs; none of one that has none.
func (v view) answers() []study {
	if !v.Experiment {
		return nil
	}
	return append([]study{v.Study}, v.Others...)
}
