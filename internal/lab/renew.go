package lab

import (
	"context"
	"fmt"
	"time"

	"weir"
	"weir/internal/campaign"
	"weir/internal/plan"
)

// renewable is a lab that can be taken down and set up anew (Lab.Rebuild), while
// those who use it keep the functions that they were given.
type renewable struct {
	lab   campaign.Lab
	close func() error
	open  func(context.Context, plan.Testbed) (campaign.Lab, func() error, error)
}

// renewed opens the testbed of a plan so that it can be set up anew.
func renewed(ctx context.Context, kind Kind, p plan.Plan) (campaign.Lab, func() error, error) {
	r := &renewable{open: func(ctx context.Context, t plan.Testbed) (campaign.Lab, func() error, error) {
		other := p
		other.Testbed = t
		return kind.open(ctx, other)
	}}
	var err error
	if r.lab, r.close, err = r.open(ctx, p.Testbed); err != nil {
		return campaign.Lab{}, nil, err
	}
	return r.facade(), func() error { return r.close() }, nil
}

// facade is the lab as it is at the moment, whichever that is.
func (r *renewable) facade() campaign.Lab {
	out := r.lab
	out.Measure = func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) { return r.lab.Measure(ctx, t) }
	if out.Observe != nil {
		out.Observe = func(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
			return r.lab.Observe(ctx)
		}
	}
	if out.Diagnose != nil {
		out.Diagnose = func(ctx context.Context, t weir.Traffic) []string { return r.lab.Diagnose(ctx, t) }
	}
	if out.Apply != nil {
		out.Apply = func(ctx context.Context, c ...weir.Condition) (func(context.Context) error, error) {
			return r.lab.Apply(ctx, c...)
		}
	}
	if out.Cannot != nil {
		out.Cannot = func(ctx context.Context, c weir.Condition) error { return r.lab.Cannot(ctx, c) }
	}
	if out.Answers != nil {
		out.Answers = func(ctx context.Context) error { return r.lab.Answers(ctx) }
	}
	if out.Restart != nil {
		out.Restart = func(ctx context.Context, how weir.Reset) error { return r.lab.Restart(ctx, how) }
	}
	if out.Holds != nil {
		out.Holds = func() error { return r.lab.Holds() }
	}
	out.Rebuild = r.rebuild
	return out
}

// rebuild takes the lab down and sets up another one, or the same anew. When that
// fails there is none.
func (r *renewable) rebuild(ctx context.Context, t plan.Testbed) (campaign.Lab, error) {
	err := r.close()
	r.close = func() error { return nil } // whatever comes next: it is closed once
	if err != nil {
		return campaign.Lab{}, fmt.Errorf("take it down: %w", err)
	}
	lab, closeLab, err := r.open(ctx, t)
	if err != nil {
		return campaign.Lab{}, err
	}
	r.lab, r.close = lab, closeLab
	return r.facade(), nil
}
