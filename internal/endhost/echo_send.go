//go:build unix

package endhost

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

// lateLimit is how long an echo may take before it counts as lost.
const lateLimit = 2 * time.Second

// echoes are those of one sender.
type echoes struct {
	EchoSend
	fd    int
	test  uint64
	begun time.Time
	at    []atomic.Int64 // when each was sent, in ns since begun
	all   atomic.Int64   // how many were, when all are; -1 before
	stop  atomic.Bool    // nobody wants to know any more
}

// sendEchoes is the role "echo-send".
func sendEchoes(ctx context.Context, s EchoSend) (report EchoReport, err error) {
	if err := s.check(); err != nil {
		return report, err
	}
	fd, err := udpSocket(netip.AddrPort{}, netip.AddrPortFrom(s.Address, uint16(s.Port)), 0)
	if err != nil {
		return report, fmt.Errorf("make a UDP socket: %w", err)
	}
	defer unix.Close(fd)
	e := &echoes{EchoSend: s, fd: fd, test: rand.Uint64(), begun: time.Now(), at: make([]atomic.Int64, s.Duration/s.Every)}
	e.all.Store(-1)
	type heard struct {
		count uint64
		rtt   weir.Histogram
		err   error
	}
	back := make(chan heard, 1)
	go func() {
		raisePriority()
		var h heard
		h.count, h.rtt, h.err = e.receive()
		back <- h
	}()
	report.Sent, err = e.send(ctx)
	e.stop.Store(err != nil)
	h := <-back
	if err = errors.Join(h.err, err); err != nil {
		return report, err
	}
	report.RTT, report.Lost = h.rtt, report.Sent-min(h.count, report.Sent)
	return report, nil
}

// send sends the echoes, each when it is due.
func (e *echoes) send(ctx context.Context) (sent uint64, err error) {
	raisePriority()
	message := make([]byte, 2*echoSize)
	for i := range e.at {
		if wait := time.Duration(i)*e.Every - time.Since(e.begun); wait > 0 {
			sleep(wait)
		}
		if err := ctx.Err(); err != nil {
			return sent, err
		}
		echo{Test: e.test, Number: uint64(i), Answer: uint32(len(message))}.put(message)
		e.at[i].Store(int64(time.Since(e.begun)))
		switch _, err := unix.Write(e.fd, message); {
		case err == nil:
			sent++
		case errors.Is(err, unix.ECONNREFUSED): // the receiver may miss that
			return sent, errors.New("nobody sends echoes back at the other end")
		case !errors.Is(err, unix.ENOBUFS) && !errors.Is(err, unix.EAGAIN):
			return sent, fmt.Errorf("send an echo: %w", err)
		}
	}
	e.all.Store(int64(sent))
	return sent, nil
}

// receive takes the echoes that come back until all have, or are late.
func (e *echoes) receive() (count uint64, rtt weir.Histogram, err error) {
	seen, buffer := make([]bool, len(e.at)), make([]byte, maxPayload)
	first := uint64(e.WarmUp / e.Every)
	limit := e.begun.Add(e.Duration + lateLimit)
	for !e.stop.Load() && time.Now().Before(limit) && int64(count) != e.all.Load() {
		n, err := unix.Read(e.fd, buffer)
		now := time.Since(e.begun)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) || errors.Is(err, unix.ECONNREFUSED):
			continue
		case err != nil:
			return count, rtt, fmt.Errorf("wait for an echo: %w", err)
		}
		a, ok := echoOf(buffer[:n])
		if !ok || a.Test != e.test || a.Number >= uint64(len(seen)) || seen[a.Number] {
			continue
		}
		seen[a.Number] = true
		count++
		if a.Number >= first {
			rtt.Add(uint64(int64(now)-e.at[a.Number].Load()), 1)
		}
	}
	return count, rtt, nil
}
