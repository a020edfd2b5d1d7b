package campaign

import (
	"context"
	"fmt"

	"weir"
)

// numbered gives the trials of a campaign their numbers, after the last one of
// those recorded, from 1. A trial that could not be measured has none.
func numbered(last int) link {
	return func(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
		t.Number = last + 1
		r, err := measure(ctx, t)
		if err != nil {
			return r, err
		}
		last++
		r.Trial.Number = last
		return r, nil
	}
}

// observed notes what else the machine did during each trial, what it cost
// the DUT, and the readings of the DUT's machine.
func observed(observe Observer) link {
	return func(ctx context.Context, t weir.Trial, measure weir.Measurer) (weir.TrialResult, error) {
		if observe == nil {
			return measure(ctx, t)
		}
		done, err := observe(ctx)
		if err != nil {
			return weir.TrialResult{}, fmt.Errorf("observe the machine before trial %d: %w", t.Number, err)
		}
		r, err := measure(ctx, t)
		if err != nil {
			return r, err
		}
		seen, err := done(r.Sending)
		if err != nil {
			return weir.TrialResult{}, fmt.Errorf("observe the machine after trial %d: %w", t.Number, err)
		}
		r.Host, r.DUTCPU = seen.Host, seen.DUTCPU
		r.Readings = append(r.Readings, seen.Readings...) // a lab may have some of its own
		return r, nil
	}
}
