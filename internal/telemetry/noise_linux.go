package telemetry

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Gap is how long a thread that does nothing but read the clock was kept from
// it: by interrupts, other processes, or the hypervisor.
type Gap struct {
	Longest time.Duration
	Lost    time.Duration // the sum of all gaps over 10 us
}

// Spin watches the clock on one CPU for a while.
func Spin(cpu int, d time.Duration) (Gap, error) {
	type answer struct {
		gap Gap
		err error
	}
	done := make(chan answer)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its affinity
		var set unix.CPUSet
		set.Set(cpu)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			done <- answer{err: err}
			return
		}
		var g Gap
		start := time.Now()
		for last := start; last.Sub(start) < d; {
			now := time.Now()
			gap := now.Sub(last)
			g.Longest = max(g.Longest, gap)
			if gap > 10*time.Microsecond {
				g.Lost += gap
			}
			last = now
		}
		done <- answer{gap: g}
	}()
	a := <-done
	return a.gap, a.err
}
