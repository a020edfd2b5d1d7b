package tester

import (
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir/frame"
	"weir/internal/xdp"
)

// batchFrames is the number of frames that are handed to the kernel at once at
// most; a veth port's ring holds 256.
const batchFrames = 64

// packetSide is one port that a packet sender sends through, with the frames
// that will leave next.
type packetSide struct {
	port   string
	frames *frame.Builder
	socket int
	// virtual: a frame that is refused was lost at the other end of the link.
	// Otherwise it has not left, and is tried again.
	virtual bool

	signature  frame.Signature // of the frames to come; Sequence is that of the first in the batch
	broadcasts uint64          // broadcast frames of the trial so far
	n          int             // frames in the batch
	batch      [batchFrames][]byte
	times      [batchFrames]time.Duration // when they were built
	vectors    [batchFrames]unix.Iovec
	messages   [batchFrames]message
}

// message is struct mmsghdr of sendmmsg(2).
type message struct {
	header unix.Msghdr
	octets uint32
}

func newPacketSide(port string, frames *frame.Builder, socket int, virtual bool) *packetSide {
	s := &packetSide{port: port, frames: frames, socket: socket, virtual: virtual}
	largest := len(frames.Initial())
	for i := range s.batch {
		s.batch[i] = make([]byte, largest)
		s.vectors[i].Base = &s.batch[i][0]
		s.messages[i].header.Iov = &s.vectors[i]
		s.messages[i].header.SetIovlen(1)
	}
	return s
}

// begin starts a trial whose frames carry a signature like this one.
func (s *packetSide) begin(signature frame.Signature) {
	s.signature, s.broadcasts, s.n = signature, 0, 0
}

// add builds the next frame.
func (s *packetSide) add(now time.Duration) {
	s.build(s.n, now)
	s.n++
}

// build builds the i-th frame of the batch.
func (s *packetSide) build(i int, now time.Duration) {
	signature := s.signature
	signature.Sequence += uint64(i)
	signature.Time = uint64(now)
	s.batch[i] = s.frames.Frame(s.batch[i], signature.Sequence, signature)
	s.vectors[i].SetLen(len(s.batch[i]))
	s.times[i] = now
}

// flush hands the batch to the kernel and returns when each of its frames was
// sent, until the next call. There are fewer than there were in the batch when
// a frame cannot leave until the trial is over; the rest is forgotten.
func (s *packetSide) flush(over func() bool) (times []time.Duration, err error) {
	done := 0
	for done < s.n {
		n, errno := s.hand(done)
		done += n
		// A batch that ends early does not say why; the call for the rest would.
		// Over a virtual link that would be too late: the ring was full, and the
		// frame is gone.
		switch {
		case done == s.n:
		case s.virtual && (n > 0 || errno == unix.ENOBUFS):
			done++
		case n > 0:
		case errno == unix.ENOBUFS, errno == unix.EAGAIN, errno == unix.EINTR:
			if over() {
				s.n = done
			}
			for i := done; i < s.n; i++ {
				s.build(i, xdp.Now())
			}
		default:
			err = fmt.Errorf("send through %s: %w", s.port, errno)
			s.n = done
		}
	}
	s.signature.Sequence += uint64(done)
	s.broadcast()
	s.n = 0
	return s.times[:done], err
}

// broadcast hands the broadcast frames to the kernel that go with what was sent.
// One that cannot leave is not tried again: the load does not wait for it.
func (s *packetSide) broadcast() {
	for ; s.broadcasts < s.frames.Broadcasts(s.signature.Sequence); s.broadcasts++ {
		s.batch[0] = s.frames.BroadcastFrame(s.batch[0], s.broadcasts)
		s.vectors[0].SetLen(len(s.batch[0]))
		s.n = 1
		s.hand(0)
	}
}

// hand hands the batch from its i-th frame on to the kernel, and returns how
// many frames it took. The call does not wait for anything, so Go's scheduler
// need not hear of it.
func (s *packetSide) hand(i int) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(s.socket),
		uintptr(unsafe.Pointer(&s.messages[i])), uintptr(s.n-i), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
