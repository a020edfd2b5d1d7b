package outfile

import (
	"errors"
	"runtime"
	"syscall"
)

// do has something done with the rights that a user has on files; without one, as ever.
func (c *caller) do(f func() error) error {
	if c == nil {
		return f()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine, and what it has become
		_, _, no := syscall.RawSyscall(syscall.SYS_SETGROUPS, 0, 0, 0)
		var err error
		if no != 0 {
			err = no
		}
		if err = errors.Join(err, syscall.Setfsgid(c.gid), syscall.Setfsuid(c.uid)); err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}
