package endhost

import (
	"cmp"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir"
)

// tcpStream is one connection of a test.
type tcpStream struct {
	fd      int
	size    int           // octets that are given to it, or taken, at once
	warmUp  time.Duration // before its round trips are looked at
	samples int           // of these, at most

	octets atomic.Uint64
	ended  atomic.Bool
	trips  []uint32 // round trips, in us; read when it has ended

	// Room for what the sender asks the kernel.
	now      unix.Timespec
	next     int64 // when to look at the round trip, in ns
	info     unix.TCPInfo
	infoSize uint32
}

// newTCPStream is that of a test on a socket.
func newTCPStream(fd int, s Streams) *tcpStream {
	return &tcpStream{fd: fd, size: cmp.Or(s.Payload, writeSize), warmUp: s.WarmUp, samples: int(s.Duration/sampleEvery) + 1}
}

// send gives TCP all that it takes.
func (s *tcpStream) send() error {
	buffer := make([]byte, s.size)
	fillRandom(buffer)
	s.trips = make([]uint32, 0, s.samples)
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &s.now); err != nil {
		return err
	}
	s.next = s.now.Nano() + int64(s.warmUp)
	for {
		switch errno := s.writeLoop(buffer); {
		case s.ended.Load():
			return nil
		case errno != unix.EINTR:
			return fmt.Errorf("send over TCP: %w", errno)
		}
	}
}

// receive takes all that TCP has. It is copied, as a program does that has a
// use for it.
func (s *tcpStream) receive() error {
	buffer := make([]byte, s.size)
	for {
		switch errno := s.readLoop(buffer); {
		case s.ended.Load():
			return nil
		case errno == 0:
			return fmt.Errorf("receive over TCP: %w", io.ErrUnexpectedEOF)
		case errno != unix.EINTR:
			return fmt.Errorf("receive over TCP: %w", errno)
		}
	}
}

// The two loops that follow are what a test does. They do not tell the scheduler
// of Go of their calls, nor ask it whether others want to run: it would look for
// work a hundred times a second, which costs more than to send 100 Mbit/s does.
// Each has a thread and a place of its own, and there is no collector that would
// have to wait for it (newEnd).

// writeLoop writes until there is an error, and looks at the round trip now and then.
//
//go:nosplit
func (s *tcpStream) writeLoop(buffer []byte) syscall.Errno {
	for {
		_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(s.fd), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
		if errno != 0 {
			return errno
		}
		unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&s.now)), 0)
		now := int64(s.now.Sec)*1e9 + int64(s.now.Nsec)
		if n := len(s.trips); now >= s.next && n < cap(s.trips) {
			s.next = now + int64(sampleEvery)
			s.infoSize = uint32(unsafe.Sizeof(s.info))
			_, _, errno := unix.RawSyscall6(unix.SYS_GETSOCKOPT, uintptr(s.fd), unix.IPPROTO_TCP, unix.TCP_INFO,
				uintptr(unsafe.Pointer(&s.info)), uintptr(unsafe.Pointer(&s.infoSize)), 0)
			if errno == 0 {
				s.trips = s.trips[:n+1]
				s.trips[n] = s.info.Rtt
			}
		}
	}
}

// readLoop reads until there is an error or, without one, nothing more to come.
//
//go:nosplit
func (s *tcpStream) readLoop(buffer []byte) syscall.Errno {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
		if errno != 0 || n == 0 {
			return errno
		}
		s.octets.Add(uint64(n))
	}
}

func (s *tcpStream) count() uint64 { return s.octets.Load() }

func (s *tcpStream) roundTrips(h *weir.Histogram) {
	for _, us := range s.trips {
		h.Add(uint64(us)*1000, 1)
	}
}

func (s *tcpStream) sent(to *Sent) error {
	info, err := s.asked()
	if err == nil {
		to.Segment = int(info.Snd_mss)
	}
	return err
}

func (s *tcpStream) received(*Received) error { return nil }

func (s *tcpStream) retransmitted() (uint64, error) {
	info, err := s.asked()
	if err != nil {
		return 0, err
	}
	return uint64(info.Total_retrans), nil
}

// asked is what the kernel says of the connection. The sender's own room for
// that is in use.
func (s *tcpStream) asked() (*unix.TCPInfo, error) {
	info, err := unix.GetsockoptTCPInfo(s.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return nil, fmt.Errorf("ask TCP about its connection: %w", err)
	}
	return info, nil
}

// halt ends a call that waits.
func (s *tcpStream) halt() {
	s.ended.Store(true)
	unix.Shutdown(s.fd, unix.SHUT_RDWR)
}

// close throws away what is still queued: it would be in the way of what comes
// next.
func (s *tcpStream) close() {
	unix.SetsockoptLinger(s.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	unix.Close(s.fd)
}
