package telemetry

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ringSize is how many octets of samples wait for each CPU: those of a few
// seconds, as whoever reads them may have to wait for a CPU.
const ringSize = 1 << 20

// ring is the kernel's sampling of one CPU.
type ring struct {
	fd   int
	mem  []byte
	page *unix.PerfEventMmapPage // at the beginning of mem
	data []byte                  // the rest of it
	buf  []byte
}

// openRing makes a CPU ready to be sampled so often in a second, in the kernel
// and in programs, by the kernel's clock: that takes no hardware counter.
func openRing(cpu, hertz int) (*ring, error) {
	attr := unix.PerfEventAttr{
		Type:        unix.PERF_TYPE_SOFTWARE,
		Size:        uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
		Config:      unix.PERF_COUNT_SW_CPU_CLOCK,
		Sample:      uint64(hertz),
		Sample_type: unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_CALLCHAIN,
		Bits:        unix.PerfBitDisabled | unix.PerfBitFreq | unix.PerfBitExcludeCallchainUser,
	}
	fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sample CPU %d: %w", cpu, err)
	}
	r := &ring{fd: fd}
	pageSize := os.Getpagesize()
	r.mem, err = unix.Mmap(fd, 0, pageSize+ringSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map the samples of CPU %d: %w", cpu, err), unix.Close(fd))
	}
	r.page = (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
	r.data = r.mem[pageSize:]
	return r, nil
}

func (r *ring) enable() error { return unix.IoctlSetInt(r.fd, unix.PERF_EVENT_IOC_ENABLE, 0) }

func (r *ring) disable() error { return unix.IoctlSetInt(r.fd, unix.PERF_EVENT_IOC_DISABLE, 0) }

// read takes what is in the ring and returns how many samples found no room in
// it before.
func (r *ring) read(found func(sampled)) (lost uint64) {
	head, tail := atomic.LoadUint64(&r.page.Data_head), r.page.Data_tail
	if head == tail {
		return 0
	}
	from, until := tail%ringSize, head%ringSize
	if from < until {
		r.buf = append(r.buf[:0], r.data[from:until]...)
	} else {
		r.buf = append(append(r.buf[:0], r.data[from:]...), r.data[:until]...)
	}
	atomic.StoreUint64(&r.page.Data_tail, head)
	return readRecords(r.buf, found)
}

func (r *ring) close() error { return errors.Join(unix.Munmap(r.mem), unix.Close(r.fd)) }
