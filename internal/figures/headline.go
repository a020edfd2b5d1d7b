package figures

import (
	"cmp"
	"fmt"
	"strings"

	"weir"
	"weir/internal/claim"
	"weir/internal/document"
	"weir/internal/method"
	"weir/internal/result"
)

// Headline is the campaign in a sentence, and the reservations that have to go with it.
func Headline(c weir.Campaign, g Grid) document.Title {
	mark := SimulatedMark(c)
	if w, r := g.sweptLead(); r != nil {
		return document.Title{Text: mark + w.describeSweep(c, r) + "."}
	}
	w, r := lead(g)
	if r == nil {
		return document.Title{Text: mark + "Nothing was measured yet."}
	}
	return document.Title{Text: mark + w.describe(r, boxOf(c)) + ".", But: strings.TrimSpace(reservations(c, r) + " " + notFound(g, r))}
}

// describe returns a result of the row in a sentence.
func (w row) describe(r *weir.Result, box string) string {
	if result.OfTransfer(r) {
		return describeTransfer(r, w.Label, box)
	}
	frames := w.kindOfFrames()
	switch {
	case r.Finding != nil && r.Value == 0 && Kind(r) != method.LossCurve:
		return w.describeFinding(r, box)
	case result.Unknown(r):
		return fmt.Sprintf("Nothing is known of %s yet", frames)
	case Kind(r) == method.Most:
		return fmt.Sprintf("%s forwards %s kpps of %s at the maximum offered load", box, Significant(r.Value/1e3), frames)
	case Kind(r) == method.Rate:
		return fmt.Sprintf("%s forwards %s, at %s s trials", box, w.rate(r), plain(r.TrialSeconds))
	case Kind(r) == method.LossCurve && r.Value == 0 && r.Upper > 0:
		return fmt.Sprintf("%s loses some %s at every load that was tried, from %s up", box, frames, Quantity(r.Upper, r.Unit))
	}
	what := cmp.Or(method.MeaningOf(r.Method), Sought(*r))
	if Kind(r) == method.Goals {
		what += fmt.Sprintf(" at %s %% loss", Percent(r.LossRatio))
	}
	end := ""
	if r.Verdict != "" && r.Verdict != claim.NotEnded {
		end = " (" + r.Verdict + ")"
	}
	return fmt.Sprintf("%s, %s: %s is %s%s%s", box, frames, what, least(r), Quantity(r.Value, r.Unit), end)
}

// describeFinding returns a loss of every load in a sentence, in place of a rate.
func (w row) describeFinding(r *weir.Result, box string) string {
	sought, why := "without loss", ""
	if r.LossRatio > 0 {
		sought = "at a loss of " + Percent(r.LossRatio) + " %"
	}
	for _, warning := range r.Warnings {
		if warning.Code == weir.LoadIndependent {
			why = ": " + warning.Text
		}
	}
	return fmt.Sprintf("%s forwards %s at no load %s%s", box, w.kindOfFrames(), sought, why)
}

// boxOf is what forwards, as a sentence begins.
func boxOf(c weir.Campaign) string {
	switch {
	case c.Manifest.Imported != nil:
		return "By what others published, this box"
	case Simulated(c):
		return "This simulated box"
	}
	return "This box"
}

// rate is "at least 816 kpps of 64-octet frames without loss".
func (w row) rate(r *weir.Result) string {
	loss := "without loss"
	if r.LossRatio > 0 {
		loss = "at a loss of " + Percent(r.LossRatio) + " %"
	}
	if r.ExceedRatio > 0 {
		loss += " in most trials" // a claim of no loss at all is another one
	}
	if weir.HasWarning(r.Warnings, weir.SeveralSpeeds) {
		loss += " at one of several speeds"
	}
	if r.Value == 0 {
		return fmt.Sprintf("%s %s at no rate that was tried", w.kindOfFrames(), loss)
	}
	return fmt.Sprintf("%s%s kpps of %s %s", least(r), Significant(r.Value/1e3), w.kindOfFrames(), loss)
}

func least(r *weir.Result) string {
	if result.AtLeast(r) {
		return "at least "
	}
	return ""
}

// reservations are what has to be mentioned with a result: "The search had not
// ended, and the machine was busy in 5 of 12 trials."
func reservations(c weir.Campaign, r *weir.Result) string {
	var but []string
	switch {
	case r.Verdict == claim.NotEnded:
		but = append(but, "the search had not ended")
	case result.AtLeast(r):
		but = append(but, "the search ended at the edge of its range")
	}
	if busy := disturbed(deciding(c, r)); busy != "" {
		but = append(but, busy)
	}
	if len(but) == 0 {
		return ""
	}
	text := strings.Join(but, ", and ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// notFound names the rows of which the search for the first rate has found
// nothing; "" where there is none but the lead.
func notFound(g Grid, lead *weir.Result) string {
	if len(g.Goals) == 0 || result.Unknown(lead) {
		return ""
	}
	var labels []string
	for _, w := range g.Rows {
		if r := w.Rates[g.Goals[0]]; r != nil && r.Value == 0 && r != lead {
			labels = append(labels, w.Label)
		}
	}
	what, which := goalLabel(g.Goals[0]), Enumerated(labels)
	if g.Goals[0] > 0 {
		what = "rate at a " + what
	}
	if len(labels) == 0 {
		return ""
	} else if len(labels) > ManyRows {
		which = fmt.Sprintf("%d of %d rows", len(labels), len(g.Rows))
	}
	return fmt.Sprintf("No %s was found for %s.", what, which)
}

// kindOfFrames is "64-octet frames (flows=256)".
func (w row) kindOfFrames() string {
	frames := fmt.Sprintf("%d-octet frames", w.Octets)
	if w.Octets == 0 {
		frames = w.Traffic + " frames"
	}
	if w.Group != "" {
		frames += " (" + w.Group + ")"
	}
	return frames
}

// lead is the result that the headline is about: a rate, or else the first
// that says something of the DUT; nil when nothing was measured.
func lead(g Grid) (row, *weir.Result) {
	if w, r := g.sweptLead(); r != nil {
		return w, r
	}
	if w, r := first(g); r != nil {
		return w, r
	}
	var at row
	var found *weir.Result
	for _, w := range g.Rows {
		for _, r := range w.Results {
			if found == nil || worth(r) > worth(found) {
				at, found = w, r
			}
		}
	}
	return at, found
}

// worth is how much a result says of the DUT.
func worth(r *weir.Result) int {
	switch {
	case Kind(r) == method.Ceiling:
		return 0
	case result.Unknown(r):
		return 1
	}
	return 2
}

// first is the rate to name first: at the lowest loss for the smallest frames of
// which anything is known, one above 0 before one of 0.
func first(g Grid) (row, *weir.Result) {
	for _, goal := range g.Goals {
		var found *weir.Result
		var at row
		for _, w := range g.Rows {
			r := w.Rates[goal]
			if r == nil || result.Unknown(r) {
				continue
			}
			better := found != nil && found.Value == 0 && r.Value > 0
			worse := found != nil && found.Value > 0 && r.Value == 0
			if found == nil || better || !worse && w.Octets > 0 && (at.Octets == 0 || w.Octets < at.Octets) {
				at, found = w, r
			}
		}
		if found != nil {
			return at, found
		}
	}
	return row{}, nil
}
