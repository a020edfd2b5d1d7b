//go:build linux

package xdp

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/testenv"
)

// spin uses the CPU on a thread of its own until told to stop, and says which
// thread that is.
func spin(t *testing.T, cpu int) (thread int, stop func()) {
	t.Helper()
	id, done := make(chan int), make(chan struct{})
	var quit atomic.Bool
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		var set unix.CPUSet
		set.Set(cpu)
		unix.SchedSetaffinity(0, &set)
		id <- unix.Gettid()
		for !quit.Load() {
		}
	}()
	return <-id, func() { quit.Store(true); <-done }
}

// ran is how long a thread of this process has had a CPU, as the kernel counted last.
func ran(t *testing.T, thread int) (d time.Duration) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", thread))
	if err == nil {
		_, err = fmt.Sscan(string(text), (*int64)(&d))
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Two threads that want the same CPU keep each other from it, and nobody is noted
// who is not watched.
func TestPreemptionIsNoted(t *testing.T) {
	testenv.NeedRoot(t)
	p, err := NewPreemption()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	one, stop := spin(t, 0)
	defer stop()
	other, stop := spin(t, 0)
	defer stop()
	watch := func(threads ...int) {
		t.Helper()
		if err := p.Watch(threads); err != nil {
			t.Fatal(err)
		}
	}
	// Both threads have one CPU, which can be taken from one of them, or from both,
	// by one at a time.
	noted := func(since time.Duration) []Stretch {
		t.Helper()
		all, complete, err := p.Stretches()
		if err != nil || !complete {
			t.Fatalf("%d stretches, all %v: %v", len(all), complete, err)
		}
		for i, s := range all {
			if s.From > s.Until || s.Until > Now() || s.From < since {
				t.Fatalf("stretch %d is from %v to %v; the one before it ends at %v, and it is %v", i, s.From, s.Until, since, Now())
			}
			since = s.Until
		}
		return all
	}
	begin := Now()
	watch(one)
	testenv.Await(t, "one of two threads was kept waiting some times", func() bool { return len(noted(begin)) >= 5 })

	// That each waits for the other one does not count: what is noted and what both
	// had of the CPU are no more than the time.
	begin = Now()
	earlier := [2]time.Duration{ran(t, one), ran(t, other)}
	before := earlier
	testenv.Await(t, "the kernel has counted anew what both had of the CPU", func() bool {
		before = [2]time.Duration{ran(t, one), ran(t, other)}
		return before[0] > earlier[0] && before[1] > earlier[1]
	})
	watch(one, other)
	time.Sleep(50 * time.Millisecond)
	sum := time.Duration(0)
	for _, s := range noted(begin) {
		sum += s.Until - s.From
	}
	both := ran(t, one) - before[0] + ran(t, other) - before[1]
	if most := (Now() - begin) * 101 / 100; sum+both > most { // the scheduler has a clock of its own
		t.Errorf("two threads had a CPU for %v, and it was taken from both for %v, of %v", both, sum, most)
	}
	watch()
	time.Sleep(10 * time.Millisecond)
	if all := noted(0); len(all) != 0 {
		t.Errorf("%d stretches of no thread", len(all))
	}
	if err := p.Watch(make([]int, MaxWatched+1)); err == nil {
		t.Error("more threads are watched than can be")
	}
}
