package endhost

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"weir"
)

// tcpStream is one connection of a test.
type tcpStream struct {
	fd     int
	size   int // octets that are given to it, or taken, at once
	octets atomic.Uint64
	ended  atomic.Bool
}

// send gives TCP all that it takes.
func (s *tcpStream) send() error {
	buffer := make([]byte, s.size)
	noise(buffer)
	for {
		switch _, err := unix.Write(s.fd, buffer); {
		case err == nil || errors.Is(err, unix.EINTR):
		case s.ended.Load():
			return nil
		default:
			return fmt.Errorf("send over TCP: %w", err)
		}
	}
}

// receive takes all that TCP has. It is copied, as a program does that has a
// use for it.
func (s *tcpStream) receive() error {
	buffer := make([]byte, s.size)
	for {
		switch n, err := unix.Read(s.fd, buffer); {
		case n > 0:
			s.octets.Add(uint64(n))
		case s.ended.Load():
			return nil
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("receive over TCP: %w", err)
		default:
			return fmt.Errorf("receive over TCP: %w", io.ErrUnexpectedEOF)
		}
	}
}

func (s *tcpStream) count() uint64 { return s.octets.Load() }

// sample adds the round trip as TCP has it now.
func (s *tcpStream) sample(h *weir.Histogram) {
	if info, err := unix.GetsockoptTCPInfo(s.fd, unix.IPPROTO_TCP, unix.TCP_INFO); err == nil && info.Rtt > 0 {
		h.Add(uint64(info.Rtt)*1000, 1)
	}
}

// tell adds what the sender knows of the connection.
func (s *tcpStream) tell(to *sent) error {
	info, err := unix.GetsockoptTCPInfo(s.fd, unix.IPPROTO_TCP, unix.TCP_INFO)
	if err != nil {
		return fmt.Errorf("ask TCP about its connection: %w", err)
	}
	to.Retransmitted += uint64(info.Total_retrans)
	to.Segment = int(info.Snd_mss)
	return nil
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
