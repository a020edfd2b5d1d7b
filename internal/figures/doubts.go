package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/result"
	"weir/internal/warning"
)

// A doubt is a warning with all that it concerns.
type doubt struct {
	Code    weir.WarningCode
	Told    MessageGroups
	More    int      // texts beyond maxTold
	About   []string // rows
	Results int      // that carry it
	Advice  string
	rows    int // of the campaign
}

// maxTold is the most wordings of one code that are told.
const maxTold = 10

// Doubts are the warnings of a campaign's results, each code once, in the
// order of appearance.
func Doubts(g Grid) []doubt {
	var out []doubt
	for _, w := range g.Rows {
		for _, r := range w.Results {
			var codes []weir.WarningCode // of this result
			for _, said := range r.Warnings {
				i := FindOrAdd(&out, func(d doubt) bool { return d.Code == said.Code }, doubt{Code: said.Code, Advice: warning.Of(said.Code).Advice, rows: len(g.Rows)})
				out[i].About = With(out[i].About, w.naming(r))
				out[i].tell(said.Sentence, w.naming(r))
				if !slices.Contains(codes, said.Code) {
					codes = append(codes, said.Code)
					out[i].Results++
				}
			}
		}
	}
	return out
}

func (d *doubt) tell(text weir.Sentence, about string) {
	if len(d.Told) == maxTold && d.Told.find("", text) == nil {
		d.More++
		return
	}
	d.Told.Add("", text, about)
}

// Where is what the doubt concerns: "64", "64, 512; 5 results".
func (d doubt) Where() string {
	where := RowList(d.About)
	if len(d.About) == d.rows && d.rows > ManyRows {
		where = fmt.Sprintf("all %d rows", d.rows)
	}
	if d.Results > 1 {
		where += fmt.Sprintf("; %d results", d.Results)
	}
	return where
}

// naming names a result among all of a campaign: its row, and of a transfer, as
// the rows of all programs are the same, what it is.
func (w row) naming(r *weir.Result) string {
	if result.OfTransfer(r) {
		return Sought(*r) + " " + w.Label
	}
	return w.Label
}

// RowList is a list of rows, of which some have commas in them.
func RowList(rows []string) string {
	if slices.ContainsFunc(rows, func(s string) bool { return strings.Contains(s, ", ") }) {
		return strings.Join(rows, "; ")
	}
	return strings.Join(rows, ", ")
}

// ManyRows is how many rows are named one by one at most, where all are meant.
const ManyRows = 6

// Texts are what is told, each with the rows that it is about where the others
// are about other ones.
func (d doubt) Texts() []string {
	var out []string
	for _, t := range d.Told {
		text := t.Text()
		if len(t.About) < len(d.About) {
			text = RowList(t.About) + ": " + text
		}
		out = append(out, text)
	}
	if d.More > 0 {
		out = append(out, fmt.Sprintf("%d more; the JSON report has them all", d.More))
	}
	return out
}

// A MessageGroup is what several sentences say that differ in figures only, with the rows that
// they are about.
type MessageGroup struct {
	About  []string
	at     string // sentences of other places are apart
	first  weir.Sentence
	more   int   // sentences alike beside the first
	ranges []any // of the figures of all
}

// MessageGroups are sentences, each once.
type MessageGroups []*MessageGroup

// find returns the group of a sentence at a place; nil where there is none.
func (l MessageGroups) find(at string, s weir.Sentence) *MessageGroup {
	for _, g := range l {
		if g.at == at && g.first.Alike(s) {
			return g
		}
	}
	return nil
}

// Add adds a sentence of a place that is about a row, and reports whether its group was there.
func (l *MessageGroups) Add(at string, s weir.Sentence, about string) (g *MessageGroup, there bool) {
	if g = l.find(at, s); g == nil {
		g = &MessageGroup{About: []string{about}, at: at, first: s, ranges: s.Ranges()}
		*l = append(*l, g)
		return g, false
	}
	g.About = With(g.About, about)
	g.more++
	if s.Format != g.first.Format || len(s.Args) != len(g.ranges) {
		return g, true // of another version of weir: the text is the same, and all that there is
	}
	for i, v := range s.Args {
		if was, ok := g.ranges[i].(weir.Range); ok {
			g.ranges[i] = was.Widen(v)
		}
	}
	return g, true
}

// Text returns what all of them say.
func (g *MessageGroup) Text() string { return joined(g.first, g.more, g.ranges) }

// joined returns one text for several sentences alike. Where they differ in one figure it has
// the range of it; where in more, it is the first one, with the ranges of all behind it, as
// figures of one sentence belong together.
func joined(first weir.Sentence, more int, all []any) string {
	var differ []string
	for i, v := range all {
		r, ok := v.(weir.Range)
		if !ok {
			continue
		}
		verb := first.Verb(i)
		if low, high := fmt.Sprintf(verb, weir.Range{Low: r.Low, High: r.Low}), fmt.Sprintf(verb, weir.Range{Low: r.High, High: r.High}); low != high {
			if more == 1 && r.Low == first.Args[i] {
				r.Low = r.High // the other one
			} else if more == 1 {
				r.High = r.Low
			}
			differ = append(differ, fmt.Sprintf(verb, r))
		}
	}
	switch {
	case len(differ) == 0:
		return first.Text
	case len(differ) == 1:
		return fmt.Sprintf(first.Format, all...)
	case more == 1:
		return fmt.Sprintf("%s (and 1 more alike, with %s)", first, Enumerated(differ))
	}
	return fmt.Sprintf("%s (and %d more alike; in all of them the numbers are %s)", first, more, Enumerated(differ))
}
