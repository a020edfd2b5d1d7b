package claim

// NotEnded is the Result.Verdict of a search that was cut short: its bounds
// are what was known by then.
const NotEnded = "search not ended"

// AnyLoad is the Result.Verdict of a search for a load without loss, or with no more than
// some, that has found a loss of every load (Result.Finding), and the name of its result.
const AnyLoad = "loss at every load"

// AtMost is the Result.Verdict of a time that is less than what can be
// distinguished: the value is that, and the time is at most as long.
const AtMost = "at most"

// Figures of a result that a claim is decided from, in addition to the trials, or that
// others look for by name. Those that programs found are in package weir.
const (
	// TheoreticalMaximum is what the medium carries, in frames/s over all sending
	// ports; without this figure the medium has no limit that is known.
	TheoreticalMaximum = "theoretical maximum"
	// InLongerWindows is how many times more an arm forwards in terms of the baseline in
	// windows of twice the length.
	InLongerWindows = "in windows of twice the length, times"
	// PlanMaximum is the highest load that the plan allowed, in frames/s over all
	// sending ports, where that was less than medium and tester could do.
	PlanMaximum = "maximum of the plan"
	// Throughput is the rate without loss of which the load of the trials is a
	// share, in frames/s over all sending ports.
	Throughput = "throughput"
	// Accuracy is how long one frame to each route takes, in seconds (RFC 7747
	// section 4.6): a time is known to that.
	Accuracy = "accuracy"
	// Repetitions is how often the longest burst was looked for from the start
	// (RFC 9004 section 6.3).
	Repetitions = "repetitions"

	// MaximumOffered is the maximum offered load (RFC 2285 section 3.5.3), in frames/s
	// over all sending ports, and LossAtMaximum the loss ratio there.
	MaximumOffered = "maximum offered load"
	LossAtMaximum  = "loss at the maximum offered load"
	// LoadStep is how far the loads of a curve differ, as a share of the highest.
	LoadStep = "step"
	// Load is at what a result was measured, in frames/s over all sending ports.
	Load = "load"
	// TaggedFrames is how many single frames a latency was taken of (RFC 2544 section 26.2).
	TaggedFrames = "tagged frames"

	// MeanOfTrials and DeviationOfTrials are of the values that the trials have each,
	// in the unit of the result.
	MeanOfTrials      = "mean of the trials"
	DeviationOfTrials = "standard deviation of the trials"
	// RoutesLearnt is how many routes were learnt in a second (RFC 3222 section 6.2).
	RoutesLearnt = "routes learnt"

	// Windows is how many windows a saturated rate was looked for in, and
	// CountingWindows how many of them nothing disturbed.
	Windows         = "windows"
	CountingWindows = "windows that count"

	// OverloadKnee is the knee that the sweep of an overload found, in frames/s over
	// all sending ports.
	OverloadKnee = "knee at loss 0.5 %"
	// BlindFRMOL is the FRMOL while nothing asked the DUT for signs of life, in
	// frames/s over all sending ports.
	BlindFRMOL = "FRMOL without probes"
	// OverloadRecovery is how long frames were lost after an overload, in seconds.
	OverloadRecovery = "recovery time"

	// CPUOfSource and CPUOfDestination are the CPU time of the programs of a transfer,
	// as a share of the time that it took: 2 is two CPUs.
	CPUOfSource      = "CPU of the programs at the source"
	CPUOfDestination = "CPU of the programs at the destination"

	// MLFRRAll is the MLFRR of all windows, none left out, in frames/s over all
	// sending ports; MLFRRWindows is how many windows the MLFRR is the median of,
	// of those that nothing disturbed.
	MLFRRAll     = "MLFRR, all windows"
	MLFRRWindows = "windows at the MLFRR"

	ShortestBurst   = "shortest of the repetitions"           // frames (RFC 9004 section 6.4)
	LongestBurst    = "longest of the repetitions"            // frames (RFC 9004 section 6.4)
	BurstDeviation  = "standard deviation of the repetitions" // frames (RFC 9004 section 6.4)
	CorrectedBuffer = "corrected buffer time"                 // s (RFC 9004 section 6.4)
)
