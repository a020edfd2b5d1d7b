package claim

// NotEnded is the Result.Verdict of a search that was cut short: its bounds
// are what was known by then.
const NotEnded = "search not ended"

// AtMost is the Result.Verdict of a time that is less than what can be told
// apart: the value is that, and the time is at most as long.
const AtMost = "at most"

// Figures of a result that a claim is decided from, beside the trials.
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
