//go:build darwin || freebsd

package endhost

import (
	"context"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// filesRoom is the role "files-room". It is by statfs(2) as the manuals have that, and run
// by no test of weir's. How much memory is left does not matter: files are on disks alone.
func filesRoom(_ context.Context, s AtRoot) (room Room, err error) {
	root, at, err := placeOf(s.Root)
	if err != nil {
		return room, err
	}
	var system unix.Statfs_t
	if err := unix.Statfs(root, &system); err != nil {
		return room, fmt.Errorf("look at the file system of %s: %w", root, err)
	}
	name, err := os.Hostname()
	if err != nil {
		return room, err
	}
	boot, err := unix.SysctlTimeval("kern.boottime")
	if err != nil {
		return room, fmt.Errorf("ask when the machine was started: %w", err)
	}
	return Room{
		Machine: fmt.Sprint(name, " ", boot.Sec), Device: uint64(at.Dev),
		Free:     uint64(max(system.Bavail, 0)) * uint64(system.Bsize),
		InMemory: slices.Contains([]string{"tmpfs", "mfs"}, unix.ByteSliceToString(system.Fstypename[:])),
	}, nil
}
