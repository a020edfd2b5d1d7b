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
	startLimit = 8 * time.Second        // for the first frames to arrive; DPDK takes its time
	started    = 1000                   // frames: more than the kernel sends of its own accord
	settling   = 400 * time.Millisecond // from the first frames to the measurement
	glance     = 5 * time.Millisecond
	drained    = 50 * time.Millisecond // without a frame: the sender is gone
)

// lab is a veth pair in a namespace of its own, with the sink at its far end.
type lab struct {
	ns   *netif.Namespace
	port string // that senders use
	mac  net.HardwareAddr
	far  net.HardwareAddr // the sink's
	sink *xdp.Sink
}

func openLab() (*lab, error) {
	ns, err := netif.NewNamespace()
	if err != nil {
		return nil, err
	}
	l := &lab{
		ns: ns, port: fmt.Sprintf("wp%xa", os.Getpid()),
		mac: net.HardwareAddr{2, 0, 0, 0, 0, 1}, far: net.HardwareAddr{2, 0, 0, 0, 0, 2},
	}
	if err := l.open(fmt.Sprintf("wp%xb", os.Getpid())); err != nil {
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

// flow is a sender at work.
type flow struct {
	ended <-chan error // gets what a sender says that ends by itself
	stop  func()       // returns when nothing of the sender is left
}

// steady measures how many frames a second arrive from a sender over the given
// time, once it has found its pace.
func (l *lab) steady(ctx context.Context, start func(context.Context) (flow, error), length time.Duration) (float64, error) {
	before, err := l.sink.Count()
	if err != nil {
		return 0, err
	}
	f, err := start(ctx)
	if err != nil {
		return 0, err
	}
	rate, err := l.watch(ctx, f, before, length)
	f.stop()
	if err := l.drain(ctx); err != nil {
		return 0, err
	}
	return rate, err
}

func (l *lab) watch(ctx context.Context, f flow, before uint64, length time.Duration) (float64, error) {
	for limit := time.Now().Add(startLimit); ; {
		n, err := l.sink.Count()
		if err != nil {
			return 0, err
		}
		if n-before >= started {
			break
		}
		if time.Now().After(limit) {
			return 0, fmt.Errorf("no frames arrived within %v", startLimit)
		}
		if err := f.wait(ctx, glance); err != nil {
			return 0, err
		}
	}
	if err := f.wait(ctx, settling); err != nil {
		return 0, err
	}
	from, err := l.sink.Count()
	begin := xdp.Now()
	if err != nil {
		return 0, err
	}
	if err := f.wait(ctx, length); err != nil {
		return 0, err
	}
	to, err := l.sink.Count()
	if err != nil {
		return 0, err
	}
	return float64(to-from) / (xdp.Now() - begin).Seconds(), nil
}

// wait lets time pass while the sender works.
func (f flow) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case err := <-f.ended:
		if err == nil {
			err = errors.New("it ended by itself")
		}
		return err
	}
}

// drain waits until nothing arrives any more, so that one sender's last frames
// are not the next one's first.
func (l *lab) drain(ctx context.Context) error {
	for limit := time.Now().Add(startLimit); time.Now().Before(limit); {
		before, err := l.sink.Count()
		if err != nil {
			return err
		}
		if err := (flow{}).wait(ctx, drained); err != nil {
			return err
		}
		after, err := l.sink.Count()
		if err != nil {
			return err
		}
		if after-before < started/100 {
			return nil
		}
	}
	return errors.New("frames keep arriving although the sender was stopped")
}
