package telemetry

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weir"
)

// CPUTime is how one or several processors have spent their time since the
// machine started. Its resolution is 10 ms.
type CPUTime struct {
	Idle  time.Duration // nothing to do, or waiting for a disk
	Tasks time.Duration // in programs and threads of the kernel, but for what ksoftirqd does
	Steal time.Duration // given to others by the hypervisor
	// Interrupts is the time in them and in softirqs, ksoftirqd included, by
	// samples that the kernel's clock takes in an interrupt of its own: those of
	// another timer are mostly missed.
	Interrupts time.Duration
}

// ReadCPUs reads from /proc/stat how the given processors have spent their
// time, all together.
func ReadCPUs(ctx context.Context, h weir.Host, cpus []int) (CPUTime, error) {
	text, err := h.ReadFile(ctx, "/proc/stat")
	if err != nil {
		return CPUTime{}, err
	}
	return parseCPUs(text, cpus)
}

func parseCPUs(text string, cpus []int) (CPUTime, error) {
	lines := make(map[string][]string)
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 8 {
			lines[f[0]] = f
		}
	}
	var sum CPUTime
	for _, c := range cpus {
		f, ok := lines["cpu"+strconv.Itoa(c)]
		if !ok {
			return sum, fmt.Errorf("/proc/stat has no CPU %d", c)
		}
		// cpuN user nice system idle iowait irq softirq steal
		for _, field := range []struct {
			at  int
			add *time.Duration
		}{{1, &sum.Tasks}, {2, &sum.Tasks}, {3, &sum.Tasks}, {4, &sum.Idle}, {5, &sum.Idle}, {6, &sum.Interrupts}, {7, &sum.Interrupts}, {8, &sum.Steal}} {
			n, err := strconv.ParseInt(f[field.at], 10, 64)
			if err != nil {
				return sum, fmt.Errorf("/proc/stat: %w", err)
			}
			*field.add += time.Duration(n) * time.Second / userHZ
		}
	}
	return sum, nil
}
