package campaign

import "time"

// Defaults and bounds of the values in a plan.
const (
	defaultResidual = 50 * time.Millisecond // in a lab of one machine nothing is under way for longer

	maxWait    = 10 * time.Minute
	shortest   = 10 * time.Millisecond // trial
	longest    = 24 * time.Hour        // trial
	mostTrials = 1000                  // at one load
	mostSizes  = 64                    // levels of one plan
)
