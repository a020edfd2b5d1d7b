package report

import (
	"fmt"

	"weir"
	"weir/frame"
)

// headline is the campaign in one sentence.
func headline(c weir.Campaign, g grid) string {
	box := "This box"
	if simulated(c) {
		box = "This simulated box"
	}
	w, r := first(g)
	if r == nil {
		if list := furtherOf(c, g); len(list) > 0 {
			return fmt.Sprintf("%s: %s.", box, list[0].sentence())
		}
		return "Nothing was measured yet."
	}
	frames := fmt.Sprintf("%d-octet frames", w.Octets)
	if w.Octets == 0 {
		frames = w.Traffic + " frames"
	}
	if group := w.group(); group != "" {
		frames += " (" + group + ")"
	}
	loss := "without loss"
	if r.LossRatio > 0 {
		loss = "at a loss of " + percent(r.LossRatio) + " %"
	}
	if r.ExceedRatio > 0 {
		loss += " in most trials" // a claim of no loss at all is another one
	}
	if r.Value == 0 {
		return fmt.Sprintf("%s forwards %s %s at no rate that was tried, at %s s trials.", box, frames, loss, plain(r.TrialSeconds))
	}
	end := ""
	if r.Verdict != "" {
		end = " (" + r.Verdict + ")"
	}
	return fmt.Sprintf("%s forwards %s kpps of %s %s, at %s s trials%s.", box, significant(r.Value/1e3), frames, loss, plain(r.TrialSeconds), end)
}

// first is the rate to name first: at the lowest loss for the smallest frames.
func first(g grid) (row, *weir.Result) {
	for _, goal := range g.Goals {
		var found *weir.Result
		var at row
		for _, w := range g.Rows {
			if r := w.Rates[goal]; r != nil && (found == nil || w.Octets > 0 && (at.Octets == 0 || w.Octets < at.Octets)) {
				at, found = w, r
			}
		}
		if found != nil {
			return at, found
		}
	}
	return row{}, nil
}

// imixEstimate is the bandwidth in Mbit/s that the zero-loss rate of 64-octet
// frames would give with the simple IMIX, and whose rate that is; "" when no
// search for such a rate ended above 0.
func imixEstimate(g grid) (mbits, from string) {
	for _, w := range g.Rows {
		if r := w.Rates[0]; w.Octets == 64 && r != nil && r.Value > 0 && r.Verdict == "" {
			from = "the 64-octet rate"
			if group := w.group(); group != "" {
				from += " (" + group + ")"
			}
			return significant(frame.BandwidthEstimate(r.Value) / 1e6), from
		}
	}
	return "", ""
}
