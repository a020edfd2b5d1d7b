package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// sendmmsgBatch is how many frames each call hands to the kernel; more bring
// nothing.
const sendmmsgBatch = 64

// message is struct mmsghdr of sendmmsg(2).
type message struct {
	header unix.Msghdr
	octets uint32
}

// packetSocket sends the same frame again and again.
type packetSocket struct {
	socket   int
	frame    []byte
	vector   unix.Iovec
	messages [sendmmsgBatch]message
}

// sendmmsg is what a program without a library reaches: one thread that hands
// the same frame to a packet socket in batches, past the queueing discipline.
func (l *lab) sendmmsg(context.Context) (source, error) {
	frames, err := l.frames()
	if err != nil {
		return nil, err
	}
	p := &packetSocket{frame: frames.Initial()}
	p.vector.Base = &p.frame[0]
	p.vector.SetLen(len(p.frame))
	for i := range p.messages {
		p.messages[i].header.Iov = &p.vector
		p.messages[i].header.SetIovlen(1)
	}
	if err := l.ns.Do(func() error { return p.open(l.port) }); err != nil {
		return nil, fmt.Errorf("open a packet socket at %s: %w", l.port, err)
	}
	return &own{Closer: p, run: p.run}, nil
}

func (p *packetSocket) open(port string) error {
	index, err := netif.Index(port)
	if err != nil {
		return err
	}
	const receiveNothing = 0
	if p.socket, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, receiveNothing); err != nil {
		return err
	}
	err = errors.Join(
		unix.SetsockoptInt(p.socket, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1),
		unix.SetsockoptInt(p.socket, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 64<<20), // so that the ring at the other end decides
		unix.Bind(p.socket, &unix.SockaddrLinklayer{Protocol: receiveNothing, Ifindex: index}),
	)
	if err != nil {
		p.Close()
	}
	return err
}

// run sends from a thread of its own until ctx ends.
func (p *packetSocket) run(ctx context.Context) error {
	runtime.LockOSThread() // and never unlocked: the thread ends with its affinity and priority
	if err := netif.Pin(0, []int{sendingCPU}); err != nil {
		return fmt.Errorf("bind the sender to CPU %d: %w", sendingCPU, err)
	}
	if err := unix.Setpriority(unix.PRIO_PROCESS, 0, -20); err != nil {
		return fmt.Errorf("give the sender's thread precedence: %w", err)
	}
	for ctx.Err() == nil {
		// The call does not wait for anything, so Go's scheduler need not hear
		// of it. What the sink has no room for is gone.
		_, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(p.socket),
			uintptr(unsafe.Pointer(&p.messages[0])), sendmmsgBatch, unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0, unix.ENOBUFS, unix.EAGAIN, unix.EINTR:
		default:
			return fmt.Errorf("send through the packet socket: %w", errno)
		}
	}
	return nil
}

// Close closes the socket.
func (p *packetSocket) Close() error { return unix.Close(p.socket) }
