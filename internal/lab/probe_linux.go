package lab

import (
	"context"
	"errors"
	"fmt"

	"weir"
	"weir/internal/agent"
	"weir/internal/testbed"
)

// prober asks the DUT's control plane for signs of life: a program of ordinary
// priority on the DUT's CPUs, and one of the tester that watches it over the
// control link. Both begin with the first trial that wants them, and sleep
// while none does.
type prober struct {
	bed   *testbed.Netns
	heart agent.Heartbeat
	watch agent.Watch
}

func (p *prober) start(ctx context.Context) (err error) {
	if p.heart.Agent == nil {
		at := agent.Place{Host: p.bed.DUT().Host, CPUs: p.bed.CPUs().DUT}
		if p.heart, err = agent.StartHeartbeat(ctx, at, p.bed.ControlDUT.Addr()); err != nil {
			return err
		}
	}
	if p.watch.Agent == nil {
		at := agent.Place{Host: p.bed.TesterHost(), CPUs: p.bed.CPUs().Receiver}
		p.watch, err = agent.StartWatch(ctx, at, agent.WatchSettings{Target: p.bed.ControlDUT.Addr()})
	}
	return err
}

// accompany probes during a trial that asks for it; it is a hook.
func (p *prober) accompany(ctx context.Context, t weir.Trial) (func(*weir.TrialResult), error) {
	if !t.Probe {
		return nil, nil
	}
	err := p.start(ctx)
	if err == nil {
		err = p.heart.Begin(ctx, t.Length())
	}
	if err == nil {
		err = p.watch.Begin(ctx, t.Length())
	}
	if err != nil {
		return nil, fmt.Errorf("probe the DUT's control plane: %w", err)
	}
	return func(r *weir.TrialResult) {
		ctx := context.WithoutCancel(ctx)
		gap, heartErr := p.heart.Report(ctx)
		probe, watchErr := p.watch.Report(ctx)
		if err := errors.Join(heartErr, watchErr); err != nil {
			return // there is no probe; the next trial that wants one fails with the reason
		}
		probe.Heartbeat = gap
		r.Probe = &probe
	}, nil
}

func (p *prober) close() error {
	var err error
	for _, a := range []*agent.Agent{p.watch.Agent, p.heart.Agent} {
		if a != nil {
			err = errors.Join(err, a.Stop(context.Background()))
		}
	}
	return err
}
