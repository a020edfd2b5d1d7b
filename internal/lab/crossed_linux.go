package lab

import (
	"context"
	"time"

	"weir"
	"weir/internal/telemetry"
)

// crossingTime is how long the time of a cache line is measured after a trial: some hundred
// crossings.
const crossingTime = 3 * time.Millisecond

// crossed adds to each trial of windows how long a cache line takes from the generator's CPU to
// the DUT's, in the silence after it. A machine whose host moves its CPUs about has several
// speeds, and this time changes with them; a DUT changes nothing of it.
func crossed(cpus weir.CPUs, measure weir.Measurer) weir.Measurer {
	if cpus.Elsewhere || len(cpus.Generator) == 0 || len(cpus.DUT) == 0 || cpus.Generator[0] == cpus.DUT[0] {
		return measure
	}
	return func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := measure(ctx, trial)
		if err == nil && len(trial.Windows) > 0 && !trial.Bypass {
			r.Host.Crossing, _ = telemetry.Crossing(cpus.Generator[0], cpus.DUT[0], crossingTime) // 0: not known
		}
		return r, err
	}
}
