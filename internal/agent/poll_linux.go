package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Poller is a process that runs NAPI instances, by asking them for frames again
// and again.
type Poller struct{ *Agent }

// pollSettings are those of the role "poll".
type pollSettings struct {
	CPUs  []int         `json:"cpus"`
	Pause time.Duration `json:"pause"`
}

// StartPoller starts one that polls nothing yet. See CanPoll.
//
// Without a pause it has a thread on each of its CPUs that never sleeps. An
// instance that has a timer for being polled (gro_flush_timeout) and puts off
// its interrupts (napi_defer_hard_irqs) is then run by nobody else. With a pause
// between two rounds it only takes care that such timers expire on its CPUs.
func StartPoller(ctx context.Context, at Place, pause time.Duration) (Poller, error) {
	a, err := startRole(ctx, at, "poll", pollSettings{CPUs: at.CPUs, Pause: pause})
	return Poller{a}, err
}

// Poll shares NAPI instances out among the CPUs, in place of those that they had.
// It returns the IDs of the threads that never sleep.
func (p Poller) Poll(ctx context.Context, napis []uint32) (threads []int, err error) {
	err = p.Ask(ctx, "poll", napis, &threads)
	return threads, err
}

// pollers are the role "poll" being played.
type pollers struct {
	settings pollSettings
	rings    []*ring         // of the CPUs for which there is something to poll
	playing  context.Context // ends with the process
}

func openPoll(ctx context.Context, s pollSettings) (Opened, error) {
	if len(s.CPUs) == 0 {
		return Opened{}, errors.New("there are no CPUs to poll on")
	}
	p := &pollers{settings: s, playing: ctx}
	return Opened{Commands: map[string]Command{"poll": Do(p.poll)}, Close: p.end}, nil
}

func (p *pollers) poll(_ context.Context, napis []uint32) (threads []int, err error) {
	n := len(p.settings.CPUs)
	for i, cpu := range p.settings.CPUs {
		var share []uint32
		for k := i; k < len(napis); k += n {
			share = append(share, napis[k])
		}
		if i == len(p.rings) && len(share) > 0 {
			if err := p.add(cpu); err != nil {
				return nil, err
			}
		}
		if i < len(p.rings) {
			if err := p.rings[i].set(share); err != nil {
				return nil, err
			}
		}
	}
	return ringThreads()
}

// add makes a ring whose instances are polled on a CPU.
func (p *pollers) add(cpu int) error {
	r, err := openRing(p.settings.Pause == 0, cpu)
	if err != nil {
		return err
	}
	if p.settings.Pause > 0 {
		bound := make(chan error)
		go p.pollPeriodically(r, cpu, bound)
		if err := <-bound; err != nil {
			r.close()
			return err
		}
	}
	p.rings = append(p.rings, r)
	return nil
}

// pollPeriodically polls the instances of a ring now and then, on one CPU.
func (p *pollers) pollPeriodically(r *ring, cpu int, bound chan<- error) {
	if err := bindThread(cpu); err != nil {
		bound <- err
		return
	}
	close(bound)
	every := time.NewTicker(p.settings.Pause)
	defer every.Stop()
	for r.pollOnce() == nil {
		select {
		case <-every.C:
		case <-p.playing.Done():
			return
		}
	}
}

func (p *pollers) end() {
	for _, r := range p.rings {
		r.close()
	}
}

// ringThreads are the threads of this process that rings have in the kernel.
func ringThreads() ([]int, error) {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, fmt.Errorf("list this process's threads: %w", err)
	}
	threads := []int{}
	for _, e := range entries {
		name, err := os.ReadFile("/proc/self/task/" + e.Name() + "/comm")
		if err != nil || !strings.HasPrefix(string(name), "iou-sqp-") {
			continue
		}
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			return nil, err
		}
		threads = append(threads, tid)
	}
	return threads, nil
}
