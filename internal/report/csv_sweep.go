package report

import (
	"strconv"

	"weir"
)

// sweepNames are the columns of what sweeps have found beside their value, which
// is the knee at the loss ratio; rates in frames/s, times in seconds.
var sweepNames = []string{"knee_zero", "knee_zero_lower", "knee_zero_upper", "saturated", "saturated_lower", "saturated_upper",
	"interruptions_per_second", "interruptions_p50", "interruptions_max", "windows", "left_out_share", "rounds", "doubtful"}

// sweepCells are those of a result; empty where it is no sweep, or has none.
func sweepCells(r weir.Result) []string {
	if !inWindows(&r) {
		return make([]string, len(sweepNames))
	}
	var out []string
	for _, b := range []weir.Bounds{r.KneeZero, r.Saturated} {
		if b.Value == 0 {
			out = append(out, "", "", "")
			continue
		}
		if early(&r) {
			out = append(out, exact(b.Value), "", "")
			continue
		}
		out = append(out, exact(b.Value), exact(b.Lower), exact(b.Upper))
	}
	i := r.Interruptions
	doubted := !unknown(&r) && (zeroDoubted(&r) || saturatedDoubted(&r) || restDoubted(&r))
	return append(out, exact(i.PerSecond), exact(i.P50), exact(i.Max), strconv.Itoa(r.Windows), exact(r.LeftOutShare), strconv.Itoa(r.Sweep.Rounds), strconv.FormatBool(doubted))
}
