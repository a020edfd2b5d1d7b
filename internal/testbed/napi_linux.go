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

// Poller has a process at a host poll NAPI instances on CPUs, and no others than
// it was last told, and returns the threads that do it. Without instances there
// is no such process. With a pause between two rounds it only takes care that
// the timers of the instances expire on its CPUs.
type Poller func(host weir.Host, cpus []int, napis []uint32, pause time.Duration) (threads []int, err error)

const (
	// moderation is how often a port's interrupt comes, like that of a card
	// that moderates its interrupts to 20,000 a second.
	moderation = 50 * time.Microsecond
	// relief is when a port that has a process for polling it runs without. Were
	// this shorter than a clock tick, the timer that is set after each round
	// would take more CPU time than forwarding.
	relief = 20 * time.Millisecond
	// gathering is how often timers are gathered that were set on the CPU of a
	// sender, which the first frame of all does.
	gathering = 2 * time.Millisecond
	// ownCarrierWait is how long a link of a lab is waited for, which comes as soon as
	// the kernel has a CPU for saying so.
	ownCarrierWait = time.Minute
)

// SetNAPI changes how the DUT takes frames from its ports, until undone; on a cable without
// a DUT, how the end hosts do. A way
// that this kernel does not have is a *weir.UnsupportedError. Forwarding is
// different afterwards.
func (l *Netns) SetNAPI(way weir.NAPI) (undo func(context.Context) error, err error) {
	if !slices.Contains(ways, way) {
		return nil, fmt.Errorf("no NAPI mode %q; there are: %s, %s, %s", way, weir.Softirq, weir.Threaded, weir.BusyPoll)
	}
	if way == weir.BusyPoll && l.poll == nil {
		return nil, &weir.UnsupportedError{
			Feature: "a process that polls the DUT's ports", Since: "Linux 6.13",
			Remedy: "leave busy-poll out, or take a newer kernel and allow io_uring (sysctl kernel.io_uring_disabled=0)",
		}
	}
	if l.one && way == "" {
		return nil, nil // as the lab was made
	}
	if l.one || len(l.beside) > 0 {
		return nil, &weir.UnsupportedError{
			Feature: "another NAPI mode for one of several DUTs side by side, whose threads share the CPUs", Remedy: "compare NAPI modes in blocks of runs",
		}
	}
	before := l.way
	if err := l.take(way); err != nil {
		return nil, errors.Join(err, l.take(before))
	}
	return func(context.Context) error { return l.take(before) }, nil
}

// CostsWhenIdle reports whether taking frames from the ports costs CPU time also when
// there are none.
func (l *Netns) CostsWhenIdle() bool {
	return l.poll != nil && (l.way == weir.Softirq || l.way == weir.BusyPoll)
}

// taker is a namespace with ports that take frames in the way that was asked for.
type taker struct {
	host  weir.Host
	ns    *netif.Namespace
	ports []string
	cpus  []int
	got   func(threads []int) // is told in which threads it takes them; none: it has none of its own
}

// takers are the DUT, or the end hosts on a cable.
func (l *Netns) takers() (out []taker) {
	if len(l.ports) > 0 {
		return []taker{{l.DUT().Host, l.dut, l.portNames(), l.cpus.DUT, l.setForwarding}}
	}
	for _, e := range l.ends {
		out = append(out, taker{e.Host(), e.ns, []string{e.Port.Tester}, e.cpus, func(threads []int) { e.threads = threads }})
	}
	return out
}

// portNames are those of the DUT.
func (l *Netns) portNames() (out []string) {
	for _, p := range l.ports {
		out = append(out, p.DUT)
	}
	return out
}

// take makes the takers take frames in this way, whichever it had before.
func (l *Netns) take(way weir.NAPI) error {
	before := l.way
	l.way = way
	for _, t := range l.takers() {
		var napis []uint32
		err := t.ns.Do(func() (err error) {
			for _, port := range t.ports {
				if err := netif.Steer(port, nil); err != nil {
					return err
				}
			}
			napis, err = l.setPorts(t, t.cpus)
			return err
		})
		if err != nil {
			return err
		}
		if err := l.employ(t, napis); err != nil {
			return err
		}
	}
	if before == weir.BusyPoll {
		time.Sleep(relief) // the last timers that the process set expire
	}
	return nil
}

