//go:build unix

package locks

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

// quiet is how long it waits without a word.
const quiet = 2 * time.Second

// warn says a line on standard error. Tests look at it.
var warn = func(line string) { fmt.Fprintln(os.Stderr, "weir: "+line) }

// Wait locks an open file or folder until it is closed. Where another process has it, it
// waits, and says for whom; after the limit that is an error.
func Wait(ctx context.Context, f *os.File, limit time.Duration) error {
	for began, warned := time.Now(), false; ; {
		err := try(f)
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return err
		}
		waited := time.Since(began)
		if waited > limit {
			return fmt.Errorf("%s has had it for %v", Holder(f), limit)
		}
		if waited > quiet && !warned {
			warned = true
			warn(fmt.Sprintf("waiting, for %v at most, for %s, which has %s", limit, Holder(f), f.Name()))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Holder names the process that has locked a file, as far as the kernel says so (proc_locks(5)).
func Holder(f *os.File) string {
	var is unix.Stat_t
	locks, err := os.ReadFile("/proc/locks")
	if err = errors.Join(err, unix.Fstat(int(f.Fd()), &is)); err == nil {
		inode := fmt.Sprintf("%02x:%02x:%d", unix.Major(uint64(is.Dev)), unix.Minor(uint64(is.Dev)), is.Ino)
		for line := range bytes.Lines(locks) { // NUMBER: FLOCK ADVISORY WRITE PID DEVICE:INODE FROM TO
			if f := strings.Fields(string(line)); len(f) > 5 && f[1] == "FLOCK" && f[5] == inode {
				return "process " + f[4]
			}
		}
	}
	return "another weir"
}
