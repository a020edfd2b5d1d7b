package figures

import (
	"fmt"
	"slices"
	"strings"

	"weir"
	"weir/internal/result"
	"weir/internal/warning"
)

// A warningGroup is a warning with all that it concerns.
type warningGroup struct {
	Code     weir.WarningCode
	Messages MessageGroups
	More     int      // messages beyond maxMessages
	About    []string // rows
	Results  int      // that carry it
	Advice   string
	rows     int // of the campaign
}

// maxMessages is the most wordings of one code that are shown.
const maxMessages = 10

// GroupWarnings returns the warnings of a campaign's results, each code once, in the
// order of appearance.
func GroupWarnings(g Grid) []warningGroup {
	var out []warningGroup
	for _, w := range g.Rows {
		for _, r := range w.Results {
			var codes []weir.WarningCode // of this result
			for _, raised := range r.Warnings {
				i := FindOrAdd(&out, func(d warningGroup) bool { return d.Code == raised.Code }, warningGroup{Code: raised.Code, Advice: warning.Of(raised.Code).Advice, rows: len(g.Rows)})
				out[i].About = With(out[i].About, w.naming(r))
				out[i].addMessage(raised.Sentence, w.naming(r))
				if !slices.Contains(codes, raised.Code) {
					codes = append(codes, raised.Code)
					out[i].Results++
				}
			}
		}
	}
	return out
}

func (d *warningGroup) addMessage(text weir.Sentence, about string) {
	if len(d.Messages) == maxMessages && d.Messages.find("", text) == nil {
		d.More++
		return
	}
	d.Messages.Add("", text, about)
}

// Where returns what the warning concerns: "64", "64, 512; 5 results".
func (d warningGroup) Where() string {
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

// Texts returns the messages, each with the rows that it is about where the others
// are about other ones.
func (d warningGroup) Texts() []string {
	var out []string
	for _, t := range d.Messages {
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
	at     string // sentences of other places are not grouped with it
	first  weir.Sentence
	more   int   // further sentences that are alike
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
