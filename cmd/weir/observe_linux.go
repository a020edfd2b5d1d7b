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
			return host, max(0, after.forwarding-before.forwarding), nil
		}, nil
	}
}

// load is CPU time spent since the machine started.
type load struct {
	steal, busy time.Duration // of all CPUs
	forwarding  time.Duration // of the DUT's threads, or in its interrupts where it has none
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
		if l.forwarding, err = interrupted(ctx, bed); err != nil {
			return load{}, err
		}
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return load{}, err
	}
	l.lab += l.forwarding + time.Duration(own.Utime.Nano()) + time.Duration(own.Stime.Nano())
	return l, nil
}

// interrupted is how long the DUT's CPUs have taken interrupts and done what
// follows from them. The kernel counts that by samples, which its clock takes
// in an interrupt too: what is left of the time is closer to the truth.
func interrupted(ctx context.Context, bed *testbed.Netns) (time.Duration, error) {
	cpus := bed.CPUs().DUT
	t, err := telemetry.ReadCPUs(ctx, bed.TesterHost(), cpus)
	if err != nil {
		return 0, err
	}
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, err
	}
	return time.Duration(now.Nano())*time.Duration(len(cpus)) - t.Idle - t.Tasks - t.Steal, nil
}
