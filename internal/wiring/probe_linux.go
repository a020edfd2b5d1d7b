package wiring

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/netif"
)

// How often each probe is sent: a router that has to ask for its neighbour first may lose
// one.
const (
	attempts = 4
	between  = 150 * time.Millisecond
	learning = 50 * time.Millisecond // how long a switch takes to learn from a frame
)

// waits are how long a check listens after its last probe, the first time and the second:
// a box that is busy, or is this machine, may take a second to forward a frame.
var waits = []time.Duration{400 * time.Millisecond, 2 * time.Second}

// Check sends a few frames each way through the ports of a namespace, and is a
// *WrongError where they do not arrive as they should, or somebody else has an
// address of the tester's. It takes about a second, and four where something is wrong,
// as it then checks once more.
func (a Asked) Check(ctx context.Context, ns *netif.Namespace) error {
	var nonce [4]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return err
	}
	if a.Bridge { // which floods until it knows where the ports are
		known, err := OpenAlive(ns, a.Ports)
		if err != nil {
			return err
		}
		for i := range a.Ports {
			known.Say(i)
		}
		time.Sleep(learning)
		if err := known.Close(); err != nil {
			return err
		}
	}
	var send []outgoing
	a.sent = make([][]string, len(a.Ports))
	for i, p := range a.Ports {
		own, words, err := a.ownProbes(i, nonce)
		if err != nil {
			return fmt.Errorf("build probes of the plan's frames: %w", err)
		}
		for _, f := range own {
			send = append(send, outgoing{i, f})
		}
		a.sent[i] = words
		for _, large := range []bool{false, true} {
			frame, err := a.probe(i, large, nonce)
			if err != nil {
				return fmt.Errorf("build a probe: %w", err)
			}
			send = append(send, outgoing{i, frame})
		}
		frame, err := question(p, nobody(p.Tester), p.Tester)
		if err != nil {
			return fmt.Errorf("build a question: %w", err)
		}
		send = append(send, outgoing{i, frame})
	}
	return a.checkTwice(func(wait time.Duration) ([]sighting, error) { return a.listen(ctx, ns, nonce, send, wait) })
}

// checkTwice judges what probe returns, which sends all probes and listens for a time after
// the last one. Where that is wrong, it probes again, and says what is wrong with all that
// was seen: routers limit how often they refuse a frame.
func (a Asked) checkTwice(probe func(wait time.Duration) ([]sighting, error)) error {
	var all []sighting
	for _, wait := range waits {
		seen, err := probe(wait)
		if err != nil {
			return err
		}
		if len(a.judge(seen)) == 0 {
			return nil
		}
		all = append(all, seen...)
	}
	if findings := a.judge(all); len(findings) > 0 {
		ports := make([]int, len(a.Ports))
		for i := range ports {
			ports[i] = i
		}
		return a.wrong(findings, all, ports...)
	}
	return nil
}

// Unanswered says why nobody answers for the router behind a port.
func (a Asked) Unanswered(ctx context.Context, ns *netif.Namespace, port int) error {
	target := a.Ports[port].Router
	var send []outgoing
	for i, p := range a.Ports {
		sender := p.Tester
		if i != port {
			sender = nobody(target) // it is not of this network
		}
		frame, err := question(p, sender, target)
		if err != nil {
			return err
		}
		send = append(send, outgoing{i, frame})
	}
	frame, err := question(a.Ports[port], nobody(target), a.Ports[port].Tester)
	if err != nil {
		return err
	}
	send = append(send, outgoing{port, frame})
	seen, err := a.listen(ctx, ns, [4]byte{}, send, waits[1]) // as long as bridges are silent
	if err != nil {
		return err
	}
	return a.wrong([]string{a.unanswered(port, seen)}, seen, port)
}

// outgoing is a frame for a port.
type outgoing struct {
	port  int
	frame []byte
}

// listen sends frames several times, and notes what arrives at all ports meanwhile and for a
// time after the last one.
func (a Asked) listen(ctx context.Context, ns *netif.Namespace, nonce [4]byte, send []outgoing, wait time.Duration) (seen []sighting, err error) {
	var sockets []int
	defer func() {
		for _, fd := range sockets {
			unix.Close(fd)
		}
	}()
	err = ns.Do(func() error {
		for _, p := range a.Ports {
			fd, err := openAt(p.Name)
			if err != nil {
				return err
			}
			sockets = append(sockets, fd)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	var all sync.WaitGroup
	var lock sync.Mutex
	for at, fd := range sockets {
		all.Go(func() {
			arrivals(fd, over, func(frame []byte) {
				if s := read(frame, at, nonce); s != nil {
					lock.Lock()
					defer lock.Unlock()
					s.mac = slices.Clone(s.mac)
					seen = append(seen, *s)
				}
			})
		})
	}
	for left := attempts - 1; left >= 0 && err == nil; left-- {
		for _, o := range send {
			if _, e := unix.Write(sockets[o.port], o.frame); e != nil && !errors.Is(e, unix.ENOBUFS) {
				err = errors.Join(err, fmt.Errorf("send a probe through %s: %w", a.Ports[o.port].Name, e))
			}
		}
		pause := between
		if left == 0 {
			pause = wait
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			err = errors.Join(err, context.Cause(ctx))
		}
	}
	close(over)
	all.Wait()
	return seen, err
}

// openAt is a packet socket at a port of the calling thread's namespace.
func openAt(port string) (int, error) {
	const every = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in the network's order
	index, err := netif.Index(port)
	if err != nil {
		return -1, err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 20_000})
	}
	if err == nil {
		err = unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
	}
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: every, Ifindex: index})
	}
	if err != nil {
		return -1, fmt.Errorf("listen at %s: %w", port, err)
	}
	return fd, nil
}

// arrivals tells of each frame that arrives until over is closed, and of all that wait at
// the socket by then: this process may have had no CPU since they came.
func arrivals(fd int, over <-chan struct{}, tell func([]byte)) {
	const queued = 1 << 16 // more than any socket holds: what a storm of frames adds is left
	b := make([]byte, 1<<16)
	for flags, left := 0, queued; left > 0; {
		n, _, err := unix.Recvfrom(fd, b, flags)
		switch {
		case err == nil && n > 0:
			tell(b[:n])
		case flags != 0 && err != nil && err != unix.EINTR:
			return // no more are there
		}
		select {
		case <-over:
			flags = unix.MSG_DONTWAIT
			left--
		default:
		}
	}
}
