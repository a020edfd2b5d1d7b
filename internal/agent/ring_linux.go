package agent

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir"
)

// What is said to io_uring, as in <linux/io_uring.h>.
const (
	ringThread       = 1 << 1 // io_uring_params.flags
	ringThreadOnCPU  = 1 << 2
	ringRegisterNAPI = 27
	napiTrack        = 0 // io_uring_napi.opcode
	napiAdd          = 1
	napiDelete       = 2
	napiStatic       = 1 // instances are named one by one (Linux 6.13)
	enterGetEvents   = 1 << 0
	enterWake        = 1 << 1
	enterExtended    = 1 << 3
)

// ringParams is struct io_uring_params.
type ringParams struct {
	_     [2]uint32
	flags uint32
	cpu   uint32 // of the thread
	idle  uint32 // ms after which the thread sleeps
	_     [5]uint32
	head  uint32 // where the ring for requests has its head
	tail  uint32 // and its tail
	_     [18]uint32
}

// ringNAPI is struct io_uring_napi.
type ringNAPI struct {
	spin   uint32 // µs
	prefer uint8  // between two rounds an instance does not run before its timer has expired
	opcode uint8
	_      [2]uint8
	value  uint32
	_      uint32
}

// ring is an io_uring that does no I/O and polls NAPI instances. A socket can do
// that too, but only once a frame has come to it through the instance.
type ring struct {
	fd    int
	napis []uint32
}

// openRing makes a ring without instances. One that spins has a thread of its
// own in the kernel, bound to a CPU, which polls for ever; otherwise see pollOnce.
func openRing(spins bool, cpu int) (*ring, error) {
	var p ringParams
	track := ringNAPI{spin: 1, opcode: napiTrack, value: napiStatic}
	if spins {
		const ever = 24 * 24 * time.Hour // what fits
		p = ringParams{flags: ringThread | ringThreadOnCPU, cpu: uint32(cpu), idle: uint32(ever / time.Millisecond)}
		track.prefer = 1
	}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("make an io_uring: %w", errno)
	}
	r := &ring{fd: int(fd)}
	err := r.register(track)
	if err == nil && spins {
		err = r.wake(p.head, p.tail)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// wake submits one request to do nothing, which is what the memory of a new ring
// says, and waits until it is taken: the thread of a ring sleeps until there is
// a first one.
func (r *ring) wake(head, tail uint32) error {
	memory, err := unix.Mmap(r.fd, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map an io_uring: %w", err)
	}
	defer unix.Munmap(memory)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&memory[tail])), 1)
	if err := r.enter(enterWake, nil); err != nil {
		return err
	}
	for atomic.LoadUint32((*uint32)(unsafe.Pointer(&memory[head]))) != 1 {
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

// set has the ring poll these instances in place of those that it polled.
func (r *ring) set(napis []uint32) error {
	for _, id := range r.napis {
		if err := r.register(ringNAPI{opcode: napiDelete, value: id}); err != nil {
			return err
		}
	}
	r.napis = nil
	for _, id := range napis {
		if err := r.register(ringNAPI{opcode: napiAdd, value: id}); err != nil {
			return err
		}
		r.napis = append(r.napis, id)
	}
	return nil
}

func (r *ring) register(n ringNAPI) error {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(r.fd), ringRegisterNAPI, uintptr(unsafe.Pointer(&n)), 1, 0, 0)
	if errno != 0 {
		return fmt.Errorf("have an io_uring poll NAPI: %w", errno)
	}
	return nil
}

// pollOnce polls all instances once, on the calling thread.
func (r *ring) pollOnce() error {
	// The kernel polls while somebody waits for the ring. This wait ends at once.
	return r.enter(enterGetEvents|enterExtended, &ringWait{limit: &unix.Timespec{}})
}

// ringWait is struct io_uring_getevents_arg.
type ringWait struct {
	_     [2]uint64
	limit *unix.Timespec
}

func (r *ring) enter(flags uintptr, wait *ringWait) error {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), 0, 1, flags,
		uintptr(unsafe.Pointer(wait)), unsafe.Sizeof(*wait))
	if errno != 0 && errno != unix.ETIME && errno != unix.EINTR {
		return fmt.Errorf("have an io_uring poll NAPI: %w", errno)
	}
	return nil
}

func (r *ring) close() { unix.Close(r.fd) }

// CanPoll is a *weir.UnsupportedError where StartPoller would be in vain.
func CanPoll() error {
	r, err := openRing(false, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) {
		return &weir.UnsupportedError{
			Feature: "polling NAPI instances by their numbers", Since: "Linux 6.13", Err: err,
			Remedy: "take a newer kernel, and allow io_uring (sysctl kernel.io_uring_disabled=0)",
		}
	}
	if err != nil {
		return err
	}
	r.close()
	return nil
}
