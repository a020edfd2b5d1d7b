package xdp

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigevThread is SIGEV_THREAD_ID: the signal is for one thread.
const sigevThread = 4

// signalEvent is struct sigevent.
type signalEvent struct {
	value          uint64
	signal, notify int32
	thread         int32
	_              [44]byte
}

// alarm is a timer of the kernel that interrupts the thread which made it, at
// the very moment: nobody else has to get a CPU for it, as for a signal from
// another thread, which has to wait for one while frames are sent.
type alarm struct {
	timer int32
}

// newAlarm makes an alarm for the calling thread, which has to be locked.
func newAlarm() (*alarm, error) {
	event := signalEvent{signal: int32(unix.SIGURG), notify: sigevThread, thread: int32(unix.Gettid())}
	a := &alarm{}
	_, _, errno := unix.Syscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC,
		uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&a.timer)))
	if errno != 0 {
		return nil, fmt.Errorf("make the alarm that ends the generator's run: %w", errno)
	}
	return a, nil
}

// set makes it go off at a time on the clock of Now, and not at another one
// that was set before. A time of 0 means never.
func (a *alarm) set(at time.Duration) error {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(at.Nanoseconds())}
	_, _, errno := unix.Syscall6(unix.SYS_TIMER_SETTIME, uintptr(a.timer), unix.TIMER_ABSTIME,
		uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("set the alarm that ends the generator's run: %w", errno)
	}
	return nil
}

// close forgets the alarm. One that is not closed ends with the process.
func (a *alarm) close() {
	unix.Syscall(unix.SYS_TIMER_DELETE, uintptr(a.timer), 0, 0)
}
