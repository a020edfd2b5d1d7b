package plan

import "time"

// Defaults and bounds of the values in a plan.
const (
	defaultResidual = 50 * time.Millisecond // in a lab of one machine nothing is under way for longer

	maxWait    = 10 * time.Minute
	shortest   = 10 * time.Millisecond // trial
	longest    = 24 * time.Hour        // trial
	mostTrials = 1000                  // at one load
	mostRounds = 100                   // of one plan

	shortestWindow = 100 * time.Microsecond
	longestWindow  = 10 * time.Second
	fewestWindows  = 100  // in the time of a sweep: blocks of 20 loads, and the coarse ones
	fewestOverload = 200  // in the time of an overload: those of a sweep, and three times up and down ten loads, which are longer
	calmShare      = 4    // the part of the time of a sweep that its trial for the latency may take
	fewestBlocks   = 50   // windows in the time of a saturated rate, of all arms
	mostSweptLoss  = .5   // that a sweep looks for
	mostSizes      = 64   // of one plan
	mostLevels     = 64   // of one plan
	mostGoals      = 16   // of one search
	mostWeight     = 1000 // of one size in a mix

	mostFilters  = 1000
	mostRules    = 10_000
	mostBurst    = 1 << 20
	mostNetworks = 256 // behind one port: those of frame.DestinationNetworks
	mostLoad     = 10  // times the throughput

	mostStreams  = 128
	leastPayload = 16         // octets of a UDP datagram, that say which one it is
	mostPayload  = 65_507     // octets of a UDP datagram over IPv4
	mostSessions = 60_000     // of PPPoE at one concentrator
	mostPADIs    = 10_000_000 // of a flood, in a second
	mostFiles    = 10_000
)
