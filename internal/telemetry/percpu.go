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
	Idle    time.Duration // nothing to do, or waiting for a disk
	Softirq time.Duration // in softirq, where a kernel forwards frames, ksoftirqd included
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
		if f := strings.Fields(line); len(f) > 7 {
			lines[f[0]] = f
		}
	}
	var sum CPUTime
	for _, c := range cpus {
		f, ok := lines["cpu"+strconv.Itoa(c)]
		if !ok {
			return sum, fmt.Errorf("/proc/stat has no CPU %d", c)
		}
		// cpuN user nice system idle iowait irq softirq
		for _, field := range []struct {
			at  int
			add *time.Duration
		}{{4, &sum.Idle}, {5, &sum.Idle}, {7, &sum.Softirq}} {
			n, err := strconv.ParseInt(f[field.at], 10, 64)
			if err != nil {
				return sum, fmt.Errorf("/proc/stat: %w", err)
			}
			*field.add += time.Duration(n) * time.Second / userHZ
		}
	}
	return sum, nil
}
