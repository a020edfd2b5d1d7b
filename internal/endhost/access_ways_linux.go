package endhost

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/pppoe"
)

const (
	// accessBuffer is what a socket of an end holds of frames that were not read yet, in octets.
	accessBuffer = 4 << 20
	// accessFrames is how many frames an end takes at once, and sends at once at least where
	// there are as many.
	accessFrames = 64
	// accessRoom has the longest datagram in it, as several that have become one may be.
	accessRoom = pppoe.Before + 1<<16 - 1
)

// packetSocket is one that takes frames of an Ethernet type from a port, and sends there.
func packetSocket(port int, kind uint16) (int, error) {
	network := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, kind))
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0) // of no type until it has a port
	if err != nil {
		return -1, fmt.Errorf("open a packet socket: %w", err)
	}
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1),
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, accessBuffer),
		unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: network, Ifindex: port}))
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("open a packet socket: %w", err)
	}
	return fd, nil
}

// start begins to move octets both ways. The end ends with ctx, or by itself.
func (e *accessEnd) start(ctx context.Context) {
	leave := func() {
		unix.Write(e.quit, binary.NativeEndian.AppendUint64(nil, 1)) // nobody reads it: it stays readable
		e.device.File().SetReadDeadline(time.Unix(1, 0))
	}
	e.running.Go(func() {
		detach := context.AfterFunc(ctx, leave)
		e.over <- e.fromPort()
		if detach() {
			leave()
		}
	})
	e.running.Go(func() {
		if err := e.fromDevice(); err != nil {
			e.over <- err
			leave()
		}
	})
}

// fromPort takes what comes from the other end, and does what is due, until the end is to
// end; then it says so, and waits a moment until that is agreed on.
func (e *accessEnd) fromPort() error {
	b := newBatch(accessFrames, accessRoom)
	wait := []unix.PollFd{{Fd: int32(e.sockets[0]), Events: unix.POLLIN}, {Fd: int32(e.sockets[1]), Events: unix.POLLIN}, {Fd: int32(e.quit), Events: unix.POLLIN}}
	var latest time.Time // when nobody waits any more for the other end to agree; zero: the end goes on
	for {
		if err := await(wait, e.next(latest)); err != nil {
			return err
		}
		for i, socket := range e.sockets {
			if wait[i].Revents == 0 {
				continue
			}
			if err := e.take(b, socket); err != nil {
				return fmt.Errorf("take frames from %s: %w", e.port.Name, err)
			}
		}
		now := time.Now()
		e.mu.Lock()
		if latest.IsZero() && wait[2].Revents != 0 {
			latest = now.Add(accessGoodbye)
			wait = wait[:2]
			e.apply(e.protocol.Close("it is to end", now))
		}
		e.apply(e.protocol.Advance(now))
		e.log.Note(*e.counts, now)
		over, ended := len(e.sessions) == 0, e.ended
		e.mu.Unlock()
		switch {
		case !latest.IsZero() && (over || now.After(latest)):
			return nil
		case latest.IsZero() && ended != "":
			return fmt.Errorf("PPPoE at %s: %s", e.port.Name, ended)
		}
	}
}

// next is when there is something to do though nothing comes; zero: never.
func (e *accessEnd) next(latest time.Time) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := e.protocol.Next()
	if next.IsZero() || !latest.IsZero() && latest.Before(next) {
		return latest
	}
	return next
}

