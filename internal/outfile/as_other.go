//go:build !linux

package outfile

import (
	"errors"
	"syscall"
)

// do has something done with the rights of a user; without one, as ever.
func (c *caller) do(f func() error) error {
	if c == nil {
		return f()
	}
	uid, gid := syscall.Geteuid(), syscall.Getegid()
	err := errors.Join(syscall.Setegid(c.gid), syscall.Seteuid(c.uid))
	if err == nil {
		err = f()
	}
	return errors.Join(err, syscall.Seteuid(uid), syscall.Setegid(gid))
}
