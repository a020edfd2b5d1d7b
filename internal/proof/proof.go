// Package proof says what the runs of a campaign prove: it sorts results into
// comparisons, has package stats judge them, and knows which doubts about a
// measurement forbid a verdict. It renders nothing and measures nothing.
package proof

import (
	"weir"
	"weir/stats"
)

// Proof is what the runs of a campaign prove.
type Proof struct {
	Experiment  weir.Experiment
	Comparisons []Comparison   // in the order of the plan: each method and traffic; of figures right behind that of their value
	Effects     []Effects      // of experiments with several factors
	Vetoes      []weir.Warning // that hold for all comparisons; each of them has them too
	Warnings    []weir.Warning // about all comparisons
}

// Comparison is what one method found with one traffic, at all arms. Those of metrics beside the
// value describe: those of each are judged by themselves, and Holm's limits for values are not
// raised by them.
type Comparison struct {
	Method      string
	Claim       string        // that all its results have earned; "" where they differ
	LossRatio   float64       // that meets the goal of the method; 0 where it has no goal
	ExceedRatio float64       // share of the trials at one load that may miss the goal
	Unit        string        // of the values: "frames/s", "s"
	Figure      string        // the metric that is compared (result.Comparing); "": the value
	Traffic     string        // name of the size or mix
	Factors     weir.Factors  // the levels that all its runs share, the frame size among them
	Transfer    weir.Transfer // what end hosts did, without its seed; zero: test frames were sent
	Arm         string        // that all its runs have, where campaigns are compared; "": arms are
	Runs        []Sample      // in the order of measuring
	open        []string      // arms of which a run that counts says what there is at least
	// Doubted: too few runs count for a comparison, and Arms and Effects are of all that
	// have a value, for a reader alone (stats.Describe). Of one that nothing was measured
	// for there are only vetoes, and no arms.
	Doubted bool
	stats.Comparison
}

// Again ends the arm of a baseline that was measured once more (A/A).
const Again = " (A/A)"

// Sample is one run of a comparison.
type Sample struct {
	Run    weir.Run
	Arm    string // in the comparison: with Again for the A/A, or a campaign
	Value  float64
	Doubt  string // why it does not count; "": it does
	Beside bool   // it is as good as any, and the doubt is that of another run of its block
	// AtLeast: Value is a lower bound, as the tester, the medium or the plan allowed no
	// higher load, or Slow.
	AtLeast bool
	Slow    bool // it is one as the DUT, or its machine, was faster at other times
	Result  *weir.Result
}

// Effects are the main effects of factors and their interactions, by least
// squares, of one method and figure. See stats.Factorial for what they mean.
type Effects struct {
	Method    string
	LossRatio float64
	Unit      string
	Transfer  weir.Transfer // as of a Comparison
	Terms     []Term
	Vetoes    []weir.Warning // of the comparisons whose runs these are
}

// Term is one effect: of a level, or of two levels together beyond what each
// does by itself.
type Term struct {
	Factors []string // one for a main effect
	Levels  []string // in the order of Factors
	Change  stats.Interval
	P       float64
}
