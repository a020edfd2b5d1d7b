package testenv

import (
	"runtime"
	"syscall"
	"testing"
)

// AsUser calls a function as another user, of whom its thread alone has the rights: what it
// starts in further goroutines has root's. (To change all threads the Go runtime waits for each
// of them, which may take minutes.)
func AsUser(t testing.TB, uid int, f func()) {
	t.Helper()
	var no syscall.Errno
	onThread(func() {
		if _, _, no = syscall.RawSyscall(syscall.SYS_SETREUID, ^uintptr(0), uintptr(uid), 0); no == 0 {
			f()
		}
	})
	if no != 0 {
		t.Fatalf("become user %d: %v", uid, no)
	}
}

// onThread calls a function on a thread that ends with it. That is not the main thread, which
// stays.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if syscall.Gettid() == syscall.Getpid() {
			onThread(f)
			runtime.UnlockOSThread()
			return
		}
		f()
	}()
	<-done
}
