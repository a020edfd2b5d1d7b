package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget drops what was typed at a terminal and not read.
func forget(terminal *os.File) { _ = unix.IoctlSetInt(int(terminal.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
