package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir"
)

// userHZ is the unit of /proc/stat, the same on all of Linux's platforms that
// matter here.
const userHZ = 100

// CPU is the time that the processors of a machine have spent since it
// started. Its resolution is 10 ms.
type CPU struct {
	Busy  time.Duration // all CPUs together: neither idle nor waiting nor stolen
	Steal time.Duration // all CPUs together: given to others by the hypervisor
}

// ReadCPU reads /proc/stat.
func ReadCPU(ctx context.Context, h weir.Host) (CPU, error) {
	text, err := h.ReadFile(ctx, "/proc/stat")
	if err != nil {
		return CPU{}, err
	}
	return parseCPU(text)
}

func parseCPU(text string) (CPU, error) {
	line, _, _ := strings.Cut(text, "\n")
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return CPU{}, fmt.Errorf("/proc/stat begins with %q", line)
	}
	var ticks [8]time.Duration // user nice system idle iowait irq softirq steal
	for i := range ticks {
		n, err := strconv.ParseInt(f[i+1], 10, 64)
		if err != nil {
			return CPU{}, fmt.Errorf("/proc/stat: %w", err)
		}
		ticks[i] = time.Duration(n) * time.Second / userHZ
	}
	return CPU{Busy: ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6], Steal: ticks[7]}, nil
}

// ReadThreads reads how long threads have run, to the nanosecond, in the order
// of pids.
func ReadThreads(ctx context.Context, h weir.Host, pids []int) ([]time.Duration, error) {
	run := make([]time.Duration, len(pids))
	for i, pid := range pids {
		text, err := h.ReadFile(ctx, "/proc/"+strconv.Itoa(pid)+"/schedstat")
		if err != nil {
			return nil, err
		}
		ns, _, _ := strings.Cut(text, " ")
		n, err := strconv.ParseInt(ns, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("schedstat of thread %d: %w", pid, err)
		}
		run[i] = time.Duration(n)
	}
	return run, nil
}
