package campaign

import (
	"fmt"

	"weir"
)

// busyTrials is the share of the trials from which on a campaign is said
// that failed that they were disturbed.
const busyTrials = 0.25

// busy says of trials that a good part of them was disturbed by other work of
// the machine, and what to do; nil where that is not so. A generator that is
// late at a load that is too much for it is not held up.
func busy(trials []weir.TrialResult) error {
	n := 0
	for _, t := range trials {
		if has(t, weir.BusyMachine) || has(t, weir.StealTime) || has(t, weir.GeneratorStalled) && !has(t, weir.TesterLimited) {
			n++
		}
	}
	if n == 0 || float64(n) < busyTrials*float64(len(trials)) {
		return nil
	}
	return fmt.Errorf("the machine was busy in %d of %d trials: stop other work and run again", n, len(trials))
}
