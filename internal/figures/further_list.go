package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"weir"
	"weir/internal/document"
	"weir/internal/method"
)

// briefFurther is how many further results a terminal shows.
const briefFurther = 8

// FurtherList are findings with their figures and tables; in brief the first of them
// alone.
func FurtherList(list []Finding, brief bool) (out document.List) {
	for i, f := range list {
		e := document.Entry{Text: f.heading(), Of: f.Result}
		if brief {
			if i == briefFurther-1 && len(list) > briefFurther {
				return append(out, document.Entry{Text: fmt.Sprintf("and %d more", len(list)-i)})
			}
			out = append(out, f.led(e))
			continue
		}
		listed := ""
		for _, v := range f.Figures {
			listed += "; " + v.Name + " " + v.Value
		}
		if listed != "" {
			e.Under = document.Sentences(listed[2:])
		}
		of := f.Label + " " + f.Heading
		if len(f.Points.Rows) > 0 {
			e.Tables = append(e.Tables, document.Captioned{Of: of, Name: "points", Table: f.Points})
		}
		if len(f.Spans.Rows) > 0 {
			e.Tables = append(e.Tables, document.Captioned{Of: of, Name: f.Longest, Table: f.Spans})
		}
		out = append(out, e)
	}
	return out
}

// led returns the entry of a finding with the figures that matter most below it, and its curve
// where that is the answer.
func (f Finding) led(e document.Entry) document.Entry {
	leads, curved := method.BriefOf(f.Result.Method)
	text := ""
	for _, lead := range leads {
		if lead.Figure == "" && f.Value != Missing {
			text += "; " + lead.Is + " " + f.Value
		}
		for _, v := range f.Figures {
			if v.Name == lead.Figure {
				text += "; " + lead.Is + " " + v.Value
			}
		}
	}
	if text != "" {
		e.Under = document.Sentences(text[2:])
	}
	if curved && len(f.Points.Rows) > 0 {
		e.Tables = []document.Captioned{{Of: f.Label + " " + f.Heading, Name: "points", Table: f.Points}}
	}
	return e
}

// Untabled returns the results that no table of a grid has, in a line each, with what
// their values mean where there is room for it.
func Untabled(c weir.Campaign, g Grid, width int) (out []string) {
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if w.shown(r) {
				continue
			}
			text := w.Label + " " + Sought(*r)
			switch {
			case r.Unmeasured != "":
				text += ": not measured: " + r.Unmeasured
			default:
				if l := loadOf(c, r); l.Rate > 0 {
					text += " at " + l.percent() + " % of the throughput"
				}
				text += ": " + Found(r)
			}
			if r.Verdict != "" {
				text += ", " + r.Verdict
			}
			if len(r.Warnings) > 0 {
				text += " " + InDoubt
			}
			if meaning := " (" + method.MeaningOf(r.Method) + ")"; len(meaning) > 3 && utf8.RuneCountInString(text+meaning) <= width {
				text += meaning
			}
			out = append(out, text)
		}
	}
	return out
}

// maxSpans is the most spans of loss that are listed for a result.
const maxSpans = 20

// A span is a stretch of sending time in which frames were lost.
type span struct {
	Trial  int
	After  time.Duration // since the start of the result's first trial, in sending time
	Length time.Duration
	Lost   uint64
	Share  float64 // of the frames of its interval that came back, 0 to 1
}

// deciding are the trials of a result that count: of one that was repeated
// the last attempt.
func deciding(c weir.Campaign, r *weir.Result) []weir.TrialResult {
	if r.First == 0 {
		return nil
	}
	var out []weir.TrialResult
	for _, t := range trialsFrom(c.Trials, r.First, r.Last) {
		n := t.Trial.Number
		if t.Trial.Bypass {
			continue
		}
		for len(out) > 0 && out[len(out)-1].Trial.Number > n-t.Attempts {
			out = out[:len(out)-1]
		}
		out = append(out, t)
	}
	return out
}

// selectTimelines returns the deciding trials of a result that have a timeline to show. Each
// trial of a search has one, for the speeds; only that of its long run is a finding.
func selectTimelines(c weir.Campaign, r *weir.Result) (out []weir.TrialResult) {
	search := Kind(r) == method.Rate || Kind(r) == method.Goals
	for _, t := range deciding(c, r) {
		if t.Timeline != nil && (!search || t.Trial.Then != nil) {
			out = append(out, t)
		}
	}
	return out
}

// continuous reports whether trials go on with each other: those with a
// timeline in which nothing was done to the DUT.
func continuous(t weir.TrialResult) bool {
	return t.Timeline != nil && t.Trial.Then == nil && t.Trial.Event == nil
}

// spansOf are the longest spans of loss of a result's trials in the order of
// time, and how many there are beyond these.
func spansOf(trials []weir.TrialResult) (out []span, more int) {
	begin := time.Duration(0)
	for _, t := range trials {
		if !continuous(t) {
			continue
		}
		for _, e := range t.Timeline.Episodes {
			s := span{Trial: t.Trial.Number, After: begin + e.From, Length: e.Until - e.From, Lost: e.Lost}
			for _, v := range t.Timeline.Intervals {
				if v.From <= e.From && v.Sent > 0 {
					s.Share = float64(v.Received) / float64(v.Sent)
				}
			}
			out = append(out, s)
		}
		more += t.Timeline.More
		begin += t.Trial.Length()
	}
	if extra := len(out) - maxSpans; extra > 0 {
		slices.SortStableFunc(out, func(a, b span) int { return cmp.Or(cmp.Compare(b.Length, a.Length), cmp.Compare(b.Lost, a.Lost)) })
		out, more = out[:maxSpans], more+extra
		slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.After, b.After) })
	}
	return out, more
}

// spanColumns are what is shown of spans.
var spanColumns = []document.Column[span]{
	{Heading: document.Heading{Head: "trial"}, Text: func(s span) string { return strconv.Itoa(s.Trial) }},
	{Heading: document.Heading{Head: "after", Unit: "s"}, Text: func(s span) string { return plain(s.After.Seconds()) }},
	{Heading: document.Heading{Head: "lasting", Unit: "s"}, Text: func(s span) string { return plain(s.Length.Seconds()) }},
	{Heading: document.Heading{Head: "lost", Unit: "frames"}, Text: func(s span) string { return Count(s.Lost) }},
}
