package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"weir/internal/locks"
)

// registryLimit is how long the lock of the registry is waited for: who has it may be
// undoing things at machines that are gone, and gives each of them up after minutes.
const registryLimit = 10 * time.Minute

// lockRegistry keeps others from entering labs and from removing them. unlock
// is there when there is an error, too. The lock is on the folder: only who has it
// removes that.
func lockRegistry(ctx context.Context) (unlock func(), err error) {
	nothing := func() {}
	for range 1000 {
		var dir *os.File
		err = MakeRunDir()
		if err == nil {
			dir, err = os.Open(RunDir())
		}
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) {
			continue // who removed the last lab removed the folder in this moment
		}
		if err != nil {
			return nothing, fmt.Errorf("register labs: %w", err)
		}
		if err = locks.Wait(ctx, dir, registryLimit); err != nil {
			dir.Close()
			return nothing, fmt.Errorf("lock the folder of labs %s: %w: wait until that has ended, or end it (kill -9), and then: weir lab restore", RunDir(), err)
		}
		if locks.IsAt(dir, RunDir()) {
			return func() {
				os.Remove(RunDir()) // when nothing is in it
				dir.Close()
			}, nil
		}
		dir.Close() // likewise, while this one waited
	}
	return nothing, fmt.Errorf("lock the folder of labs %s: it is not there when it was made", RunDir())
}
