package figures

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"weir"
	"weir/internal/document"
	"weir/internal/method"
)

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
