package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
	"weir/internal/xdp"
)

// How a sender is watched.
const (
	startLimit = 8 * time.Second       // for the first frames of all to arrive; DPDK takes its time
	turnLimit  = 2 * time.Second       // for those of a turn
	holdLimit  = time.Second           // for the last ones
	started    = 1000                  // frames: more than the kernel sends of its own accord
	settling   = 20 * time.Millisecond // from the first frames to what counts
	glance     = time.Millisecond
	exact      = 50 * time.Microsecond // that reading the sink and the clock takes at most
)

// errNothing says no more than that: a sender that had no CPU is as good as before.
var errNothing = errors.New("no frames arrived")

// lab is a veth pair in a namespace of its own, with the sink at its far end.
type lab struct {
	ns   *netif.Namespace
	port string // that the sender uses
	mac  net.HardwareAddr
	far  net.HardwareAddr // the sink's
	sink *xdp.Sink
}

// labs is how many were opened: before Linux 6.8 NAPI threads are found by the names of
// ports, which have to differ.
var labs int

func openLab() (*lab, error) {
	ns, err := netif.NewNamespace()
	if err != nil {
		return nil, err
	}
	labs++
	l := &lab{
		ns: ns, port: fmt.Sprintf("wp%x.%xa", os.Getpid(), labs),
		mac: net.HardwareAddr{2, 0, 0, 0, 0, 1}, far: net.HardwareAddr{2, 0, 0, 0, 0, 2},
	}
	if err := l.open(fmt.Sprintf("wp%x.%xb", os.Getpid(), labs)); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) open(far string) error {
	near := netif.End{Namespace: l.ns, Name: l.port, MAC: l.mac}
	// A queue for each of the two CPUs, as in weir's own labs.
	if err := netif.Veth(near, netif.End{Namespace: l.ns, Name: far, MAC: l.far}, 2, 1500); err != nil {
		return err
	}
	return l.ns.Do(func() error {
		// What a peer would leave under /run goes to a file system that only
		// this namespace's processes see, and that dies with them.
		if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, ""); err != nil {
			return fmt.Errorf("mount a /run for the peers: %w", err)
		}
		index, err := netif.Index(far)
		if err != nil {
			return err
		}
		if l.sink, err = xdp.NewSink(index); err != nil {
			return err
		}
		_, err = netif.ThreadNAPI(far, []int{sinkCPU})
		return err
	})
}

func (l *lab) close() {
	if l.sink != nil {
		l.sink.Close()
	}
	l.ns.Close()
}

// turn starts a sender, measures how many frames a second arrive over the given
// time once they come, and holds it. Without a time it only waits for them.
func (l *lab) turn(ctx context.Context, s source, length time.Duration) (float64, error) {
	before, err := l.sink.Count()
	if err != nil {
		return 0, err
	}
	ended, err := s.start()
	if err != nil {
		return 0, err
	}
	rate, err := l.watch(ctx, ended, before, length)
	s.hold()
	return rate, errors.Join(err, l.drain(ctx))
}

func (l *lab) watch(ctx context.Context, ended <-chan error, before uint64, length time.Duration) (float64, error) {
	most := turnLimit
	if length == 0 {
		most = startLimit
	}
	for limit := time.Now().Add(most); ; {
		n, err := l.sink.Count()
		if err != nil {
			return 0, err
		}
		if n-before >= started {
			break
		}
		if time.Now().After(limit) {
			return 0, fmt.Errorf("%w within %v", errNothing, most)
		}
		if err := wait(ctx, ended, glance); err != nil {
			return 0, err
		}
	}
	if length == 0 {
		return 0, nil
	}
	if err := wait(ctx, ended, settling); err != nil {
		return 0, err
	}
	from, begin, err := l.read()
	if err != nil {
		return 0, err
	}
	if err := wait(ctx, ended, length); err != nil {
		return 0, err
	}
	to, end, err := l.read()
	return float64(to-from) / (end - begin).Seconds(), err
}

// read is what has arrived, and when. Where the two lie apart, as something else
// had the CPU in between, it reads again.
func (l *lab) read() (frames uint64, at time.Duration, err error) {
	for range 20 {
		before := xdp.Now()
		frames, err = l.sink.Count()
		after := xdp.Now()
		at = before + (after-before)/2
		if err != nil || after-before < exact {
			break
		}
	}
	return frames, at, err
}

// drain waits until nothing arrives any more, so that what one sender has left
// takes no time from the next one.
func (l *lab) drain(ctx context.Context) error {
	for limit := time.Now().Add(holdLimit); time.Now().Before(limit); {
		before, err := l.sink.Count()
		if err != nil {
			return err
		}
		if err := wait(ctx, nil, glance); err != nil {
			return err
		}
		after, err := l.sink.Count()
		if err != nil || after == before {
			return err
		}
	}
	return errors.New("frames keep arriving although the sender is held")
}

// wait lets time pass while a sender works.
func wait(ctx context.Context, ended <-chan error, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case err := <-ended:
		if err == nil {
			err = errors.New("it ended by itself")
		}
		return err
	}
}
