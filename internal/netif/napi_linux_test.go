package netif

import (
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// A thread has the CPU as before once that is restored; where that cannot be it
// is an error, and one that has ended is none.
func TestSchedulingIsRestored(t *testing.T) {
	testenv.NeedRoot(t)
	other := exec.Command("sleep", "60")
	other.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	tid := other.Process.Pid
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: 3}
	if err := unix.SchedSetAttr(tid, &attr, 0); err != nil {
		t.Fatal(err)
	}
	before, err := SchedulingOf(tid)
	if err != nil {
		t.Fatal(err)
	}
	if err := Prefer([]int{tid}); err != nil {
		t.Fatal(err)
	}
	if err := Pin(tid, before.cpus[:1]); err != nil {
		t.Fatal(err)
	}
	if err := before.Restore(tid); err != nil {
		t.Error(err)
	}
	after, err := SchedulingOf(tid)
	if err != nil || after.attr.Policy != unix.SCHED_BATCH || after.attr.Nice != 3 || after.attr.Priority != 0 || !slices.Equal(after.cpus, before.cpus) {
		t.Errorf("restored it is %+v, %v; want %+v", after, err, before)
	}
	if err := (Scheduling{attr: before.attr}).Restore(tid); err == nil {
		t.Error("a thread may run on no CPU, and that is no error")
	}
	other.Process.Kill()
	other.Wait()
	if err := before.Restore(tid); err != nil {
		t.Errorf("a thread that has ended: %v", err)
	}
}
