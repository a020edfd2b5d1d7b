package report

import (
	"fmt"

	"weir"
	"weir/internal/document"
	"weir/internal/figures"
)

// maxTrials is the most trials that a page lists.
const maxTrials = 500

// trialSections adds all trials, of test frames and of transfers, to a page, and else where
// they are asked for.
func trialSections(d *document.Document, r reported) {
	if r.detail < page && !r.Trials {
		return
	}
	var frames, moved []weir.TrialResult
	for _, t := range r.c.Trials {
		switch {
		case t.Trial.Transfer == nil && len(frames) < maxTrials:
			frames = append(frames, t)
		case t.Trial.Transfer != nil && len(moved) < maxTrials:
			moved = append(moved, t)
		}
	}
	d.Fold("trials", "trials")
	note := document.Paragraph{}
	if listed := len(frames) + len(moved); listed < len(r.c.Trials) {
		note.Text = fmt.Sprintf("These are the first %d; %d more are in the store", listed, len(r.c.Trials)-listed)
	}
	d.Add("trials", note, document.TableOf(figures.TrialColumnsOf(frames), frames), document.TableOf(figures.TransferColumns, moved))
}
