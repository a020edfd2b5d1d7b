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
	Comparisons []Comparison   // in the order of the plan: each method and traffic
	Effects     []Effects      // of experiments with several factors
	Vetoes      []weir.Warning // that hold for all comparisons
}

// Comparison is what one method found with one traffic, at all arms.
type Comparison struct {
	Method    string
	Claim     string       // that all its results have earned; "" where they differ
	LossRatio float64      // that meets the goal of the method
	Unit      string       // of the values: "frames/s", "s"
	Figure    string       // of the results that is compared; "": their value
	Traffic   string       // name of the size or mix
	Factors   weir.Factors // the levels that all its runs share, the frame size among them
	Runs      []Sample     // in the order of measuring
	stats.Comparison
}

// Sample is one run of a comparison.
type Sample struct {
	Run    weir.Run
	Value  float64
	Doubt  string // why it does not count; "": it does
	Result *weir.Result
}

// Effects are the main effects of factors and their interactions, by least
// squares, of one method and figure.
type Effects struct {
	Method    string
	LossRatio float64
	Unit      string
	Terms     []Term
}

// Term is one effect: of a level, or of several levels together beyond what
// each does by itself.
type Term struct {
	Factors []string // one for a main effect
	Levels  []string // in the order of Factors
	Change  stats.Interval
	P       float64
}
