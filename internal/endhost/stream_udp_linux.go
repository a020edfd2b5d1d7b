package endhost

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir"
)

// receiveBuffer is what a receiving socket of UDP may hold, in octets as the
// kernel counts them. What it cannot hold is lost by the tester.
const receiveBuffer = 8 << 20

// udpStream is one flow of datagrams between two sockets that are connected.
type udpStream struct {
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
	level, mtu, discover, headers, tell := unix.IPPROTO_IP, unix.IP_MTU, unix.IP_MTU_DISCOVER, 28, unix.IP_RECVERR
	if s.family == weir.IPv6 {
		level, mtu, discover, headers, tell = unix.IPPROTO_IPV6, unix.IPV6_MTU, unix.IPV6_MTU_DISCOVER, 48, unix.IPV6_RECVERR
	}
	limit, err := unix.GetsockoptInt(s.fd, level, mtu)
	if err != nil {
		return fmt.Errorf("ask for the MTU of the path: %w", err)
	}
	s.size = limit - headers
	if payload > 0 {
		s.large, s.size = payload > s.size, payload
	}
	s.size = min(s.size, maxPayload)
	s.pace = newPace(rate, s.size)
	way := unix.IP_PMTUDISC_DO // IPv6 has the same numbers
	if s.large {
		way = unix.IP_PMTUDISC_DONT
	}
	if err := unix.SetsockoptInt(s.fd, level, discover, way); err != nil {
		return fmt.Errorf("forbid fragments: %w", err)
	}
	// Without this the kernel does not say that its own queue has thrown a
	// datagram away, and it would count as sent.
	return unix.SetsockoptInt(s.fd, level, tell, 1)
}

// receiving makes a socket ready for datagrams.
func (s *udpStream) receiving() error {
	if unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) != nil {
		// Without the right to more there is as much as everybody may have.
		if err := unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer); err != nil {
			return err
		}
	}
	var err error
	s.started, err = socketDrops(s.fd)
	return err
}

// send sends all that is due, or that the kernel takes.
func (s *udpStream) send() error {
	b := newBatch(s.size)
	for _, one := range b.buffers {
		fillRandom(one)
	}
	begun := time.Now()
	for !s.ended.Load() {
		now := time.Since(begun)
		n, wait := s.pace.due(now, batchSize)
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
	b := newBatch(maxPayload)
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
			length := int(b.messages[i].octets)
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
	dropped, err := socketDrops(s.fd)
	to.Dropped += uint64(dropped - s.started)
	return err
}

func (s *udpStream) halt() { s.ended.Store(true) }

func (s *udpStream) close() { unix.Close(s.fd) }

// socketDrops is how many datagrams a socket had no room for.
func socketDrops(fd int) (uint32, error) {
	const drops = 8 // SK_MEMINFO_DROPS of <linux/sock_diag.h>
	var info [drops + 1]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, fmt.Errorf("ask a socket what it has dropped: %w", errno)
	}
	return info[drops], nil
}

// sleep sleeps, as exactly as the kernel does.
func sleep(d time.Duration) {
	t := unix.NsecToTimespec(d.Nanoseconds())
	unix.Nanosleep(&t, nil)
}
