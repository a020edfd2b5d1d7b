//go:build linux || darwin || freebsd

package endhost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	block = 4 << 20 // how much of a disk's file is moved at once, in octets
	// ahead is how many blocks may wait for the disk while others are written:
	// it has always something to do, and at the end it is not far behind.
	ahead = 4
)

// timeDisk is the role "disk".
func timeDisk(ctx context.Context, s TimeDisk) (found DiskTimes, err error) {
	if s.Octets <= 0 {
		return found, fmt.Errorf("a disk cannot be timed with %d octets", s.Octets)
	}
	if err := os.MkdirAll(s.Root, 0o711); err != nil {
		return found, fmt.Errorf("make a folder for timing its storage: %w", err)
	}
	f, err := os.CreateTemp(s.Root, "disk-")
	if err != nil {
		return found, fmt.Errorf("make a file for timing its storage: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// Without a name it goes with this process, however that ends.
	if err := errors.Join(os.Remove(f.Name()), uncached(f)); err != nil {
		return found, err
	}
	buffer := make([]byte, min(s.Octets, block))
	if _, err := io.ReadFull(content(uint64(time.Now().UnixNano()), 0), buffer); err != nil {
		return found, err
	}
	written, took, err := writeBlocks(ctx, f, buffer, s)
	if err != nil {
		return found, fmt.Errorf("time the writing of the storage of %s: %w", s.Root, err)
	}
	found.Write = perSecond(written, took)
	if err := forget(f); err != nil {
		return found, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return found, err
	}
	read, took, err := readBlocks(ctx, f, buffer, s.Limit)
	if err != nil {
		return found, fmt.Errorf("time the reading of the storage of %s: %w", s.Root, err)
	}
	found.Read = perSecond(read, took)
	return found, nil
}

// writeBlocks writes until all is written, or the time is over, and on the disk.
func writeBlocks(ctx context.Context, f *os.File, buffer []byte, s TimeDisk) (octets int64, took time.Duration, err error) {
	start := time.Now()
	for octets < s.Octets && (octets == 0 || time.Since(start) < s.Limit) {
		if err := context.Cause(ctx); err != nil {
			return 0, 0, err
		}
		n, err := f.Write(buffer[:min(s.Octets-octets, int64(len(buffer)))])
		if err != nil {
			return 0, 0, err
		}
		writeBehind(f, octets, int64(n))
		octets += int64(n)
	}
	if err := f.Sync(); err != nil {
		return 0, 0, err
	}
	return octets, time.Since(start), nil
}

// readBlocks reads until the end, or the time is over.
func readBlocks(ctx context.Context, f *os.File, buffer []byte, limit time.Duration) (octets int64, took time.Duration, err error) {
	start := time.Now()
	for octets == 0 || time.Since(start) < limit {
		if err := context.Cause(ctx); err != nil {
			return 0, 0, err
		}
		n, err := f.Read(buffer)
		octets += int64(n)
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return octets, time.Since(start), nil
}

// perSecond is a rate in bit/s.
func perSecond(octets int64, took time.Duration) float64 {
	return 8 * float64(octets) / max(took, time.Nanosecond).Seconds()
}
