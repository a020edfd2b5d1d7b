package telemetry

import (
	"context"
	"time"

	"weir"
	"weir/internal/processes"
)

// tick is the unit of CPU times in /proc (USER_HZ, which is the same on every
// machine that weir runs on).
const tick = 10 * time.Millisecond

// ReadDescendants reads how much CPU time the programs have used that a process
// has started, and those that they have started, whether or not they run still.
func ReadDescendants(ctx context.Context, h weir.Host, pid int) (time.Duration, error) {
	_, below, err := readFamily(ctx, h, pid)
	return below, err
}

// ReadFamily reads how much a process has used itself, and its descendants.
func ReadFamily(ctx context.Context, h weir.Host, pid int) (time.Duration, error) {
	own, below, err := readFamily(ctx, h, pid)
	return own + below, err
}

func readFamily(ctx context.Context, h weir.Host, pid int) (own, descendants time.Duration, err error) {
	all, err := processes.ReadAll(ctx, h)
	if err != nil {
		return 0, 0, err
	}
	used := func(s processes.Stat, user, system int) time.Duration {
		return time.Duration(s.Field(user)+s.Field(system)) * tick
	}
	children := make(map[int][]int)
	for pid, s := range all {
		parent := s.Field(processes.Parent)
		children[parent] = append(children[parent], pid)
	}
	var below func(pid int) time.Duration
	below = func(pid int) time.Duration {
		sum := used(all[pid], processes.WaitedUserTime, processes.WaitedSystemTime)
		those := children[pid]
		delete(children, pid) // a number that was used again meanwhile leads to no circle
		for _, child := range those {
			sum += used(all[child], processes.UserTime, processes.SystemTime) + below(child)
		}
		return sum
	}
	return used(all[pid], processes.UserTime, processes.SystemTime), below(pid), nil
}
