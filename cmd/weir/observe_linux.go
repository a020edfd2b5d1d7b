package main

import (
	"context"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/campaign"
	"weir/internal/telemetry"
	"weir/internal/testbed"
)

// observer samples the machine around a trial: what the hypervisor took, what
// other processes used, and how long the DUT's threads ran.
func observer(bed *testbed.Netns) campaign.Observer {
	return func(ctx context.Context) (func() (weir.HostLoad, time.Duration, error), error) {
		began := time.Now()
		before, err := sample(ctx, bed)
		if err != nil {
			return nil, err
		}
		return func() (weir.HostLoad, time.Duration, error) {
			after, err := sample(context.WithoutCancel(ctx), bed)
			if err != nil {
				return weir.HostLoad{}, 0, err
			}
			other := after.busy - before.busy - (after.lab - before.lab)
			return weir.HostLoad{Steal: after.steal - before.steal, Other: max(0, other), Over: time.Since(began)}, after.forwarding - before.forwarding, nil
		}, nil
	}
}

// load is CPU time spent since the machine started.
type load struct {
	steal, busy time.Duration // of all CPUs
	forwarding  time.Duration // of the DUT's threads
	lab         time.Duration // of the lab's threads and this process
}

func sample(ctx context.Context, bed *testbed.Netns) (load, error) {
	host := bed.TesterHost()
	cpu, err := telemetry.ReadCPU(ctx, host)
	if err != nil {
		return load{}, err
	}
	l := load{steal: cpu.Steal, busy: cpu.Busy}
	forwarding, err := telemetry.ReadThreads(ctx, host, bed.Forwarding())
	if err != nil {
		return load{}, err
	}
	receiving, err := telemetry.ReadThreads(ctx, host, bed.Receiving())
	if err != nil {
		return load{}, err
	}
	for _, d := range forwarding {
		l.forwarding += d
	}
	for _, d := range receiving {
		l.lab += d
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return load{}, err
	}
	l.lab += l.forwarding + time.Duration(own.Utime.Nano()) + time.Duration(own.Stime.Nano())
	return l, nil
}
