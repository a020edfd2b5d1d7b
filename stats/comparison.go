package stats

import (
	"math"

	"weir"
)

// Observation is what one run found.
type Observation struct {
	Block int     // the runs that it is compared within; 0: there are no blocks
	Arm   string  // what was set
	Value float64 // > 0
	Order int     // its number in the order of measuring, from 1; 0: not known
	Doubt string  // why the run, and its block, do not count: "the machine was busy"; "": they do
}

// Options say what is compared, and when a difference is one.
type Options struct {
	Baseline   string   // the arm that the others are compared with; "": the first that there is
	Again      string   // the arm that is the baseline once more (A/A); "": there is none
	Arms       []string // the order in which the others are told; those that it leaves out come in the order of appearance
	Confidence float64  // of intervals and verdicts, 0 to 1; 0: 0.95
	Detect     float64  // the smallest relative change that matters; 0: not said
	Margin     float64  // relative changes below it make no difference; 0: not said
	Beside     bool     // the arms of a block were measured at once: a baseline that differs from itself widens the bounds beside it, and vetoes nothing
}

// Verdict is what may be said of a difference.
type Verdict string

// The verdicts.
const (
	Proven       Verdict = "difference proven"
	Equivalent   Verdict = "equivalent"   // all of its interval is within Options.Margin, whether or not it is 0
	Inconclusive Verdict = "inconclusive" // more runs are needed; Effect.More says how many
	Vetoed       Verdict = "vetoed"       // the measurement does not allow a verdict; Comparison.Vetoes say why
)

// Interval is an estimate with the bounds of its confidence interval. Changes
// are relative: -0.142 is 14.2 % less.
type Interval struct {
	Estimate float64 `json:"estimate"`
	Lower    float64 `json:"lower"`
	Upper    float64 `json:"upper"`
}

// Unknown is the Interval of which nothing is known.
var Unknown = Interval{math.NaN(), math.NaN(), math.NaN()}

// Summary describes the runs of one arm, those in doubt left out.
type Summary struct {
	Arm       string  `json:"arm"`
	N         int     `json:"n"`
	Min       float64 `json:"min"`
	Max       float64 `json:"max"`
	Median    float64 `json:"median"` // the mean of the middle two of an even number
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"` // of the sample (n - 1)
	// Interval is that of the arm's rate: the geometric mean with its bounds, as
	// the model has it. Within blocks it is the rate in the blocks that there
	// were, without what differs between them.
	Interval Interval `json:"interval"`
}

// Effect is how an arm differs from the baseline.
type Effect struct {
	Arm      string   `json:"arm"`
	Change   Interval `json:"change"`         // relative to the baseline, by itself: its bounds know nothing of Holm
	P        float64  `json:"p"`              // of no difference, for this comparison alone
	Adjusted float64  `json:"adjusted"`       // by Holm, over all comparisons that were judged together; P before that
	RankP    float64  `json:"rank_p"`         // of Mann-Whitney or, within blocks, of the permutations
	Welch    Interval `json:"welch"`          // what Welch's interval would be without the blocks
	Verdict  Verdict  `json:"verdict"`        // "" before Judge
	More     int      `json:"more,omitempty"` // about how many more runs a side a verdict takes, at most MostRuns; 0: none, or not known
	Error    float64  `json:"error"`          // standard error of the logarithm of the ratio to the baseline
	Freedom  float64  `json:"freedom"`        // degrees of freedom of Error
	// Below and Above are by how much further out than chance would have them the
	// bounds of Change are to lie once it is judged, as logarithms: what the
	// measurement may have taken from one of the two.
	Below float64 `json:"below,omitempty"`
	Above float64 `json:"above,omitempty"`
	// AtLeast: values of the arm are lower bounds, so that Change has no upper one.
	// AtMost: those of the baseline are, so that it has no lower one. Set before Judge,
	// they leave one verdict: that the arm differs in the direction which is known.
	AtLeast bool `json:"at_least,omitempty"`
	AtMost  bool `json:"at_most,omitempty"`

	chance *Interval // Change as chance alone has it, once it has been judged
}

// Comparison is what the runs of several arms say.
type Comparison struct {
	Baseline  string         `json:"baseline"`
	Arms      []Summary      `json:"arms"`              // the baseline first, then its A/A, then the others in the order of Options.Arms
	Effects   []Effect       `json:"effects"`           // of each arm but the baseline and its A/A
	Same      *Effect        `json:"same"`              // the baseline against itself (A/A); nil: it was not measured twice
	Blocks    int            `json:"blocks"`            // that count; 0: it was analysed without blocks
	LeftOut   int            `json:"left_out"`          // blocks that do not count, or runs where there are no blocks
	Deviation float64        `json:"deviation"`         // relative, between runs of one arm within a block
	Freedom   float64        `json:"freedom"`           // degrees of freedom of Deviation
	Drift     Interval       `json:"drift"`             // relative change from the first third of the runs to the last, arms apart; all 0 where it is not known
	DriftP    float64        `json:"drift_p"`           // of no drift; 1 where it is not known
	Stretch   *Stretch       `json:"stretch,omitempty"` // the runs in a row that differ most from the others; nil: none do
	Vetoes    []weir.Warning `json:"vetoes,omitempty"`
	Warnings  []weir.Warning `json:"warnings,omitempty"`
}

// Stretch is a number of runs in a row on which something lay that did not lie
// on the others, whatever their arms.
type Stretch struct {
	First  int     `json:"first"`  // Observation.Order of its first run
	Last   int     `json:"last"`   // Observation.Order of its last run
	Change float64 `json:"change"` // relative to the other runs
	P      float64 `json:"p"`      // that some stretch differs as much by chance
}

// The reasons to doubt a comparison.
const (
	BaselineDiffers weir.WarningCode = "baseline-differs" // from itself (A/A)
	UnequalRuns     weir.WarningCode = "unequal-runs"     // arms have very different numbers of runs
	UnequalSpread   weir.WarningCode = "unequal-spread"   // arms vary very differently
	NoSpread        weir.WarningCode = "no-spread"        // all runs of an arm found the same
	RunsInWaves     weir.WarningCode = "runs-in-waves"    // neighbours are more alike than others, and there are no blocks
	BlocksLeftOut   weir.WarningCode = "blocks-left-out"  // some runs are in doubt, and do not count
)
