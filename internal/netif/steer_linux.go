package netif

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"weir"
	"weir/internal/settings"
)

// Steer hands what a port of the calling thread's namespace receives to a set
// of CPUs (receive packet steering), whose softirq then does the rest: the
// frame waits in the backlog of its CPU, which its flow decides. Without CPUs
// each frame stays on the one that took it from the ring.
func Steer(name string, cpus []int) error {
	files, err := filepath.Glob("/sys/class/net/" + name + "/queues/rx-*/rps_cpus")
	if err == nil && len(files) == 0 {
		err = os.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("find the receive queues of %s: %w", name, err)
	}
	for _, file := range files {
		if err := os.WriteFile(file, []byte(settings.CPUMask(cpus)), 0o644); err != nil {
			return fmt.Errorf("steer what %s receives to CPUs %v: %w", name, cpus, err)
		}
	}
	return nil
}

// SendByLast has what sockets send from a set of CPUs leave by the last queue of a port
// (transmit packet steering), and so arrive at the last one of a virtual link's other end:
// XDP programs on the lower CPUs send by others. Until that is undone; before, the flow
// decides, or the driver. A port of one queue stays as it is. h is the calling thread's
// namespace.
func SendByLast(ctx context.Context, undo *settings.Undo, h weir.Host, port string, cpus []int) error {
	queues, err := filepath.Glob("/sys/class/net/" + port + "/queues/tx-*")
	if err != nil || len(queues) < 2 {
		return err
	}
	file := fmt.Sprintf("/sys/class/net/%s/queues/tx-%d/xps_cpus", port, len(queues)-1)
	if _, err := undo.Set(ctx, h, settings.Setting{Kind: settings.File, Device: port, Name: file}, settings.CPUMask(cpus)); err != nil {
		return fmt.Errorf("steer what %s sends from CPUs %v: %w", port, cpus, err)
	}
	return nil
}

// Ordinary undoes Prefer: threads have the priority that others have.
func Ordinary(tids []int) error {
	for _, tid := range tids {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
		if err := unix.SchedSetAttr(tid, &attr, 0); err != nil {
			return fmt.Errorf("give thread %d ordinary priority: %w", tid, err)
		}
	}
	return nil
}
