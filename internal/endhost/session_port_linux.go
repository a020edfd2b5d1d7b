package endhost

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/pppoe"
)

const (
	// sessionsLook is how often it is looked whether something is due that another
	// goroutine has come to.
	sessionsLook = 50 * time.Millisecond
	// sessionsBuffer is what a socket holds of frames that were not read yet, in octets: of
	// 100,000 PADIs a second those of a third of a second, for which a busy machine may
	// have something else to do.
	sessionsBuffer = 32 << 20
	// sessionsGoodbye is how long one waits at the end until peers agree that it is.
	sessionsGoodbye = 2 * time.Second
)

// sessionPort is a port at which many sessions end. Frames of discovery and of sessions
// come from sockets of their own, so that a flood of the ones does not take the room of the
// others.
type sessionPort struct {
	port    *net.Interface
	sockets [2]int // of discovery, of sessions
	out     int    // a socket that takes nothing, by which all is sent
	quit    int    // an event: readable when the goroutines are to end

	mu       sync.Mutex // of what follows
	protocol accessProtocol
	counts   *pppoe.Counts
	log      pppoe.Log
	left     func() bool // whether nothing is left of the sessions
	unsent   uint64
	missed   uint64 // frames, for which the sockets had no room
}

// openSessionPort opens the ways to a port: of frames for all Ethernet addresses where
// there are clients, and for its own one otherwise.
func openSessionPort(name string, client bool) (p *sessionPort, err error) {
	p = &sessionPort{sockets: [2]int{-1, -1}, out: -1, quit: -1}
	p.log.Say = says(name)
	fail := func(err error) (*sessionPort, error) {
		return nil, errors.Join(fmt.Errorf("have PPPoE sessions at %s: %w", name, err), p.close())
	}
	if p.port, err = net.InterfaceByName(name); err != nil {
		return fail(err)
	}
	if len(p.port.HardwareAddr) != len(pppoe.MAC{}) {
		return fail(errors.New("it is no Ethernet port"))
	}
	for i, kind := range []uint16{pppoe.EtherDiscovery, pppoe.EtherSession} {
		if p.sockets[i], err = packetSocket(p.port.Index, kind); err != nil {
			return fail(err)
		}
		if err := unix.SetsockoptInt(p.sockets[i], unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, sessionsBuffer); err != nil {
			return fail(fmt.Errorf("have room for frames: %w", err))
		}
	}
	if p.out, err = packetSocket(p.port.Index, 0); err != nil {
		return fail(err)
	}
	if client { // as long as the socket is there
		every := unix.PacketMreq{Ifindex: int32(p.port.Index), Type: unix.PACKET_MR_PROMISC}
		if err := unix.SetsockoptPacketMreq(p.out, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &every); err != nil {
			return fail(fmt.Errorf("take frames for all addresses: %w", err))
		}
	}
	if p.quit, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return fail(fmt.Errorf("make an event: %w", err))
	}
	return p, nil
}

// only has a port of clients take frames for their addresses alone, which begin with the same
// two octets: what is offered to made-up ones is none of their work.
func (p *sessionPort) only(clients []pppoe.ClientConfig) error {
	first, last := clients[0].MAC, clients[len(clients)-1].MAC
	if [2]byte(first[:]) != [2]byte(last[:]) {
		return nil
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_H | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(binary.BigEndian.Uint16(first[:])), Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1<<18 - 1}, // the whole frame
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	for _, socket := range p.sockets {
		if err := unix.SetsockoptSockFprog(socket, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}); err != nil {
			return fmt.Errorf("take frames for the subscribers' addresses alone: %w", err)
		}
	}
	return nil
}

// says writes a line about a port for whoever reads what this process says.
func says(port string) func(line string) {
	return func(line string) { fmt.Fprintf(os.Stderr, "%s: %s\n", port, line) }
}

func (p *sessionPort) close() (err error) {
	for _, fd := range []int{p.sockets[0], p.sockets[1], p.out, p.quit} {
		if fd >= 0 {
			err = errors.Join(err, unix.Close(fd))
		}
	}
	return err
}

// serve has the sessions live until ctx ends, and then says goodbye.
func (p *sessionPort) serve(ctx context.Context) error {
	var running sync.WaitGroup
	over := make(chan error, len(p.sockets))
	for _, socket := range p.sockets {
		running.Go(func() { over <- p.take(socket) })
	}
	var err error
	select {
	case err = <-over:
	case <-ctx.Done():
		p.does(func(now time.Time) pppoe.Output { return p.protocol.Close("it is to end", now) })
		for late := time.Now().Add(sessionsGoodbye); !p.none() && time.Now().Before(late); {
			time.Sleep(sessionsLook / 10)
		}
	}
	unix.Write(p.quit, binary.NativeEndian.AppendUint64(nil, 1)) // all who wait see it: nobody reads it
	running.Wait()
	return err
}

// none reports whether nothing is left of the sessions.
func (p *sessionPort) none() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left()
}

// take takes frames from a socket, and does what is due, until it is to end.
func (p *sessionPort) take(socket int) error {
	b := newBatch(batchSize, pppoe.Before+p.port.MTU)
	wait := []unix.PollFd{{Fd: int32(p.quit), Events: unix.POLLIN}, {Fd: int32(socket), Events: unix.POLLIN}}
	for {
		p.mu.Lock()
		until := p.protocol.Next()
		p.mu.Unlock()
		if look := time.Now().Add(sessionsLook); until.IsZero() || look.Before(until) {
			until = look
		}
		if err := await(wait, until); err != nil || wait[0].Revents != 0 {
			return err
		}
		n, err := b.receiveNow(socket)
		if err != nil {
			return fmt.Errorf("take frames from %s: %w", p.port.Name, err)
		}
		p.received(b, n)
	}
}

// received has the protocol take the first n frames of a batch, and do what is due.
func (p *sessionPort) received(b *batch, n int) {
	p.does(func(now time.Time) (out pppoe.Output) {
		for i := range n {
			out.Packets = append(out.Packets, p.protocol.Receive(b.buffers[i][:b.messages[i].octets], now).Packets...)
		}
		out.Packets = append(out.Packets, p.protocol.Advance(now).Packets...)
		p.log.Note(*p.counts, now)
		return out
	})
}

// does has the protocol do something, and sends what that leads to.
func (p *sessionPort) does(what func(now time.Time) pppoe.Output) {
	p.mu.Lock()
	out := what(time.Now())
	p.mu.Unlock()
	if unsent := sendAll(p.out, out.Packets); unsent > 0 {
		p.mu.Lock()
		p.unsent += unsent
		p.mu.Unlock()
	}
}

// sendAll sends frames, and returns how many of them the port did not take: one that is
// lost is sent again by those who miss it, as on a wire.
func sendAll(socket int, frames [][]byte) (unsent uint64) {
	if len(frames) == 0 {
		return 0
	}
	b := &batch{messages: make([]multiple, min(batchSize, len(frames))), vectors: make([]unix.Iovec, min(batchSize, len(frames)))}
	for len(frames) > 0 {
		n := min(len(frames), batchSize)
		for i, frame := range frames[:n] {
			b.vectors[i].Base = &frame[0]
			b.vectors[i].SetLen(len(frame))
			b.messages[i].header.Iov = &b.vectors[i]
			b.messages[i].header.SetIovlen(1)
		}
		sent, err := b.sendFrom(socket, 0, n)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			unsent++
			sent = 1
		}
		frames = frames[sent:]
	}
	return unsent
}
