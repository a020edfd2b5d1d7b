package netif

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

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

// SendApart has what sockets send from a set of CPUs leave by a queue of a port that XDP
// programs on the CPUs of a generator do not send by, until that is undone (transmit packet
// steering). A virtual link gives such a program the queue of its CPU's number, modulo their
// number, and the two queues have rings of their own at the other end. Where each queue is
// some generator's the port stays as it is: the flow decides, or the driver. h is the calling
// thread's namespace.
func SendApart(ctx context.Context, undo *settings.Undo, h weir.Host, port string, cpus, generator []int) error {
	queues, err := filepath.Glob("/sys/class/net/" + port + "/queues/tx-*")
	free := freeQueue(len(queues), generator)
	if err != nil || free < 0 {
		return err
	}
	file := fmt.Sprintf("/sys/class/net/%s/queues/tx-%d/xps_cpus", port, free)
	if _, err := undo.Set(ctx, h, settings.Setting{Kind: settings.File, Device: port, Name: file}, settings.CPUMask(cpus)); err != nil {
		return fmt.Errorf("steer what %s sends from CPUs %v: %w", port, cpus, err)
	}
	return nil
}

// freeQueue is the last of so many queues that is none of a generator's; -1: there is none.
func freeQueue(queues int, generator []int) int {
	for q := queues - 1; q >= 0; q-- {
		if !slices.ContainsFunc(generator, func(cpu int) bool { return cpu%queues == q }) {
			return q
		}
	}
	return -1
}

// Ordinary undoes Prefer: threads have the priority that others have.
func Ordinary(tids []int) error {
	for _, tid := range tids {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL}
		err := checkKernels(tid)
		if err == nil {
			err = unix.SchedSetAttr(tid, &attr, 0)
		}
		if err != nil {
			return fmt.Errorf("give thread %d ordinary priority: %w", tid, err)
		}
	}
	return nil
}
