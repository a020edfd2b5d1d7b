package figures

import (
	"slices"

	"weir"
	"weir/internal/method"
	"weir/internal/warning"
)

// Causes are what is known to disturb a good part of the trials: for each kind of cause the
// first one.
func Causes(trials ...weir.TrialResult) (out []weir.Warning) {
	for _, kind := range warning.Kinds() {
		if !kind.Cause {
			continue
		}
		var first weir.Warning
		n := 0
		for _, t := range trials {
			if i := slices.IndexFunc(t.Warnings, func(w weir.Warning) bool { return w.Code == kind.Code }); i >= 0 {
				n++
				if n == 1 {
					first = t.Warnings[i]
				}
			}
		}
		if n > 0 && float64(n) >= method.GoodPart*float64(len(trials)) {
			out = append(out, first)
		}
	}
	return out
}
