package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/campaign"
	"weir/internal/netif"
	"weir/internal/plan"
	"weir/internal/telemetry"
)

// describe is the manifest.
func (l *portsLab) describe(ctx context.Context) (weir.Manifest, error) {
	machine, err := telemetry.ReadMachine(ctx, l.bed.TesterHost())
	if err != nil {
		return weir.Manifest{}, err
	}
	cpus := l.bed.CPUs()
	m := weir.Manifest{
		Kernel: machine.Kernel, CPUModel: machine.CPUModel, CPUs: runtime.NumCPU(),
		Platform: plan.Opaque, Backend: "xdp",
		Settings: append(machine.Settings,
			weir.Setting{Where: "tester", Name: "generator CPUs", Value: fmt.Sprint(cpus.Generator) + ", nice -20"},
			weir.Setting{Where: "tester", Name: "receiver CPUs", Value: fmt.Sprint(cpus.Receiver) + ", threaded NAPI, real-time priority"}),
	}
	for i, port := range l.bed.TestPorts() {
		f, err := l.port(i)
		if err != nil {
			return m, err
		}
		var counters string
		if err := l.bed.Do(port.Tester, func() (err error) { counters, err = netif.CountersOf(port.Tester); return err }); err != nil {
			return m, err
		}
		m.Settings = append(m.Settings,
			weir.Setting{Where: "tester", Name: fmt.Sprintf("port %d", i), Value: f.Found},
			weir.Setting{Where: "tester", Name: fmt.Sprintf("port %d counters", i), Value: counters})
		if l.plan.DUT.Platform == plan.NoDUT {
			m.Platform = plan.NoDUT
			continue
		}
		m.Settings = append(m.Settings, weir.Setting{Where: "dut", Name: fmt.Sprintf("port %d", i), Value: port.DUTMAC})
	}
	m.Settings = append(m.Settings, l.bed.Notes()...)
	if own := l.bed.Ends(); len(own) > 0 {
		m.Backend = endHosts
		settings, err := describeEnds(ctx, l.plan, own)
		if err != nil {
			return m, err
		}
		m.Settings = append(m.Settings, settings...)
	}
	if l.dut != nil {
		err = l.dut.describe(ctx, &m)
	}
	if l.machine != nil {
		m.Settings = append(m.Settings, l.machine.settings()...)
	}
	return m, err
}

// observe says what else ran on the tester's CPUs during a trial, and what a DUT says
// that has a host.
func (l *portsLab) observe(ctx context.Context) (func(time.Duration) (campaign.Observation, error), error) {
	host := l.bed.TesterHost()
	own := l.bed.CPUs()
	mine := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(own.Generator), own.Receiver...))))
	_, programs := senders(l.plan)
	sample := func(ctx context.Context) (t telemetry.CPUTime, used time.Duration, err error) {
		if t, err = telemetry.ReadCPUs(ctx, host, mine); err != nil {
			return t, 0, err
		}
		sending, err := telemetry.ReadCPUs(ctx, host, own.Generator)
		if err != nil {
			return t, 0, err
		}
		t.Interrupts = sending.Interrupts
		var usage unix.Rusage
		err = unix.Getrusage(unix.RUSAGE_SELF, &usage)
		threads, other := telemetry.ReadThreads(ctx, host, l.bed.Receiving())
		used = time.Duration(usage.Utime.Nano()) + time.Duration(usage.Stime.Nano())
		for _, d := range threads {
			used += d
		}
		if programs {
			family, gone := telemetry.ReadDescendants(ctx, host, os.Getpid())
			used, err = used+family, errors.Join(err, gone)
		}
		return t, used, errors.Join(err, other)
	}
	at, err := l.dut.sample(ctx)
	if err != nil {
		return nil, err
	}
	began, held := time.Now(), tcpMemory(ctx, programs)
	before, used, err := sample(ctx)
	if err != nil {
		return nil, err
	}
	return func(time.Duration) (seen campaign.Observation, err error) {
		if err := l.dut.since(context.WithoutCancel(ctx), at, &seen); err != nil {
			return seen, err
		}
		after, since, err := sample(context.WithoutCancel(ctx))
		seen.Host.TCPMemory = max(held, tcpMemory(context.WithoutCancel(ctx), programs))
		seen.Host.Steal, seen.Host.Over = after.Steal-before.Steal, time.Since(began)
		seen.Host.Other = max(0, after.Tasks-before.Tasks-(since-used))
		seen.Host.Softirq = after.Interrupts - before.Interrupts
		return seen, err
	}, nil
}
