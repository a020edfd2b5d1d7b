package lab

import (
	"context"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/campaign"
	"weir/internal/telemetry"
	"weir/internal/testbed"
)

// observer samples the machine around a trial: what the hypervisor took, what
// other processes used, how long the DUT forwarded, and what its machine counted.
// None of it is read while frames are sent. programs says
// whether there are end hosts, whose programs are none of others.
func observer(bed watchedBed, programs bool) campaign.Observer {
	said := newReadings(bed)
	return func(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
		if err := said.begin(ctx); err != nil {
			return nil, err
		}
		began, others, held := time.Now(), listOthers(bed.CPUs()), tcpMemory(ctx, programs)
		before, err := sample(ctx, bed, programs)
		if err != nil {
			return nil, err
		}
		return func(sending time.Duration) (campaign.Observation, error) {
			ctx := context.WithoutCancel(ctx)
			readings, err := said.since(ctx)
			if err != nil {
				return campaign.Observation{}, err
			}
			after, err := sample(ctx, bed, programs)
			if err != nil {
				return campaign.Observation{}, err
			}
			seen := campaign.Observation{Readings: readings}
			host := &seen.Host
			host.OtherWeirs = joinWeirs(others, listOthers(bed.CPUs()))
			host.TCPMemory = max(held, tcpMemory(ctx, programs))
			host.Steal, host.Over = after.steal-before.steal, time.Since(began)
			if !slices.Equal(before.threads, after.threads) {
				return seen, nil // a reset gave the DUT new threads: nobody knows what the old ones did
			}
			host.Other = max(0, after.busy-before.busy-(after.lab-before.lab))
			forwarding := after.forwarding - before.forwarding
			if bed.CostsWhenIdle() {
				share, err := atRest(ctx, bed, after, programs)
				if err != nil {
					return seen, err
				}
				// On a busy machine it may get more at rest than it got before.
				share = min(share, forwarding.Seconds()/host.Over.Seconds())
				forwarding -= time.Duration(share * float64(host.Over-sending))
			}
			seen.DUTCPU = max(0, forwarding)
			return seen, nil
		}, nil
	}
}

// tcpMemory reads how much of this machine's memory for TCP is taken, where there are programs whose
// transfers that slows down. It is the first namespace that knows how much there is.
func tcpMemory(ctx context.Context, programs bool) float64 {
	if !programs {
		return 0
	}
	return telemetry.ReadTCPMemory(ctx, testbed.Machine("", nil))
}

// restPeriod is how long a DUT is observed at rest.
const restPeriod = 50 * time.Millisecond

// atRest is how many CPUs the DUT uses when nothing is sent to it, as since the
// given sample.
func atRest(ctx context.Context, bed watchedBed, before load, programs bool) (float64, error) {
	began := time.Now()
	time.Sleep(restPeriod)
	after, err := sample(ctx, bed, programs)
	if err != nil {
		return 0, err
	}
	return (after.forwarding - before.forwarding).Seconds() / time.Since(began).Seconds(), nil
}

// load is CPU time spent since the machine started.
type load struct {
	steal, busy time.Duration // of all CPUs
	forwarding  time.Duration // of the DUT's threads, or in its interrupts where it has none
	threads     []int         // of the DUT
	lab         time.Duration // of the lab's threads, this process and the programs that it has started at end hosts
}

func sample(ctx context.Context, bed watchedBed, programs bool) (load, error) {
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
	others, err := telemetry.ReadThreads(ctx, host, bed.Others())
	if err != nil {
		return load{}, err
	}
	for _, d := range forwarding {
		l.forwarding += d
	}
	for _, d := range append(forwarding, others...) {
		l.lab += d
	}
	if len(l.threads) == 0 && len(bed.CPUs().DUT) > 0 {
		cpus, err := telemetry.ReadCPUs(ctx, host, bed.CPUs().DUT)
		if err != nil {
			return load{}, err
		}
		if l.forwarding, err = interrupted(cpus, len(bed.CPUs().DUT)); err != nil {
			return load{}, err
		}
		l.lab += cpus.Interrupts // as much of them as is in busy
	}
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return load{}, err
	}
	l.lab += time.Duration(own.Utime.Nano()) + time.Duration(own.Stime.Nano())
	if !programs {
		return l, nil
	}
	family, err := telemetry.ReadDescendants(ctx, host, os.Getpid())
	l.lab += family
	return l, err
}

// interrupted is how long n CPUs have taken interrupts and done what follows from
// them: what is left of the time, as the kernel's own figure misses most of it.
func interrupted(t telemetry.CPUTime, n int) (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, err
	}
	return time.Duration(now.Nano())*time.Duration(n) - t.Idle - t.Tasks - t.Steal, nil
}
