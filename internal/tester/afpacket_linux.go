package tester

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"weir/frame"
	"weir/internal/netif"
	"weir/internal/settings"
	"weir/internal/xdp"
)

const (
	// sendBuffer is what a socket may have under way, in octets: more than the
	// ring at the other end of a virtual link holds, so that it is the ring
	// that decides.
	sendBuffer = 64 << 20
	// awake is how long before a frame is due the thread stops sleeping and
	// looks at the clock instead: it would be woken up too late.
	awake = time.Millisecond
	// nap is the longest that it sleeps without looking at its context.
	nap = 10 * time.Millisecond
)

// packetSender sends frames that it builds itself through packet(7) sockets,
// past the queueing discipline: one frame at a time as they fall due, and in
// batches when they are due together.
type packetSender struct {
	sides []*packetSide
	turn  int // the side of the next frame
	paced bool
	close settings.Undo // the sockets
}

// newPacketSender opens a socket for each side in the calling thread's network
// namespace. Virtual ports have no TCP segmentation (netif.NoSegmentation).
func newPacketSender(sides []xdp.Side, paced bool) (*packetSender, error) {
	s := &packetSender{paced: paced}
	for _, side := range sides {
		if err := s.open(side); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

func (s *packetSender) open(side xdp.Side) error {
	port, err := net.InterfaceByIndex(side.Port)
	if err != nil {
		return fmt.Errorf("find port %d: %w", side.Port, err)
	}
	virtual, err := netif.Virtual(port.Name)
	if err != nil {
		return err
	}
	socket, err := openSocket(side.Port)
	if err != nil {
		return fmt.Errorf("open a packet socket at %s: %w", port.Name, err)
	}
	s.close.AddClose(func() error { return unix.Close(socket) })
	s.sides = append(s.sides, newPacketSide(port.Name, side.Frames, socket, virtual))
	return nil
}

// openSocket opens a packet socket that sends through a port and receives
// nothing.
func openSocket(port int) (int, error) {
	const receiveNothing = 0
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, receiveNothing)
	if err != nil {
		return -1, err
	}
	err = errors.Join(
		unix.SetsockoptInt(socket, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1),
		unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer),
		unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: receiveNothing, Ifindex: port}),
	)
	if err != nil {
		unix.Close(socket)
		return -1, err
	}
	return socket, nil
}

// Close closes the sockets.
func (s *packetSender) Close() error { return s.close.Close() }

// Run sends on a thread of its own that is bound to the order's CPU.
func (s *packetSender) Run(ctx context.Context, o xdp.Order) (xdp.Sent, error) {
	if err := o.Check(); err != nil {
		return xdp.Sent{}, err
	}
	if s.paced != (o.Rate > 0) {
		return xdp.Sent{}, errors.New("the packet sender was opened for the other kind of pacing")
	}
	var sent xdp.Sent
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with its affinity and priority
		if err := netif.Pin(0, []int{o.CPU}); err != nil {
			done <- fmt.Errorf("bind the packet sender to CPU %d: %w", o.CPU, err)
			return
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, 0, -20); err != nil {
			done <- fmt.Errorf("give the packet sender's thread precedence: %w", err)
			return
		}
		var err error
		sent, err = s.run(ctx, o)
		done <- err
	}()
	err := <-done
	return sent, err
}

// run is the loop of the sending thread. It allocates nothing: a collection of
// garbage would stall it.
func (s *packetSender) run(ctx context.Context, o xdp.Order) (xdp.Sent, error) {
	o = o.From(xdp.Now())
	pacer := xdp.NewPacer(o, len(s.sides))
	end := o.End()
	s.turn = 0
	for i, side := range s.sides {
		side.begin(frame.Signature{Stream: o.Streams[i], Trial: o.Trial})
	}
	over := func() bool { return ctx.Err() != nil || xdp.Now() >= end }
	sent := xdp.Sent{Burst: min(o.BackToBack(), batchFrames)}
	if o.Grid.Steps > 0 {
		sent.Steps = make([]uint32, o.Grid.Steps)
	}
	for ctx.Err() == nil {
		now := xdp.Now()
		if pacer.Done(now) {
			break
		}
		if s.gather(pacer, now) == 0 {
			sleep(pacer.Wait(now))
			continue
		}
		for i, side := range s.sides {
			times, err := side.flush(over)
			if err != nil {
				return sent, err
			}
			if len(times) == 0 {
				continue
			}
			if sent.Frames == 0 {
				sent.First = times[0]
			}
			sent.Last = max(sent.Last, times[len(times)-1])
			sent.Frames += uint64(len(times))
			sent.Sides[i] += uint64(len(times))
			if sent.Steps != nil {
				for _, at := range times {
					sent.Steps[o.Grid.Step(at)]++
				}
			}
		}
	}
	for i, side := range s.sides {
		sent.Broadcasts[i] = side.broadcasts
	}
	sent.Stalls, sent.Longest, sent.Loads = pacer.Stalls, pacer.Longest, pacer.Departed()
	return sent, nil
}

// gather builds the frames that are due, at most a batch.
func (s *packetSender) gather(pacer *xdp.Pacer, now time.Duration) (n int) {
	for ; n < batchFrames && pacer.Due(now); now = xdp.Now() {
		side := pacer.Side(s.turn)
		s.sides[side].add(now)
		s.turn = side + 1
		n++
	}
	return n
}

// sleep lets most of a longer wait pass.
func sleep(wait time.Duration) {
	if wait <= awake {
		return
	}
	t := unix.NsecToTimespec(min(wait-awake, nap).Nanoseconds())
	unix.Nanosleep(&t, nil) // woken up early it is called again
}
