package endhost

import (
	"fmt"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir"
)

// toldStream is a connection of which the kernel of Linux tells.
type toldStream struct {
	tcpStream
	warmUp time.Duration // before its round trips are looked at
	trips  []uint32      // round trips, in us; read when it has ended

	// Room for what the sender asks the kernel.
	now      unix.Timespec
	next     int64 // when to look at the round trip, in ns
	info     unix.TCPInfo
	infoSize uint32
}

// linuxTCP is that of a test on a socket.
func linuxTCP(fd int, s Streams) stream {
	return &toldStream{tcpStream: tcpStream{fd: fd, size: s.given()}, warmUp: s.WarmUp, trips: make([]uint32, 0, int(s.Duration/sampleEvery)+1)}
}

func (s *toldStream) send() error {
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &s.now); err != nil {
		return err
	}
	s.next = s.now.Nano() + int64(s.warmUp)
	return s.sending(func(buffer []byte) error { return faultOf(s.writeLoop(buffer)) })
}

func (s *toldStream) receive() error {
	return s.receiving(func(buffer []byte) error { return faultOf(s.readLoop(buffer)) })
}

// faultOf is an error where there is one.
func faultOf(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

// The two loops that follow are what a test does. They do not tell the scheduler
// of Go of their calls, nor ask it whether others want to run: it would look for
// work a hundred times a second, which costs more than to send 100 Mbit/s does.
// Each has a thread and a place of its own, and there is no collector that would
// have to wait for it (newEnd).

// writeLoop writes until there is an error, and looks at the round trip now and then.
//
//go:nosplit
func (s *toldStream) writeLoop(buffer []byte) syscall.Errno {
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
func (s *toldStream) readLoop(buffer []byte) syscall.Errno {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(s.fd), uintptr(unsafe.Pointer(&buffer[0])), uintptr(len(buffer)))
		if errno != 0 || n == 0 {
			return errno
		}
		s.octets.Add(uint64(n))
	}
}

func (s *toldStream) roundTrips(h *weir.Histogram) {
	for _, us := range s.trips {
		h.Add(uint64(us)*1000, 1)
	}
}

func (s *toldStream) sent(to *Sent) error {
	info, err := s.asked()
	if err == nil {
		to.Segment = int(info.Snd_mss)
	}
	return err
}

func (s *toldStream) retransmitted() (uint64, error) {
	info, err := s.asked()
	if err != nil {
		return 0, err
	}
	return uint64(info.Total_retrans), nil
}

// asked is what the kernel says of the connection. The sender's own room for
// that is in use.
func (s *toldStream) asked() (*unix.TCPInfo, error) {
	info, err := unix.GetsockoptTCPInfo(s.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return nil, fmt.Errorf("ask TCP about its connection: %w", err)
	}
	return info, nil
}
