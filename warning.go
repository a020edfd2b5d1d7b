package weir

import "slices"

// WarningCode is the stable name of a kind of warning.
type WarningCode string

// The reasons to doubt a measured result.
const (
	OfferedShort       WarningCode = "offered-short"         // the tester sent less than was asked
	TesterLimited      WarningCode = "tester-limited"        // the result is near the tester's own ceiling
	BeyondTester       WarningCode = "beyond-tester"         // loads that were asked for are more than the tester or the medium can do: nothing is known of these
	ReceiverSaturated  WarningCode = "receiver-saturated"    // the tester's receiver dropped frames
	StealTime          WarningCode = "steal-time"            // the hypervisor gave the CPUs to others
	BusyMachine        WarningCode = "busy-machine"          // other processes used the CPUs
	AnotherWeir        WarningCode = "another-weir"          // another weir measured on some of the CPUs meanwhile
	SharedCPU          WarningCode = "shared-cpu"            // tester and DUT share one CPU
	GeneratorStalled   WarningCode = "generator-stalled"     // the generator was kept from sending for a while
	GeneratorPaused    WarningCode = "generator-paused"      // the generator did not run for a part of the trial
	NegativeLoss       WarningCode = "negative-loss"         // more came back than was sent
	UnexplainedLoss    WarningCode = "unexplained-loss"      // frames vanished at no known counter
	FramesCorrupt      WarningCode = "frames-corrupt"        // frames came back damaged
	FramesDuplicated   WarningCode = "frames-duplicated"     // frames came back twice
	FramesReordered    WarningCode = "frames-reordered"      // frames came back late
	LoadIndependent    WarningCode = "load-independent-loss" // the same frames, or the same share of them, are lost at every load
	NothingForwarded   WarningCode = "nothing-forwarded"     // no test frame came back
	NoisyResult        WarningCode = "noisy-result"          // repeated trials at one load disagreed, or those at the throughput lost frames
	SeveralSpeeds      WarningCode = "several-speeds"        // the DUT, or its machine, changed its speed during a search
	ShortWindows       WarningCode = "short-windows"         // windows were too short for what the DUT can hold
	HeldFrames         WarningCode = "held-frames"           // a queue or bucket of the DUT takes more than it forwards for as long as a trial lasts
	SearchLimit        WarningCode = "search-limit"          // the search ended at the edge of its range
	TrialRepeated      WarningCode = "trial-repeated"        // a lossy trial that was disturbed was measured again
	SlowBackend        WarningCode = "slow-backend"          // live frames, or native XDP for receiving, were not to be had
	EventLate          WarningCode = "event-late"            // something was not done to the DUT when it should have been
	FormulaDoesNotHold WarningCode = "formula-does-not-hold" // what a formula of an RFC takes for granted is not so
	QueriesUnanswered  WarningCode = "queries-unanswered"    // the DUT did not answer the management queries of the trial
	StreamsUntold      WarningCode = "streams-untold"        // frames were of more streams than the receiver tells apart, and not counted
	WitnessSilent      WarningCode = "witness-silent"        // a switch was to say what it dropped, and did not
	FramesLeftOut      WarningCode = "frames-left-out"       // a capture has frames that cannot be sent
	ClaimNotEarned     WarningCode = "claim-not-earned"      // the plan asked for a name that the result has not earned
	TCPMemory          WarningCode = "tcp-memory"            // the kernel was short of memory for TCP during a transfer
	DiskBound          WarningCode = "disk-bound"            // a file transfer was as fast as the storage of one side
	UnstableRate       WarningCode = "unstable-rate"         // the rate of a transfer fluctuated
	Interrupted        WarningCode = "interrupted"           // what was found until the campaign was interrupted
	NoRoundTrips       WarningCode = "no-round-trips"        // no frame that was to be timed came back to its sender
	PauseFrames        WarningCode = "pause-frames"          // the tester was told to wait by PAUSE frames
	Implausible        WarningCode = "implausible"           // a value that was imported is none that can be
	ImplausibleFigure  WarningCode = "implausible-figure"    // a figure beside a value that was imported is none that can be
	MachineChanged     WarningCode = "machine-changed"       // an interrupted campaign went on in another environment
)

// Warning says why a measured result may not be what it seems. What could not
// be measured is an error; what was lost is a result.
type Warning struct {
	Code WarningCode `json:"code"`
	Sentence
}

// Warn returns a warning that says something, with its figures.
func Warn(code WarningCode, format string, args ...any) Warning {
	return Warning{code, Say(format, args...)}
}

// Same reports whether two warnings say the same.
func (w Warning) Same(o Warning) bool { return w.Code == o.Code && w.Text == o.Text }

// AddWarning returns ws with w, or unchanged when it is there already: a
// result says everything once, but may have several doubts of one code.
func AddWarning(ws []Warning, w Warning) []Warning {
	if slices.ContainsFunc(ws, w.Same) {
		return ws
	}
	return append(ws, w)
}

// HasWarning reports whether a list has a warning of one of several codes.
func HasWarning(ws []Warning, codes ...WarningCode) bool {
	return slices.ContainsFunc(ws, func(w Warning) bool { return slices.Contains(codes, w.Code) })
}
