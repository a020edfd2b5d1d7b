package claim

import (
	"fmt"
	"slices"

	"weir"
)

// CheckThroughput is the checklist of RFC 2544 section 26.1.
func CheckThroughput(e Evidence) weir.Claim {
	switch {
	case e.Verdict == NotEnded:
		return Named(NotEnded)
	case e.Lower == 0 && !missed(e.at(e.Upper), e.LossRatio, e.ExceedRatio):
		return Named(NoOffer)
	case e.Lower == 0:
		return Named(noLoad)
	}
	final := e.at(e.Lower)
	equal := noLoss(e, final)
	l := slices.Concat(traffic(e), waits(e),
		fullLength(final, "the final determination SHOULD be made with trials of at least 60 s"),
		equal, fastest(e), frames(e))
	c := l.claim(e.full("throughput"), throughputName)
	name := c.Earned
	switch {
	case missed(final, e.LossRatio, e.ExceedRatio):
		name = weir.Earned{What: unconfirmed}
	case e.LossRatio > 0:
		name = weir.Earned{What: rateName, Loss: e.LossRatio}
	case e.ExceedRatio == 0 && !equal[0].kept:
		name = weir.Earned{What: unconfirmed}
	}
	name.Exceed = e.ExceedRatio
	return called(c, name)
}

// Names of results that have no rate to speak of.
const (
	noLoad      = "no load met the goal"
	NoOffer     = "no load could be offered" // the tester could not send even the lowest one
	unconfirmed = "rate, not confirmed by its trials"
)

// noLoss is what makes a rate a throughput.
func noLoss(e Evidence, final []weir.TrialResult) checklist {
	const source = "RFC 2544 section 26.1"
	d := demand{id: "no-loss", source: source, level: weir.Must, text: "at the throughput as many frames are received as are sent", kept: true, found: "no frame was lost"}
	for _, t := range final {
		switch {
		case lost(t, 0) && e.ExceedRatio == 0:
			d.kept, d.found = false, "here frames were lost"
		case t.LossRatio() < 0:
			d.kept, d.found = false, "here more came back than were sent"
		}
	}
	switch {
	case len(final) == 0:
		d.kept, d.found = false, "there is no trial at this load"
	case len(where(final, func(t weir.TrialResult) bool { return t.Inconclusive(e.LossRatio) })) == len(final):
		d.kept, d.found = false, "the tester sent less than this load"
	case e.LossRatio > 0:
		d.kept, d.found = false, fmt.Sprintf("this goal allows a loss of %s %%", percent(e.LossRatio))
	}
	if e.ExceedRatio == 0 {
		return checklist{d}
	}
	return checklist{d, {id: "no-loss-ever", source: source, level: weir.Must, text: "so it is in every trial at this load",
		found: fmt.Sprintf("here %s %% of the trials at one load may miss the goal", percent(e.ExceedRatio))}}
}

// unproven is why the trials at the upper bound do not show that the DUT missed
// a goal there; "" when they do.
func unproven(e Evidence, loss float64) string {
	at := e.at(e.Upper)
	switch {
	case missed(at, loss, e.ExceedRatio):
		return ""
	case len(where(at, func(t weir.TrialResult) bool { return t.Inconclusive(loss) })) > 0:
		return "the tester could not send a faster one"
	}
	return "no trial at a faster one shows that it is not so there"
}

// The demand that a throughput is the fastest rate without loss.
const (
	fastestID   = "fastest"
	fastestText = "the throughput is the fastest rate at which this is so" // by which stores of before have it
)

// Unfit is why a rate is not the throughput that other procedures take a share
// of, the fastest rate without loss; "" when it is.
func Unfit(r weir.Result) string {
	switch {
	case r.Verdict == NotEnded:
		return "its search had not ended"
	case r.LossRatio > 0:
		return fmt.Sprintf("it allows a loss of %s %%", percent(r.LossRatio))
	case r.ExceedRatio > 0:
		return fmt.Sprintf("%s %% of the trials at one load may lose frames", percent(r.ExceedRatio))
	case r.Claim.Name == unconfirmed:
		return "its trials do not confirm it"
	}
	for _, d := range r.Claim.Demands {
		if !d.Kept && (d.ID == fastestID || d.ID == "" && d.Text == fastestText) {
			return "it is at least that: " + d.Found
		}
	}
	return ""
}

// fastest asks that the DUT, or the medium, ended the search.
func fastest(e Evidence) checklist {
	d := demand{id: fastestID, source: "RFC 2544 section 26.1", level: weir.Must, label: atLeast, kept: true,
		text: fastestText, found: "a faster one lost frames"}
	medium, known := e.Figure(TheoreticalMaximum)
	_, plan := e.Figure(PlanMaximum)
	switch {
	case e.Lower < e.Upper:
		if why := unproven(e, e.LossRatio); why != "" {
			d.kept, d.found = false, why
		}
	case known && e.Lower >= medium*(1-1e-9):
		d.found = "it is the most that the medium carries"
	case plan:
		d.kept, d.found = false, "no faster one was tried because of the plan's maximum"
	default:
		d.kept, d.found = false, "no faster one was tried because of the tester's own ceiling"
	}
	return checklist{d}
}
