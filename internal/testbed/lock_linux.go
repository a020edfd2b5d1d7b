package testbed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// registryLimit is how long the lock of the registry is waited for: who has it may be
// undoing things at machines that are gone, and gives each of them up after minutes.
const registryLimit = 10 * time.Minute

// lockRegistry keeps others from entering labs and from removing them. unlock
// is there when there is an error, too.
func lockRegistry(ctx context.Context) (unlock func(), err error) {
	nothing := func() {}
	for range 1000 {
		var dir *os.File
		err = os.MkdirAll(RunDir(), 0o755)
		if err == nil {
			dir, err = os.Open(RunDir())
		}
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) {
			continue // who removed the last lab removed the folder in this moment
		}
		if err != nil {
			return nothing, fmt.Errorf("register labs: %w", err)
		}
		if err = flock(ctx, dir, registryLimit); err != nil {
			dir.Close()
			return nothing, fmt.Errorf("lock the folder of labs %s: %w", RunDir(), err)
		}
		is, err := dir.Stat()
		now, gone := os.Stat(RunDir())
		if err == nil && gone == nil && os.SameFile(is, now) {
			return func() { dir.Close() }, nil
		}
		dir.Close() // likewise, while this one waited
	}
	return nothing, fmt.Errorf("lock the folder of labs %s: it is not there when it was made", RunDir())
}

// flock locks a folder, and waits for who has it.
func flock(ctx context.Context, dir *os.File, limit time.Duration) error {
	for end := time.Now().Add(limit); ; {
		err := unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s has had it for %v: wait until that has ended, or end it (kill -9), and then: weir lab restore", holder(dir), limit)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// holder names the process that has locked a folder.
func holder(dir *os.File) string {
	var is unix.Stat_t
	locks, err := os.ReadFile("/proc/locks")
	if err = errors.Join(err, unix.Fstat(int(dir.Fd()), &is)); err == nil {
		inode := fmt.Sprintf("%02x:%02x:%d", unix.Major(is.Dev), unix.Minor(is.Dev), is.Ino)
		for line := range bytes.Lines(locks) { // NUMBER: FLOCK ADVISORY WRITE PID DEVICE:INODE FROM TO
			if f := strings.Fields(string(line)); len(f) > 5 && f[1] == "FLOCK" && f[5] == inode {
				return "process " + f[4]
			}
		}
	}
	return "another weir"
}
