package xdp

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestAlarmInterruptsItsThread waits in the kernel for something that never
// comes. Without the alarm it would wait a minute.
func TestAlarmInterruptsItsThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a, err := newAlarm()
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	// The thread gets the signal while it waits, however late it begins to.
	var urgent, before unix.Sigset_t
	urgent.Val[0] = 1 << (uint(unix.SIGURG) - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &urgent, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	// An alarm that is set anew forgets when it was to go off before.
	if err := a.set(Now() + time.Hour); err != nil {
		t.Fatal(err)
	}
	at := Now() + 20*time.Millisecond
	if err := a.set(at); err != nil {
		t.Fatal(err)
	}
	for waits := true; waits; waits = Now() < at { // another signal may come first
		if _, err = unix.Pselect(0, nil, nil, nil, &unix.Timespec{Sec: 60}, &before); err == nil {
			t.Fatal("the alarm did not interrupt the thread within a minute")
		}
	}
	if err != nil && !errors.Is(err, unix.EINTR) {
		t.Errorf("the wait ended with %v, want %v", err, unix.EINTR)
	}
}

// TestOverAfterTheLastFrame is about when a run ends by itself: never before
// the last frames may leave, and not at a time that is past.
func TestOverAfterTheLastFrame(t *testing.T) {
	const second = time.Second
	load := Load{Rate: 1000, Duration: second, Frames: 1000}
	for _, c := range []struct {
		name       string
		order      Order
		now, delay time.Duration
		begun      bool
		want       time.Duration
	}{
		{"not begun, in time", Order{Load: load, Start: 10 * second}, 9 * second, 0, false, 11*second + finishing + spare},
		{"not begun, late", Order{Load: load, Start: 10 * second}, 12 * second, 0, false, 13*second + finishing + spare},
		{"begun", Order{Load: load, Start: 10 * second}, 11 * second, second / 2, true, 11*second + second/2 + finishing + spare},
		{"as many as possible", Order{Load: Load{Duration: second}, Start: 10 * second}, 10 * second, 0, false, 11*second + spare},
		{"two loads", Order{Load: load, Then: []Load{load}, Start: 10 * second}, 10 * second, 0, false, 12*second + finishing + spare},
		{"two loads, late", Order{Load: load, Then: []Load{load}, Start: 10 * second}, 11 * second, second, true, 12*second + finishing + spare},
		{"past", Order{Load: load, Start: 10 * second}, 14 * second, second, true, 0},
	} {
		p := generatorProgress{Delay: uint64(c.delay), Begun: flag(c.begun)}
		if got := c.order.over(p, c.now); got != c.want {
			t.Errorf("%s: over at %v, want %v", c.name, got, c.want)
		}
	}
}
