package report

import (
	"cmp"
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
	w, r := lead(g)
	if r == nil {
		return "Nothing was measured yet."
	}
	frames := w.kindOfFrames()
	end := ""
	if r.Verdict != "" {
		end = " (" + r.Verdict + ")"
	}
	switch {
	case kind(*r) == "frmol":
		return fmt.Sprintf("%s forwards %s kpps of %s at the maximum offered load.", box, significant(r.Value/1e3), frames)
	case kind(*r) != "rate":
		what := cmp.Or(meanings[r.Method], sought(*r))
		if r.Method == "mlrsearch" {
			what += fmt.Sprintf(" at %s %% loss", percent(r.LossRatio))
		}
		if r.Method == "loss-rate" && r.Value == 0 && r.Upper > 0 {
			return fmt.Sprintf("%s loses some %s at every load that was tried, from %s up.", box, frames, quantity(r.Upper, r.Unit))
		}
		return fmt.Sprintf("%s, %s: %s is %s%s.", box, frames, what, quantity(r.Value, r.Unit), end)
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
	return fmt.Sprintf("%s forwards %s kpps of %s %s, at %s s trials%s.", box, significant(r.Value/1e3), frames, loss, plain(r.TrialSeconds), end)
}

// kindOfFrames is "64-octet frames (flows=256)".
func (w row) kindOfFrames() string {
	frames := fmt.Sprintf("%d-octet frames", w.Octets)
	if w.Octets == 0 {
		frames = w.Traffic + " frames"
	}
	if group := w.group(); group != "" {
		frames += " (" + group + ")"
	}
	return frames
}

// lead is the result that the headline is about: a rate, or else the first
// that says something of the DUT; nil when nothing was measured.
func lead(g grid) (row, *weir.Result) {
	if w, r := first(g); r != nil {
		return w, r
	}
	var at row
	var found *weir.Result
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if found == nil || found.Method == "self-test" && r.Method != "self-test" {
				at, found = w, r
			}
		}
	}
	return at, found
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
