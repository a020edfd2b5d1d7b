package settings

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"weir"
	"weir/internal/processes"
)

// policies are those of scheduling that a port's threads may have, by the numbers of
// sched(7).
var policies = map[int]string{0: "other", 1: "fifo", 2: "rr", 3: "batch", 5: "idle"}

// readThread is how the kernel's thread of a port has the CPU. Its number may be
// another thread's by now: then it is gone. That other one may be of a port of the same
// name in another namespace, but serves another NAPI instance, which its name ends with, or a
// process's that calls itself so.
func readThread(ctx context.Context, h weir.Host, s Setting) (string, error) {
	pid, name, _ := strings.Cut(s.Name, " ")
	file := "/proc/" + pid + "/"
	text, err := h.ReadFile(ctx, file+"stat")
	if err != nil {
		return "", err
	}
	now, err := processes.Parse(text)
	if err != nil {
		return "", err
	}
	if name == "" || now.Name != name || !now.OfKernel() {
		return "", fmt.Errorf("thread %s is none of %s any more: %w", pid, s.Device, fs.ErrNotExist)
	}
	status, err := h.ReadFile(ctx, file+"status")
	if err != nil {
		return "", err
	}
	policy := policies[now.Field(processes.Policy)]
	if policy == "" {
		return "", fmt.Errorf("the scheduling of thread %s is not known: %q", pid, text)
	}
	return ThreadValue(Field(status, "Cpus_allowed_list"), policy, strconv.Itoa(now.Field(processes.RealtimePriority))), nil
}

// ThreadValue is how a thread has the CPU, as the value of a setting: on a list of
// CPUs, by a policy of chrt(1) with a priority.
func ThreadValue(cpus, policy, priority string) string {
	return fmt.Sprintf("cpus %s policy %s priority %s", cpus, policy, priority)
}

func setThread(s Setting, value string) Command {
	f := append(strings.Fields(value), make([]string, 6)...)
	pid, _, _ := strings.Cut(s.Name, " ")
	return command("sh", "-c", Line("taskset", "-p", "-c", f[1], pid)+" && "+Line("chrt", "--"+f[3], "-p", f[5], pid))
}
