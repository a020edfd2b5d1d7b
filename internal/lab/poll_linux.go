package lab

import (
	"context"
	"errors"
	"time"

	"weir"
	"weir/internal/agent"
)

// pollers are the processes that take the frames from the ports of a host, the DUT or an
// end host, in some conditions, by its name; there are none in others.
type pollers map[string]*poller

// poller is one of them.
type poller struct {
	process agent.Poller
	pause   time.Duration
}

// pollLimit is how long the process may take to do as it is told, on a busy machine.
const pollLimit = 30 * time.Second

// poll is a testbed.Poller.
func (all pollers) poll(host weir.Host, cpus []int, napis []uint32, pause time.Duration) (threads []int, err error) {
	p := all[host.Name()]
	if p == nil {
		p = &poller{}
		all[host.Name()] = p
	}
	return p.poll(host, cpus, napis, pause)
}

// close ends all processes that there are.
func (all pollers) close() (err error) {
	for _, p := range all {
		err = errors.Join(err, p.close())
	}
	return err
}

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
