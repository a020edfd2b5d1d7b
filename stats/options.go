package stats

import (
	"fmt"
	"math"
)

// usualConfidence is that of intervals and verdicts where none is asked for.
const usualConfidence = 0.95

// FewestRuns is how many runs of an arm a comparison takes at least: two say
// next to nothing of how much runs differ.
const FewestRuns = 3

// MostRuns is the largest number of runs that anybody is told to make. Where
// it comes out, the answer is that this noise hides this effect.
const MostRuns = 10000

// alpha is how often a verdict may be wrong.
func (o Options) alpha() float64 {
	if o.Confidence == 0 {
		return 1 - usualConfidence
	}
	return 1 - o.Confidence
}

// check says what is wrong with the options.
func (o Options) check() error {
	switch {
	case o.Confidence != 0 && !(o.Confidence >= 0.5 && o.Confidence < 1):
		return fmt.Errorf("a confidence of %v: it has to be between 0.5 and 1, as 0.95", o.Confidence)
	case !(o.Detect >= 0 && o.Detect < 1):
		return fmt.Errorf("a smallest change of %v: it has to be between 0 and 1, as 0.01 for 1 %%", o.Detect)
	case !(o.Margin >= 0 && o.Margin < 1):
		return fmt.Errorf("a margin of %v: it has to be between 0 and 1, as 0.01 for 1 %%", o.Margin)
	case o.Again != "" && o.Again == o.Baseline:
		return fmt.Errorf("the arm %q is both the baseline and its A/A: the second needs a name of its own", o.Again)
	}
	return nil
}

// TooFewError says that an arm has too few runs that count.
type TooFewError struct {
	Arm  string
	Runs int // that count
	Left int // that do not, being in doubt
}

func (e *TooFewError) Error() string {
	if e.Left > 0 {
		return fmt.Sprintf("only %d of the %d runs of %s count, where a comparison takes at least %d of each: the others are in doubt, or in a block with one that is", e.Runs, e.Runs+e.Left, e.Arm, FewestRuns)
	}
	return fmt.Sprintf("there are too few runs: %s has %d, and a comparison takes at least %d of each", e.Arm, e.Runs, FewestRuns)
}

// ValueError says that the value of a run has no logarithm.
type ValueError struct {
	Observation Observation
}

func (e *ValueError) Error() string {
	o := e.Observation
	where := fmt.Sprintf("a run of %s", o.Arm)
	if o.Order > 0 {
		where = fmt.Sprintf("run %d (%s)", o.Order, o.Arm)
	}
	return fmt.Sprintf("%s found %v: values are compared by their ratios and have to be above 0", where, o.Value)
}

// positive reports whether a value has a logarithm.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
