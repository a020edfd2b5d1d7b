package endhost

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// uncached has nothing of what is written to a file, or read from it, stay in memory:
// fcntl(2), which is as its manual has it and run by no test of weir's.
func uncached(f *os.File) error {
	if _, err := unix.FcntlInt(f.Fd(), unix.F_NOCACHE, 1); err != nil {
		return fmt.Errorf("keep %s out of memory: %w", f.Name(), err)
	}
	return nil
}

// forget has a file on the disk: it was never in memory (uncached).
func forget(f *os.File) error { return f.Sync() }

// writeBehind does nothing: what is uncached is written at once.
func writeBehind(*os.File, int64, int64) {}
