//go:build unix

package endhost

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"weir"
)

// tcpStream is one connection of a test, as every system has it.
type tcpStream struct {
	fd   int
	size int // octets that are given to it, or taken, at once

	octets atomic.Uint64
	ended  atomic.Bool
}

func plainTCP(fd int, s Streams) stream { return &tcpStream{fd: fd, size: s.given()} }

// given is how much a stream of TCP is given at once, in octets.
func (s Streams) given() int { return cmp.Or(s.Payload, writeSize) }

func (s *tcpStream) send() error {
	return s.sending(func(buffer []byte) error {
		for {
			if _, err := unix.Write(s.fd, buffer); err != nil {
				return err
			}
		}
	})
}

func (s *tcpStream) receive() error {
	return s.receiving(func(buffer []byte) error {
		for {
			n, err := unix.Read(s.fd, buffer)
			if err != nil || n == 0 {
				return err
			}
			s.octets.Add(uint64(n))
		}
	})
}

// sending gives TCP all that it takes, by a loop that writes until there is an error.
func (s *tcpStream) sending(loop func([]byte) error) error {
	buffer := make([]byte, s.size)
	fillRandom(buffer)
	for {
		switch err := loop(buffer); {
		case s.ended.Load():
			return nil
		case !errors.Is(err, unix.EINTR):
			return fmt.Errorf("send over TCP: %w", err)
		}
	}
}

// receiving takes all that TCP has, by a loop that reads until there is an error or, without
// one, nothing more to come. It is copied, as a program does that has a use for it.
func (s *tcpStream) receiving(loop func([]byte) error) error {
	buffer := make([]byte, s.size)
	for {
		switch err := loop(buffer); {
		case s.ended.Load():
			return nil
		case err == nil:
			return fmt.Errorf("receive over TCP: %w", io.ErrUnexpectedEOF)
		case !errors.Is(err, unix.EINTR):
			return fmt.Errorf("receive over TCP: %w", err)
		}
	}
}

func (s *tcpStream) count() uint64 { return s.octets.Load() }

// What only the kernel knows of a connection is not known.

func (s *tcpStream) roundTrips(*weir.Histogram)     {}
func (s *tcpStream) sent(*Sent) error               { return nil }
func (s *tcpStream) retransmitted() (uint64, error) { return 0, nil }
func (s *tcpStream) received(*Received) error       { return nil }

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
