package campaign

import (
	"context"
	"errors"
	"fmt"
)

// ErrNobody says that a plan cannot be measured, as nobody sits before weir.
var ErrNobody = errors.New("levels of this plan are set by hand (a command with a name alone), and nobody can be asked, as standard input has nothing to say, or was the plan (give that as a file), or its terminal cannot be written to: run weir at a terminal, or give these levels commands (do: and undo:)")

// mostPrompts is how often a person is asked to mend a DUT that does not answer.
const mostPrompts = 3

// byHandError says that nobody has set the DUT. It ends a campaign: each run after
// this one would wait for somebody, too.
type byHandError struct{ err error }

func (e *byHandError) Error() string { return fmt.Sprintf("the box was not set by hand: %v", e.err) }
func (e *byHandError) Unwrap() error { return e.err }

// setByHand has a person set the DUT for the level, unless they have set it so already,
// and waits until it answers: it may have started anew. At the first run they are asked
// in any case: nobody knows what an earlier campaign, or somebody since, has left there.
func (r *run) setByHand(ctx context.Context) error {
	level := r.level.Condition.ByHand()
	if !r.hasManualSteps || r.asked && level == r.byHand {
		return nil
	}
	do := fmt.Sprintf("Set the box to %q by hand, then press Enter:", level)
	switch {
	case level == "" && r.byHand == "":
		do = "Make sure that the box is set as usual, with nothing of this plan, then press Enter:"
	case level == "":
		do = fmt.Sprintf("Set the box back (it was set to %q), then press Enter:", r.byHand)
	}
	if err := r.prompt(ctx, do); err != nil {
		return &byHandError{err}
	}
	r.byHand, r.asked = level, true
	if r.campaign.Manifest.Experiment == nil {
		return nil
	}
	counted := *r.campaign.Manifest.Experiment
	counted.ByHand++
	counted.Left = level
	r.campaign.Manifest.Experiment = &counted
	return r.recordManifest(ctx)
}

// prompt has something done at the DUT, and done again while that does not answer.
func (r *run) prompt(ctx context.Context, do string) error {
	for attempt := 1; ; attempt++ {
		if err := r.lab.Prompt(ctx, do); err != nil || r.lab.Answers == nil {
			return err
		}
		err := r.lab.Answers(ctx)
		if err == nil || ctx.Err() != nil || attempt == mostPrompts {
			return err
		}
		do = fmt.Sprintf("No frame gets through the box: %v. Mend that, then press Enter:", err)
	}
}
