//go:build linux

package xdp

import (
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
	const lasts = 200 * time.Millisecond
	watch := func(threads ...int) (n int, sum time.Duration) {
		t.Helper()
		begin := Now()
		if err := p.Watch(threads); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lasts)
		all, complete, err := p.Stretches()
		if err != nil || !complete {
			t.Fatalf("%d stretches, all %v: %v", len(all), complete, err)
		}
		for _, s := range all {
			if s.From > s.Until || s.Until > Now() {
				t.Errorf("a stretch from %v to %v, asked from %v to %v", s.From, s.Until, begin, Now())
			}
			if s.From < begin { // it waited since before it was watched
				s.From = begin
			}
			sum += s.Until - s.From
		}
		return len(all), sum
	}
	if n, sum := watch(one); n < 5 || sum < lasts/4 {
		t.Errorf("one of two threads was kept waiting %d times, for %v of %v", n, sum, lasts)
	}
	if n, sum := watch(one, other); sum > lasts+lasts/10 {
		t.Errorf("one CPU was taken from both %d times, for %v of %v", n, sum, lasts)
	}
	if n, _ := watch(); n != 0 {
		t.Errorf("%d stretches of no thread", n)
	}
	if err := p.Watch(make([]int, MaxWatched+1)); err == nil {
		t.Error("more threads are watched than can be")
	}
}
