package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/locks"
)

// registryLimit is how long the lock of the registry is waited for: who has it may be
// undoing things at machines that are gone, and gives each of them up after minutes.
const registryLimit = 10 * time.Minute

// lockRegistry keeps others from entering labs and from removing them. unlock
// is there when there is an error, too. The lock is on a file that root alone opens, and that
// is there as long as somebody has it: whoever may read the folder may lock that, too.
func lockRegistry(ctx context.Context) (unlock func(), err error) {
	nothing := func() {}
	file := filepath.Join(RunDir(), "lock")
	for range 10_000 {
		var f *os.File
		err = MakeRunDir()
		if err == nil {
			f, err = os.OpenFile(file, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
		}
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) {
			continue // who had it removed the folder in this moment
		}
		if err != nil {
			return nothing, fmt.Errorf("register labs: %w", err)
		}
		if err = locks.Wait(ctx, f, registryLimit); err != nil {
			f.Close()
			return nothing, fmt.Errorf("lock the folder of labs %s: %w: wait until that has ended, or end it (kill -9), and then: weir lab restore", RunDir(), err)
		}
		if locks.IsAt(f, file) {
			return func() {
				os.Remove(file)
				os.Remove(RunDir()) // when nothing is in it
				f.Close()
			}, nil
		}
		f.Close() // who had it removed it, while this one waited
	}
	return nothing, fmt.Errorf("lock the folder of labs %s: it is not there when it was made", RunDir())
}