// await waits until something can be read, or until then.
func await(wait []unix.PollFd, until time.Time) error {
	for {
		limit := -1
		if !until.IsZero() {
			limit = int(max(0, time.Until(until)+time.Millisecond-1) / time.Millisecond)
		}
		if _, err := unix.Poll(wait, limit); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// take takes the frames that a socket has.
func (e *accessEnd) take(b *batch, socket int) error {
	n, err := b.receive(socket)
	if errors.Is(err, unix.EINTR) {
		return nil
	}
	if err != nil {
		return err
	}
	now := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.segments = e.segments[:0]
	for i := range n {
		frame := b.buffers[i][:b.messages[i].octets]
		out := e.protocol.Receive(frame, now)
		if d := out.Datagram; d.Protocol != 0 {
			e.arrived(frame[:pppoe.Before+len(d.Octets)])
		}
		e.apply(out)
	}
	e.toDevice(e.segments)
	return nil
}

// arrived takes in a frame with a datagram. Those of TCP wait for the ones that came with
// them, as they do at a port (GRO); others go to the device one by one.
func (e *accessEnd) arrived(frame []byte) {
	if ofTCP(frame[pppoe.Before:]) {
		e.segments = append(e.segments, frame)
		return
	}
	e.toDevice([][]byte{frame})
}

// ofTCP says whether a datagram is TCP's, behind a header of IP alone.
func ofTCP(datagram []byte) bool {
	switch {
	case len(datagram) >= 20 && datagram[0]>>4 == 4:
		return datagram[9] == unix.IPPROTO_TCP
	case len(datagram) >= 40 && datagram[0]>>4 == 6:
		return datagram[6] == unix.IPPROTO_TCP
	}
	return false
}

// toDevice hands the device the datagrams of frames, those as one that are consecutive
// segments of one connection.
func (e *accessEnd) toDevice(frames [][]byte) {
	n := uint64(len(frames))
	if n == 0 {
		return
	}
	if _, err := e.device.Write(frames, pppoe.Before); err != nil {
		e.untaken += n // some of them may have been taken
	} else {
		e.received += n
	}
}

// fromDevice sends what comes from the device to the other end, until the end is to end.
func (e *accessEnd) fromDevice() error {
	at := e.device.BatchSize() // that many frames may come at once
	b := newBatch(at+accessFrames, accessRoom)
	sizes := make([]int, at)
	file, err := e.device.File().SyscallConn()
	if err != nil {
		return err
	}
	for {
		n, err := e.gather(b, sizes, file)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded): // it is to end
			return nil
		case err != nil:
			return fmt.Errorf("take datagrams from the tun device: %w", err)
		}
		for from := 0; from < n; {
			k, err := b.sendFrom(e.sockets[1], from, n)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil: // the port did not take it: it is lost, as on a wire
				e.unsent.Add(1)
				from++
			default:
				e.sent.Add(uint64(k))
				from += k
			}
		}
	}
}

// gather waits for a datagram, and makes frames of those that the device has.
func (e *accessEnd) gather(b *batch, sizes []int, file syscall.RawConn) (n int, err error) {
	for n == 0 || n+len(sizes) <= len(b.buffers) && readable(file) {
		k, err := e.device.Read(b.buffers[n:], sizes, pppoe.Before)
		if err != nil {
			return n, err
		}
		first := n
		for i, octets := range sizes[:k] {
			b.swap(n, first+i)
			if e.enclose(b.buffers[n][:pppoe.Before+octets]) {
				b.vectors[n].SetLen(pppoe.Before + octets)
				n++
			}
		}
	}
	return n, nil
}

// enclose makes a datagram a frame of the session that leads to its destination, if there
// is one.
func (e *accessEnd) enclose(frame []byte) bool {
	to := destination(frame[pppoe.Before:])
	session := e.led.to(to)
	if session == nil {
		if !to.IsMulticast() { // which is for no session of many
			e.unsent.Add(1)
		}
		return false
	}
	proto := pppoe.IPv4
	if frame[pppoe.Before]>>4 == 6 {
		proto = pppoe.IPv6
	}
	session.Put(frame, proto)
	return true
}

// readable says whether something can be read at once.
func readable(file syscall.RawConn) (is bool) {
	err := file.Control(func(fd uintptr) {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		is = n > 0 && err == nil
	})
	return is && err == nil
}

// apply does what the protocol says is to be done.
func (e *accessEnd) apply(out pppoe.Output) {
	for _, frame := range out.Packets {
		socket := e.sockets[0]
		if binary.BigEndian.Uint16(frame[12:]) == pppoe.EtherSession {
			socket = e.sockets[1]
		}
		unix.Write(socket, frame) // one that is lost is sent again, as on a wire
	}
	for _, event := range out.Events {
		e.happened(event)
	}
}

// must ends the end where it cannot go on.
func (e *accessEnd) must(err error) {
	if err != nil {
		e.ended = err.Error()
	}
}

// missedBy is how many frames sockets have had no room for since that was asked last.
func missedBy(sockets [2]int) (missed uint64, err error) {
	for _, socket := range sockets {
		s, err := unix.GetsockoptTpacketStats(socket, unix.SOL_PACKET, unix.PACKET_STATISTICS)
		if err != nil {
			return missed, fmt.Errorf("ask a packet socket what it missed: %w", err)
		}
		missed += uint64(s.Drops)
	}
	return missed, nil
}
