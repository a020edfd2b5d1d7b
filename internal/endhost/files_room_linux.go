package endhost

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// filesRoom is the role "files-room".
func filesRoom(_ context.Context, s AtRoot) (room Room, err error) {
	root, at, err := placeOf(s.Root)
	if err != nil {
		return room, err
	}
	var system unix.Statfs_t
	if err := unix.Statfs(root, &system); err != nil {
		return room, fmt.Errorf("look at the file system of %s: %w", root, err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return room, err
	}
	room = Room{Machine: strings.TrimSpace(string(boot)), Device: at.Dev, Free: system.Bavail * uint64(system.Bsize)}
	switch uint32(system.Type) {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		room.InMemory = true
		if system.Blocks == 0 { // it has no limit of its own
			room.Free = math.MaxUint64
		}
	}
	memory, err := os.Open("/proc/meminfo")
	if err != nil {
		return room, err
	}
	defer memory.Close()
	room.Available, err = available(memory)
	return room, err
}

// available is the memory that programs can still have, in octets, by a
// /proc/meminfo.
func available(meminfo io.Reader) (uint64, error) {
	for lines := bufio.NewScanner(meminfo); lines.Scan(); {
		var kibibytes uint64
		if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kibibytes); err == nil {
			return kibibytes << 10, nil
		}
	}
	return 0, errors.New("/proc/meminfo has no line MemAvailable")
}
