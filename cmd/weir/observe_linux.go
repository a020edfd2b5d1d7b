package main

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/campaign"
	"weir/internal/telemetry"
	"weir/internal/testbed"
)

// observer samples the machine around a trial: what the hypervisor took, what
// other processes used, and how long the DUT forwarded.
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
			host := weir.HostLoad{Steal: after.steal - before.steal, Over: time.Since(began)}
			if !slices.Equal(before.threads, after.threads) {
				return host, 0, nil // a reset gave the DUT new threads: nobody knows what the old ones did
			}
			host.Other = max(0, after.busy-before.busy-(after.lab-before.lab))
			return host, after.forwarding - before.forwarding, nil
		}, nil
	}
}

// load is CPU time spent since the machine started.
type load struct {
	steal, busy time.Duration // of all CPUs
	forwarding  time.Duration // of the DUT's threads, or of its softirqs where it has none
	threads     []int         // of the DUT
	lab         time.Duration // of the lab's threads and this process
}

func sample(ctx context.Context, bed *testbed.Netns) (load, error) {
	host := bed.TesterHost()
	cpu, err := telemetry.ReadCPU(ctx, host)
	if err != nil {
		return load{}, err
	}
	l := load{steal: cpu.Steal, busy: cpu.Busy}
	l.threads = bed.Forwarding()
	forwarding, err := telemetry.ReadThreads(ctx, host, l.threads)
	if err != nil {
		return load{}, err
	}
	others, err := telemetry.ReadThreads(ctx, host, append(slices.Clone(bed.Receiving()), bed.Managing()...))
	if err != nil {
		return load{}, err
	}
	for _, d := range forwarding {
		l.forwarding += d
	}
	for _, d := range others {
		l.lab += d
	}
	if len(l.threads) == 0 {
		cpus, err := telemetry.ReadCPUs(ctx, host, bed.CPUs().DUT)
		if err != nil {
			return load{}, err
		}
		l.forwarding = cpus.Softirq
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return load{}, err
	}
	l.lab += l.forwarding + time.Duration(own.Utime.Nano()) + time.Duration(own.Stime.Nano())
	return l, nil
}
