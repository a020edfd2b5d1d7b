package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"weir"
)

// leastWidth is the narrowest terminal that text is made for, and usualWidth what
// is taken where nobody says.
const (
	leastWidth = 60
	usualWidth = tableWidth
)

func writeText(w io.Writer, c weir.Campaign, o Options) error {
	var b bytes.Buffer
	v := viewOf(Printable(c))
	if plain, any := v.plain(); any && len(plain.Grid.Knees) > 0 && !o.Verbose {
		textBrief(&b, v, Printable(c), o.width())
	} else {
		documentOf(c, detail{curves: o.Verbose, brief: !o.Verbose}).text(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// width is that of the terminal.
func (o Options) width() int {
	return max(leastWidth, min(cmp.Or(o.Width, usualWidth), tableWidth))
}

// screenLines is how many lines what is written first of a campaign has at most,
// as far as it is up to results that no table has: 30 with where the page lies.
const screenLines = 28

// textBrief writes what matters first of a campaign with sweeps: what was found,
// how far that can be trusted, and what to do next.
func textBrief(b *bytes.Buffer, v view, c weir.Campaign, width int) {
	var end bytes.Buffer
	plain, _ := v.plain()
	briefFound(b, plain, c, width)
	briefEnd(&end, v, c, width)
	if list := beside(plain.Grid, width); len(list) > 0 {
		lines := func(b *bytes.Buffer) int { return bytes.Count(b.Bytes(), []byte("\n")) }
		b.WriteByte('\n')
		room := max(screenLines-lines(b)-lines(&end), 1)
		for i, text := range list {
			if i == room-1 && len(list) > room {
				more := fmt.Sprintf("and %d more", len(list)-i)
				if i == 0 {
					more = fmt.Sprintf("%d further %s", len(list), plural(len(list), "result"))
				}
				fmt.Fprintf(b, "%s: weir report -v %s\n", more, c.ID)
				break
			}
			fmt.Fprintln(b, cutTo(text, width))
		}
	}
	b.Write(end.Bytes())
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
				text += ": " + least(r) + valueOf(r)
			}
			if r.Verdict != "" {
				text += ", " + r.Verdict
			}
			if len(r.Warnings) > 0 {
				text += " " + inDoubt
			}
			if meaning := " (" + meanings[r.Method] + ")"; len(meaning) > 3 && utf8.RuneCountInString(text+meaning) <= width {
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
func briefFound(b *bytes.Buffer, plain view, c weir.Campaign, width int) {
	g := plain.Grid
	say := func(text string) { wrapped(b, "", text, width) }
	mark := ""
	if simulated(c) {
		mark = "SIMULATED: "
	}
	say(mark + headline(plain.Campaign, g))
	if c.Ended != "complete" {
		say("Not complete: " + ending(c) + ".")
		for i, r := range reasons(c) {
			if i == maxClauses {
				say(fmt.Sprintf("  and %d more", len(reasons(c))-i))
				break
			}
			say("  " + r.Text)
		}
	}
	b.WriteByte('\n')
	sweptTable(g).text(b, "", width)
	for _, line := range sweptNotes(g) {
		say(line)
	}
	if text := sweptTerms(g); text != "" {
		say(text)
	}
	if t := tableOf(g); len(t.Rows) > 0 {
		b.WriteByte('\n')
		t.text(b, "", tableWidth)
		for _, line := range g.contradictions() {
			say(line)
		}
	}
}

// briefEnd is how far that can be trusted, what runs have found, and what to do
// next.
func briefEnd(b *bytes.Buffer, v view, c weir.Campaign, width int) {
	say := func(text string) { wrapped(b, "", text, width) }
	b.WriteByte('\n')
	plain, _ := v.plain()
	trust := trustOf(c, plain.Grid)
	say("Trust: " + trust.String() + ".")
	for _, s := range v.answers() {
		text := capital(s.answer())
		if left := s.leftText(); left != "" && strings.HasPrefix(s.said(), "no verdict") {
			text += "; " + left
		}
		say(text + ".")
	}
	say("Next: " + strings.Join(append(trust.advice(), "weir report -v "+c.ID+" tells the rest"), "; ") + ".")
}

// answers are the studies of a campaign of runs; none of one that has none.
func (v view) answers() []study {
	if !v.Experiment {
		return nil
	}
	return append([]study{v.Study}, v.Others...)
}
