package tester

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/testbed"
)

// serving is how a thread has the CPU, as the kernel says.
type serving struct {
	policy, priority uint32
	nice             int32
	cpus             []int
}

func servedBy(t *testing.T, tid int) serving {
	t.Helper()
	attr, err := unix.SchedGetAttr(tid, 0)
	if err != nil {
		t.Fatal(err)
	}
	cpus, err := netif.Affinity(tid)
	if err != nil {
		t.Fatal(err)
	}
	return serving{attr.Policy, attr.Priority, attr.Nice, cpus}
}

func (s serving) equal(o serving) bool {
	return s.policy == o.policy && s.priority == o.priority && s.nice == o.nice && slices.Equal(s.cpus, o.cpus)
}

// Once a port's queues were served on CPUs of the caller's choice, their threads
// have the CPUs, policy and priority that they had before, each its own; where there
// were none there are none.
func TestReceivingLeavesThreadsAsTheyWere(t *testing.T) {
	bed := openLab(t, nil)
	port := bed.DUT().Ports[1].Tester
	in := func(f func() error) {
		t.Helper()
		if err := bed.Tester.Do(f); err != nil {
			t.Fatal(err)
		}
	}
	there := []int{runtime.NumCPU() - 1} // the threads are on the first CPU before
	c := ReceiveConfig{Port: port, Duration: ms, CPUs: there, Host: testbed.Machine("here", nil)}
	receive := func() {
		t.Helper()
		in(func() error {
			_, err := Receive(t.Context(), c)
			return err
		})
	}
	var threads []int
	in(func() (err error) { threads, err = netif.NAPIThreads(port); return err })
	if len(threads) == 0 {
		t.Fatal("the port has no threads")
	}
	var before []serving
	for i, tid := range threads {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Nice: int32(i%3) - 1}
		if i%2 == 1 {
			attr = unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 7}
		}
		if err := errors.Join(unix.SchedSetAttr(tid, &attr, 0), netif.Pin(tid, []int{0})); err != nil {
			t.Fatal(err)
		}
		before = append(before, servedBy(t, tid))
	}
	receive()
	for i, tid := range threads {
		if got := servedBy(t, tid); !got.equal(before[i]) {
			t.Errorf("thread %d of the port is served %+v, was %+v", i, got, before[i])
		}
	}
	in(func() error {
		var undo settings.Undo
		if err := netif.ServeQueues(t.Context(), &undo, c.Host, c.Port, c.CPUs); err != nil {
			return err
		}
		if got, want := servedBy(t, threads[0]), (serving{policy: unix.SCHED_RR, priority: 1, cpus: there}); !got.equal(want) {
			t.Errorf("while it receives a thread is served %+v, want %+v", got, want)
		}
		return undo.Close()
	})

	in(func() error { return netif.UnthreadNAPI(port) })
	receive()
	in(func() error {
		if is, err := os.ReadFile(netif.Threaded(port)); err != nil || string(is) != "0\n" {
			t.Errorf("a port whose queues ran in softirq has threads: %q, %v", is, err)
		}
		return nil
	})
}