// setPorts sets the ports of a taker for the way that was asked for, with threads on some
// of its CPUs, and returns the NAPI instances that need a poller. It runs on the calling
// thread, which has to be in the taker's namespace.
func (l *Netns) setPorts(t taker, cpus []int) (polled []uint32, err error) {
	var own []int
	for _, port := range t.ports {
		if err := netif.Defer(port, 0); err != nil {
			return nil, err
		}
		threads, err := netif.ThreadNAPI(port, cpus)
		if err != nil {
			return nil, err
		}
		var napis []uint32
		switch {
		case l.way == "":
			err = netif.Prefer(threads)
		case l.way == weir.Threaded:
			err = netif.Ordinary(threads)
		case l.poll == nil:
			// The one who sends takes the frames from the ring, as the DMA of a
			// card would, and the DUT's CPUs do the rest.
			err = errors.Join(netif.UnthreadNAPI(port), netif.Steer(port, t.cpus))
			threads = nil
		default:
			if napis, err = netif.NAPIs(port); err != nil {
				return nil, err
			}
			every := relief
			if l.way == weir.Softirq {
				every = moderation
			}
			err = errors.Join(netif.UnthreadNAPI(port), netif.Defer(port, every))
			threads = nil
		}
		if err != nil {
			return nil, err
		}
		own = append(own, threads...)
		polled = append(polled, l.used(napis)...)
	}
	t.got(own)
	return polled, nil
}

// used are those of a port's NAPI instances, one for each queue, for which
// somebody has frames: the CPU of a sender decides about the queue.
func (l *Netns) used(napis []uint32) (out []uint32) {
	for i, id := range napis {
		if slices.ContainsFunc(l.senders(), func(cpu int) bool { return cpu%len(napis) == i }) {
			out = append(out, id)
		}
	}
	return out
}

// employ has NAPI instances of a taker polled as the way asks for, and none that was
// polled before.
func (l *Netns) employ(t taker, napis []uint32) error {
	if l.poll == nil {
		return nil
	}
	var pause time.Duration
	if l.way == weir.Softirq {
		pause = gathering
	}
	threads, err := l.poll(t.host, t.cpus, napis, pause)
	if l.way == weir.BusyPoll && len(l.ports) > 0 { // what polls at an end host is one of its programs, and counted as such
		l.setForwarding(threads)
	}
	return err
}

// Spread has the DUT forward on the first of its CPUs, until undone or another
// way of taking frames is set. A DUT without threads of its own cannot be told
// where: that is a *weir.UnsupportedError.
func (l *Netns) Spread(cpus int) (undo func() error, err error) {
	if len(l.Forwarding()) == 0 || l.way == weir.BusyPoll {
		return nil, &weir.UnsupportedError{Feature: "binding the DUT to CPUs", Remedy: "it forwards in threads of its own with NAPI threaded alone: take that"}
	}
	bind := func(cpus []int) error {
		var err error
		for _, tid := range l.Forwarding() { // as they are when it is undone
			if e := netif.Pin(tid, cpus); e != nil {
				err = errors.Join(err, fmt.Errorf("bind the NAPI thread %d to the CPUs %v: %w", tid, cpus, e))
			}
		}
		return err
	}
	undo = func() error { return bind(l.cpus.DUT) }
	return undo, bind(l.cpus.DUT[:min(max(cpus, 1), len(l.cpus.DUT))])
}

// Bound are the CPUs on which the DUT may forward at the moment: all of its own,
// or those of Spread.
func (l *Netns) Bound() ([]int, error) {
	forwarding := l.Forwarding()
	if len(forwarding) == 0 || l.way == weir.BusyPoll {
		return l.cpus.DUT, nil
	}
	return netif.Affinity(forwarding[0])
}

// ResetPorts sets all forwarding ports of the DUT down and up again, and lets
// them take frames as before: in the same way, on the same CPUs, steered to the
// same ones. What the kernel forgets of a port that goes down, its neighbours,
// routes and IPv6 addresses, is for the caller to restore. It runs on the
// calling thread, which has to be in the DUT's namespace.
func (l *Netns) ResetPorts() error {
	cpus, err := l.Bound() // those of the threads that go with the ports
	if err != nil {
		return err
	}
	for _, step := range []func(string) error{
		netif.SetDown, netif.SetUp,
		func(port string) error { return netif.AwaitCarrier(port, ownCarrierWait) },
	} {
		for _, p := range l.ports {
			if err := step(p.DUT); err != nil {
				return err
			}
		}
	}
	dut := l.takers()[0]
	napis, err := l.setPorts(dut, cpus)
	if err != nil {
		return err
	}
	return l.employ(dut, napis)
}
