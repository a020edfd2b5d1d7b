package testbed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"weir"
	"weir/internal/netif"
)

// ways are those of taking frames from a port. "" is as the lab was made:
// threads with real-time priority, as the softirq has in which a kernel
// forwards otherwise.
var ways = []weir.NAPI{"", weir.Softirq, weir.Threaded, weir.BusyPoll}

// SetNAPI changes how the DUT takes frames from its ports, until undone. A way
// that this kernel does not have is a *weir.UnsupportedError. Forwarding is
// different afterwards.
func (l *Netns) SetNAPI(way weir.NAPI) (undo func(context.Context) error, err error) {
	if !slices.Contains(ways, way) {
		return nil, fmt.Errorf("no NAPI mode %q; there are: %s, %s, %s", way, weir.Softirq, weir.Threaded, weir.BusyPoll)
	}
	before := l.way
	back := func(context.Context) error { return l.take(before) }
	if err := l.take(way); err != nil {
		if errors.Is(err, netif.ErrNoBusyPoll) {
			err = &weir.UnsupportedError{
				Feature: "NAPI threads that never sleep", Since: "Linux 6.19", Err: err,
				Remedy: "leave busy-poll out, or take a newer kernel",
			}
		}
		return nil, errors.Join(err, l.take(before))
	}
	return back, nil
}

// take makes the DUT take frames in this way, whichever it had before.
func (l *Netns) take(way weir.NAPI) error {
	var threads []int
	err := l.dut.Do(func() error {
		for _, p := range l.ports {
			some, err := take(p.DUT, l.way, way, l.cpus.DUT)
			if err != nil {
				return err
			}
			threads = append(threads, some...)
		}
		return nil
	})
	l.way, l.forwarding = way, threads
	return err
}

func take(port string, before, way weir.NAPI, cpus []int) (threads []int, err error) {
	if before == weir.BusyPoll {
		if err := netif.BusyPoll(port, false); err != nil && !errors.Is(err, netif.ErrNoBusyPoll) {
			return nil, err
		}
	}
	if way == weir.Softirq {
		// The one who sends takes the frames from the ring, as the DMA of a
		// card would, and the DUT's CPUs do the rest.
		return nil, errors.Join(netif.UnthreadNAPI(port), netif.Steer(port, cpus))
	}
	if before == weir.Softirq {
		if err := netif.Steer(port, nil); err != nil {
			return nil, err
		}
	}
	if threads, err = netif.ThreadNAPI(port, cpus); err != nil {
		return nil, err
	}
	switch way {
	case weir.Threaded:
		return threads, netif.Ordinary(threads)
	case weir.BusyPoll:
		return threads, errors.Join(netif.Ordinary(threads), netif.BusyPoll(port, true))
	}
	return threads, netif.Prefer(threads)
}

// ResetPorts sets all forwarding ports of the DUT down and up again, and lets
// them take frames as before. What the kernel forgets of a port that goes down,
// its neighbours, routes and IPv6 addresses, is for the caller to restore. It
// runs on the calling thread, which has to be in the DUT's namespace.
func (l *Netns) ResetPorts() error {
	for _, step := range []func(string) error{
		netif.SetDown, netif.SetUp,
		func(port string) error { return netif.AwaitCarrier(port, 5*time.Second) },
	} {
		for _, p := range l.ports {
			if err := step(p.DUT); err != nil {
				return err
			}
		}
	}
	var threads []int
	for _, p := range l.ports {
		some, err := take(p.DUT, "", l.way, l.cpus.DUT)
		if err != nil {
			return err
		}
		threads = append(threads, some...)
	}
	l.forwarding = threads
	return nil
}
