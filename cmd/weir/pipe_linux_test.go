package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// onePage makes a pipe hold as little as it can.
func onePage(pipe any) error {
	file, ok := pipe.(*os.File)
	if !ok {
		return fmt.Errorf("%T is no pipe of the system", pipe)
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) { _, set = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, os.Getpagesize()) })
	return errors.Join(err, set)
}
