//go:build unix

package endhost

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

// receiveBuffer is what a receiving socket of UDP may hold, in octets as the
// kernel counts them. What it cannot hold is lost by the tester.
const receiveBuffer = 8 << 20

// udpStream is one flow of datagrams between two sockets that are connected.
type udpStream struct {
	kernel
	fd     int
	family weir.Family
	test   uint64
	pace   pace
	size   int  // of a payload, in octets
	large  bool // than fits into a packet, because that is what was asked for

	octets  atomic.Uint64
	arrived atomic.Uint64 // datagrams, seen.fresh for others to read
	ended   atomic.Bool
	next    uint64 // the number of the next datagram to send
	refused uint64
	seen    seen
	jitter  jitter
	started uint32 // datagrams that the socket had dropped before
}

// sending makes a socket ready for datagrams of a size; 0: the largest ones
// that are not fragmented.
func (s *udpStream) sending(payload int, rate float64) error {
	headers := 28
	if s.family == weir.IPv6 {
		headers = 48
	}
	limit, err := s.mtu(s.fd, s.family)
	if err != nil {
		return fmt.Errorf("ask for the MTU of the path: %w", err)
	}
	s.size = limit - headers
	if payload > 0 {
		s.large, s.size = payload > s.size, payload
	}
	s.size = min(s.size, maxPayload)
	s.pace = newPace(rate, s.size)
	return s.whole(s.fd, s.family, s.large)
}

// receiving makes a socket ready for datagrams.
func (s *udpStream) receiving() error {
	if err := s.room(s.fd); err != nil {
		return err
	}
	var err error
	s.started, _, err = s.drops(s.fd)
	return err
}

// send sends all that is due, or that the kernel takes.
func (s *udpStream) send() error {
	b := s.datagrams(s.size)
	for _, one := range b.buffers {
		fillRandom(one)
	}
	begun := time.Now()
	for !s.ended.Load() {
		now := time.Since(begun)
		n, wait := s.pace.due(now, len(b.buffers))
		if n == 0 {
			sleep(wait)
			continue
		}
		for i := range n {
			label(b.buffers[i], s.test, s.next+uint64(i), now)
		}
		n, err := b.send(s.fd, n)
		s.next += uint64(n)
		s.pace.sent(n)
		switch {
		case err == nil || errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
		case errors.Is(err, unix.ENOBUFS):
			s.refused++
			sleep(paceStep)
		case errors.Is(err, unix.EMSGSIZE):
			return fmt.Errorf("datagrams with a payload of %d octets are refused: the path does not take packets of that size (weir's program \"path\" finds which it takes)", s.size)
		case errors.Is(err, unix.ECONNREFUSED):
			return errors.New("send over UDP: the other end does not listen any more")
		default:
			return fmt.Errorf("send over UDP: %w", err)
		}
	}
	return nil
}

// receive takes all datagrams that there are. They are copied, as by a program
// that has a use for them.
func (s *udpStream) receive() error {
	b := s.datagrams(maxPayload)
	begun := time.Now()
	for !s.ended.Load() {
		n, err := b.receive(s.fd)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) || errors.Is(err, unix.ECONNREFUSED):
			continue
		case err != nil:
			return fmt.Errorf("receive over UDP: %w", err)
		}
		octets, now := 0, time.Since(begun)
		for i := range n {
			length := b.octets(i)
			if length < MinPayload {
				continue
			}
			if test, number := labelOf(b.buffers[i]); test != s.test || !s.seen.mark(number) {
				continue
			}
			octets += length
			if length >= timedPayload {
				s.jitter.add(now - sentAt(b.buffers[i]))
			}
		}
		s.octets.Add(uint64(octets))
		s.arrived.Store(s.seen.fresh)
	}
	return nil
}

func (s *udpStream) count() uint64 { return s.octets.Load() }

func (s *udpStream) roundTrips(*weir.Histogram) {}

func (s *udpStream) retransmitted() (uint64, error) { return 0, nil }

func (s *udpStream) sent(to *Sent) error {
	to.Payload = s.size
	to.Datagrams += s.next
	to.Refused += s.refused
	return nil
}

func (s *udpStream) received(to *Received) error {
	to.Datagrams += s.seen.fresh
	to.Late += s.seen.late
	to.Duplicate += s.seen.duplicate
	to.Jitter = max(to.Jitter, s.jitter.seconds())
	dropped, told, err := s.drops(s.fd)
	to.Dropped += uint64(dropped - s.started)
	to.Untold = to.Untold || !told
	return err
}

func (s *udpStream) halt() { s.ended.Store(true) }

func (s *udpStream) close() { unix.Close(s.fd) }
