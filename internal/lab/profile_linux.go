package lab

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/telemetry"
)

// profiled samples what the DUT's CPUs do during a trial that asks for it; it is
// a hook.
func profiled(of bed) hook {
	return func(ctx context.Context, t weir.Trial) (func(*weir.TrialResult), error) {
		if !t.Profile {
			return nil, nil
		}
		s, err := telemetry.StartSampler(ctx, of.TesterHost(), of.CPUs().DUT)
		if err != nil {
			return nil, fmt.Errorf("profile the DUT: %w", err)
		}
		return func(r *weir.TrialResult) {
			p, err := s.Stop()
			if err != nil {
				return // there is no profile, and the method says so
			}
			r.Profile = &p
		}, nil
	}
}
