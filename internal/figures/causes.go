package figures

import (
	"slices"

	"weir"
)

// causes are the warnings that name what disturbs a tester and the command that mends it.
var causes = []weir.WarningCode{weir.SlowBackend, weir.SharedCPU, weir.PauseFrames}

// Causes are what is known to disturb trials, with what mends it, each once.
func Causes(trials ...weir.TrialResult) (out []string) {
	for _, t := range trials {
		for _, w := range t.Warnings {
			if slices.Contains(causes, w.Code) && !slices.Contains(out, w.Text) {
				out = append(out, w.Text)
			}
		}
	}
	return out
}
