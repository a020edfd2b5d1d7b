package lab

import (
	"context"
	"slices"
	"time"

	"weir/internal/agent"
	"weir/internal/campaign"
	"weir/internal/method"
	"weir/internal/plan"
	"weir/internal/settings"
)

// exchanged adds to what an observer sees, where the plan has sweeps, how long a cache line
// takes from the generator's CPU to the DUT's right before and right after a trial: it tells
// phases of the machine from those of a DUT. The line is passed while nothing else is
// observed. No trial fails for want of it.
func (l *netnsLab) exchanged(ctx context.Context, undo *settings.Undo, observe campaign.Observer) campaign.Observer {
	cpus := l.bed.CPUs()
	sweeps := slices.ContainsFunc(l.plan.Steps, func(s plan.Step) bool { return s.Method.Kind == method.Knee })
	if !sweeps || len(cpus.Generator) == 0 || len(cpus.DUT) == 0 || cpus.Generator[0] == cpus.DUT[0] {
		return observe
	}
	e, err := agent.StartExchange(ctx, agent.Place{Host: l.bed.TesterHost()}, cpus.Generator[0], cpus.DUT[0])
	if err != nil {
		return observe
	}
	undo.Add(e.Stop)
	return func(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
		before, _ := e.Measure(ctx) // 0: not known
		done, err := observe(ctx)
		if err != nil {
			return nil, err
		}
		return func(sending time.Duration) (campaign.Observation, error) {
			seen, err := done(sending)
			seen.Host.Exchange[0] = before
			seen.Host.Exchange[1], _ = e.Measure(context.WithoutCancel(ctx))
			return seen, err
		}, nil
	}
}
