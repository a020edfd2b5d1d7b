package lab

import (
	"context"
	"time"

	"weir"
	"weir/internal/agent"
)

// poller is the process that takes the frames from the DUT's ports in some
// conditions; there is none in others.
type poller struct {
	process agent.Poller
	pause   time.Duration
}

// pollLimit is how long the process may take to do as it is told.
const pollLimit = 5 * time.Second

// poll is a testbed.Poller.
func (p *poller) poll(host weir.Host, cpus []int, napis []uint32, pause time.Duration) (threads []int, err error) {
	if len(napis) == 0 || pause != p.pause {
		if err := p.close(); err != nil || len(napis) == 0 {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), pollLimit)
	defer cancel()
	if p.process.Agent == nil {
		if p.process, err = agent.StartPoller(ctx, agent.Place{Host: host, CPUs: cpus}, pause); err != nil {
			return nil, err
		}
		p.pause = pause
	}
	return p.process.Poll(ctx, napis)
}

// close ends the process, if there is one.
func (p *poller) close() error {
	if p.process.Agent == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), pollLimit)
	defer cancel()
	err := p.process.Stop(ctx)
	p.process = agent.Poller{}
	return err
}
