package campaign

import (
	"context"
	"errors"
	"fmt"

	"weir/internal/proof"

	"weir/internal/plan"
)

// mostDisturbed is how many blocks in a row may be disturbed before that is
// reported: what goes on like that proves nothing, however long it takes.
const mostDisturbed = 3

// blockDone counts a block that is over, and reports that, once for each streak, when the last
// ones were all disturbed. Whoever is there may end the campaign, which is the error.
func (r *run) blockDone(ctx context.Context, block int) error {
	e := r.plan.Experiment.Experiment
	any, why := false, ""
	for _, res := range r.campaign.Results {
		if res.Run.Block == block {
			any = true
			if d := proof.DoubtOf(res, e); d != "" {
				why = d
			}
		}
	}
	switch {
	case !any:
		return nil
	case why == "":
		r.disturbed = 0
		return nil
	}
	if r.disturbed++; r.disturbed != mostDisturbed || r.recording.recorded() {
		return nil
	}
	mend := "stop other work, or take a quieter machine"
	if why == proof.LoadTooLow {
		mend = "give the tester more CPUs (testbed.cpus)"
	}
	err := fmt.Errorf("%d blocks in a row do not count (%s): while that lasts nothing will be proven; %s", mostDisturbed, why, mend)
	r.report(Event{Kind: BlocksDisturbed, Err: err})
	if r.lab.Ask == nil || r.lab.Ask(ctx, "Go on all the same?") {
		return ctx.Err()
	}
	return errors.New("ended, as " + err.Error())
}

// endsBlock reports whether the runs that are made at once are the last of their block.
func endsBlock(all [][]plan.Cell, i int) bool {
	return i+1 == len(all) || all[i+1][0].Run.Block != all[i][0].Run.Block
}
