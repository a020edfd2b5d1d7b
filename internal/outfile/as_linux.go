package outfile

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// do has something done with the rights that a user has on files; without one, as ever.
func (c *caller) do(f func() error) error {
	if c == nil {
		return f()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine, and what it has become
		err := c.become()
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// become gives the calling thread alone the rights of the user on files.
func (c *caller) become() error {
	groups := []uint32{uint32(c.gid)}
	for _, g := range c.groups {
		groups = append(groups, uint32(g))
	}
	_, _, no := syscall.RawSyscall(syscall.SYS_SETGROUPS, uintptr(len(groups)), uintptr(unsafe.Pointer(&groups[0])), 0)
	if no != 0 {
		return fmt.Errorf("take the groups of user %d: %w", c.uid, no)
	}
	if err := errors.Join(syscall.Setfsgid(c.gid), syscall.Setfsuid(c.uid)); err != nil {
		return err
	}
	// Neither says whether it was done; what comes back is who it was before (setfsuid(2)).
	const nobody, setDumpable = ^uintptr(0), 4 // prctl(2)
	if was, _, _ := syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0); int(was) != c.uid {
		return fmt.Errorf("files cannot be made as user %d, who called sudo: weir lacks CAP_SETUID", c.uid)
	}
	// The kernel lets nobody look at a process that was another user for a moment; programs of
	// a lab do.
	_, _, no = syscall.RawSyscall(syscall.SYS_PRCTL, setDumpable, 1, 0)
	if no != 0 {
		return no
	}
	return nil
}
