package claim

import (
	"fmt"
	"time"

	"weir"
)

// What RFC 2544 asks of trials.
const (
	FullTrial    = 60 * time.Second  // how long a trial lasts at least (section 24)
	LearningWait = 2 * time.Second   // after the learning frames (section 23 b)
	ResidualWait = 2 * time.Second   // for residual frames (section 23 d)
	SettleWait   = 5 * time.Second   // for the DUT to restabilize (section 23 e)
	FullStream   = 120 * time.Second // how long the stream of a latency trial lasts at least (section 26.2)
	TagAfter     = 60 * time.Second  // when its tagged frame is sent at the earliest (section 26.2)
	FullRepeats  = 20                // of a latency trial, at least (section 26.2)
)

// waits are the pauses of a trial.
func waits(e Evidence) (out checklist) {
	w := e.pauses()
	for _, wait := range []struct {
		id, phase string
		got, want time.Duration
		when      string
	}{
		{"learning-wait", "b", w.Learning, LearningWait, "after the learning frames"},
		{"residual-wait", "d", w.Residual, ResidualWait, "for residual frames"},
		{"settle-wait", "e", w.Settle, SettleWait, "for the DUT to restabilize"},
	} {
		out = append(out, demand{
			id: wait.id, source: "RFC 2544 section 23 " + wait.phase, level: weir.Must, label: shortWaits,
			text:  fmt.Sprintf("wait %v %s", wait.want, wait.when),
			found: fmt.Sprintf("the wait was %v", wait.got), kept: wait.got >= wait.want,
		})
	}
	return out
}

// fullLength is the demand for the duration of trials.
func fullLength(trials []weir.TrialResult, text string) checklist {
	d := shortest(trials)
	found := fmt.Sprintf("these lasted %v", d)
	if len(trials) == 0 {
		found = "there are none"
	}
	return checklist{{
		id: "trial-length", source: "RFC 2544 section 24", level: weir.Should, label: shortTrials,
		text: text, found: found, kept: d >= FullTrial,
	}}
}
