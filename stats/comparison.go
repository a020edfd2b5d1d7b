package stats

import "weir"

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
	Baseline   string  // the arm that the others are compared with
	Again      string  // the arm that is the baseline once more (A/A); "": there is none
	Confidence float64 // of intervals and verdicts, 0 to 1; 0: 0.95
	Detect     float64 // the smallest relative change that matters; 0: not said
	Margin     float64 // relative changes below it make no difference; 0: not said
}

// Verdict is what may be said of a difference.
type Verdict string

// The verdicts.
const (
	Proven       Verdict = "difference proven"
	Equivalent   Verdict = "equivalent"   // within Options.Margin, proven by two one-sided tests
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
	// the model has it.
	Interval Interval `json:"interval"`
}

// Effect is how an arm differs from the baseline.
type Effect struct {
	Arm      string   `json:"arm"`
	Change   Interval `json:"change"`   // relative to the baseline
	P        float64  `json:"p"`        // of no difference, for this comparison alone
	Adjusted float64  `json:"adjusted"` // by Holm, over all comparisons that were judged together
	RankP    float64  `json:"rank_p"`   // of Mann-Whitney or, within blocks, of the permutations
	Welch    Interval `json:"welch"`    // what Welch's interval would be without the blocks
	Verdict  Verdict  `json:"verdict"`
	More     int      `json:"more,omitempty"` // about how many more runs a side a verdict takes; 0: none, or not known
}

// Comparison is what the runs of several arms say.
type Comparison struct {
	Baseline  string         `json:"baseline"`
	Arms      []Summary      `json:"arms"`    // the baseline first, then its A/A, then the others in the order of appearance
	Effects   []Effect       `json:"effects"` // of each arm but the baseline and its A/A
	Same      *Effect        `json:"same"`    // the baseline against itself (A/A); nil: it was not measured twice
	Blocks    int            `json:"blocks"`  // that count; 0: it was analysed without blocks
	LeftOut   int            `json:"left_out"`
	Deviation float64        `json:"deviation"` // relative, between runs of one arm within a block
	Drift     Interval       `json:"drift"`     // relative change from the first third of the runs to the last, arms apart
	Vetoes    []weir.Warning `json:"vetoes,omitempty"`
	Warnings  []weir.Warning `json:"warnings,omitempty"`
}
