package agent

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// realTimePriority is above that of the threads in which a tester receives.
const realTimePriority = 2

// RaisePriority gives the threads of this process real-time priority, and those that
// they start: it shares its CPUs with a generator that never sleeps, and would
// else see an answer milliseconds after it came.
func RaisePriority() error {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list this process's threads: %w", err)
	}
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: realTimePriority}
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetAttr(tid, &attr, 0); err != nil && err != unix.ESRCH {
			return fmt.Errorf("give thread %d real-time priority: %w", tid, err)
		}
	}
	return nil
}
