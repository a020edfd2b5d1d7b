package endhost

import (
	"os"

	"golang.org/x/sys/unix"
)

// uncached does nothing: what is in memory can be taken out of it.
func uncached(*os.File) error { return nil }

// forget leaves nothing of a file in memory: only what is on the disk can go.
func forget(f *os.File) error {
	if err := f.Sync(); err != nil {
		return err
	}
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// writeBehind has the disk begin to write what was just written of a file, n octets from
// from, and waits for what is far behind that. A file system that cannot do this does all
// of it at the end.
func writeBehind(f *os.File, from, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), from, n, unix.SYNC_FILE_RANGE_WRITE)
	if before := from - ahead*block; before >= 0 {
		_ = unix.SyncFileRange(int(f.Fd()), before, block, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	}
}
