package method

import (
	"fmt"

	"weir"
)

// kneeFigure is the name of the figure that is the knee at a loss ratio: the
// highest load, in frames/s over all ports, at which the median window of a
// sweep lost no more.
func kneeFigure(loss float64) string { return fmt.Sprintf("knee at loss %v", loss) }

// kneeOf is the knee that a sweep found for a loss ratio: its figure for that,
// or else its value where that is for no greater loss; 0 when there is none.
func kneeOf(r weir.Result, loss float64) float64 {
	if r.Method != sweepName {
		return 0
	}
	if knee, ok := r.Figure(kneeFigure(loss)); ok && knee > 0 {
		return knee
	}
	if r.LossRatio <= loss {
		return r.Value
	}
	return 0
}
