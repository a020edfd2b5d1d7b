package netif

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ThreadNAPI gives each receive queue of a port of the calling thread's
// namespace a kernel thread of its own, and binds these threads to cpus. NAPI
// must exist already: the port is up and has GRO or an XDP program. It returns
// the threads' process IDs.
func ThreadNAPI(name string, cpus []int) ([]int, error) {
	threads, err := StartNAPIThreads(name)
	if err != nil {
		return nil, err
	}
	for _, pid := range threads {
		if err := Pin(pid, cpus); err != nil {
			return nil, fmt.Errorf("bind NAPI thread %d of %s: %w", pid, name, err)
		}
	}
	return threads, nil
}

// StartNAPIThreads is ThreadNAPI that leaves the threads on the CPUs on which
// they may run.
func StartNAPIThreads(name string) ([]int, error) {
	if err := os.WriteFile(Threaded(name), []byte("1"), 0o644); err != nil {
		return nil, fmt.Errorf("give the queues of %s threads (Linux 5.12 or later): %w", name, err)
	}
	threads, err := NAPIThreads(name)
	if err != nil {
		return nil, err
	}
	if len(threads) == 0 {
		return nil, fmt.Errorf("%s has no NAPI thread after threading was turned on", name)
	}
	return threads, nil
}

// Threaded is the file that says whether the queues of a port have threads of their
// own, and do not run in softirq.
func Threaded(name string) string { return "/sys/class/net/" + name + "/threaded" }

// Pin binds a thread of the kernel (0: the calling one) to a set of CPUs.
func Pin(tid int, cpus []int) error {
	if err := checkKernels(tid); err != nil {
		return err
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	return unix.SchedSetaffinity(tid, &set)
}

// Affinity is the set of CPUs that a thread is bound to, in order.
func Affinity(tid int) ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(tid, &set); err != nil {
		return nil, fmt.Errorf("ask which CPUs thread %d is bound to: %w", tid, err)
	}
	var cpus []int
	for c := 0; len(cpus) < set.Count(); c++ {
		if set.IsSet(c) {
			cpus = append(cpus, c)
		}
	}
	return cpus, nil
}

// checkKernels returns an error where a thread is neither the kernel's nor the calling one: a number may
// be another one's by now, of a process that is to have nothing of root.
func checkKernels(tid int) error {
	if tid != 0 && kernelThread(tid) == "" {
		return fmt.Errorf("thread %d is none of the kernel's", tid)
	}
	return nil
}

// Prefer gives threads of the kernel real-time priority, so that one that wakes up runs at
// once, whatever else its CPU is doing. Those that share a CPU take turns.
func Prefer(tids []int) error {
	for _, tid := range tids {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}
		err := checkKernels(tid)
		if err == nil {
			err = unix.SchedSetAttr(tid, &attr, 0)
		}
		if err != nil {
			return fmt.Errorf("give thread %d real-time priority: %w", tid, err)
		}
	}
	return nil
}

// PreferToAll gives the calling thread, which has to be locked, a real-time
// priority above that of Prefer: it runs when it wakes up, and should soon
// sleep again.
func PreferToAll() error {
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 2}
	if err := unix.SchedSetAttr(0, &attr, 0); err != nil {
		if errors.Is(err, unix.EPERM) {
			return fmt.Errorf("take real-time priority: %w: where control groups are of version 1, that of this process may have no real time, as cpu.rt_runtime_us says (docker, podman: --cpu-rt-runtime 400000)", err)
		}
		return fmt.Errorf("take real-time priority: %w", err)
	}
	return nil
}

// UnthreadNAPI undoes ThreadNAPI.
func UnthreadNAPI(name string) error {
	return os.WriteFile(Threaded(name), []byte("0"), 0o644)
}

// Confine binds all threads of this process to a set of CPUs, and those that
// they will start. The returned function lets them run where they could before.
func Confine(cpus []int) (undo func() error, err error) {
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("read this process's CPUs: %w", err)
	}
	var set unix.CPUSet
	for _, c := range cpus {
		set.Set(c)
	}
	if err := confine(&set); err != nil {
		return nil, err
	}
	return func() error { return confine(&before) }, nil
}

func confine(set *unix.CPUSet) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range tasks {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(tid, set); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("bind thread %d: %w", tid, err)
		}
	}
	return nil
}
