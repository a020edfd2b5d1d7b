package campaign

import (
	"context"
	"time"

	"weir"
)

// settled gives the DUT the time to settle after each trial (RFC 2544 section
// 23 e), which is recorded by then. Simulated DUTs need none.
func settled(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
	r, err := measure(ctx, t)
	if err != nil || r.Simulated || t.Waits.Settle <= 0 {
		return r, err
	}
	timer := time.NewTimer(t.Waits.Settle)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done(): // the next trial will notice
	}
	return r, nil
}
