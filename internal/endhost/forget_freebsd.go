package endhost

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// uncached does nothing: what is in memory can be taken out of it.
func uncached(*os.File) error { return nil }

// forget leaves nothing of a file in memory: posix_fadvise(2), which is as its manual has it
// and run by no test of weir's. It returns what is wrong in place of setting errno.
func forget(f *os.File) error {
	const dontNeed = 4 // POSIX_FADV_DONTNEED of <sys/fcntl.h>
	if err := f.Sync(); err != nil {
		return err
	}
	wrong, _, errno := unix.Syscall6(unix.SYS_POSIX_FADVISE, f.Fd(), 0, 0, dontNeed, 0, 0)
	if errno == 0 {
		errno = syscall.Errno(wrong)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// writeBehind does nothing: the system writes when it likes, and the rest at the end.
func writeBehind(*os.File, int64, int64) {}
