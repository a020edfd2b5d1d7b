//go:build unix

package endhost

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

const (
	// probeTries is how often a packet is sent until it counts as refused: any
	// may be lost.
	probeTries = 3
	// An answer is waited for as long as so many round trips and some time for
	// the programs take, and then until that of a small packet comes, which was sent
	// later: one is sent each longestTrip, mostFollowers in all.
	probeTrips   = 10
	routesWithin = 20 * time.Second // of a device that was set up
	probeGrace   = 60 * time.Millisecond
	longestTrip  = time.Second
	// firstTries is how often the server is asked for a sign of life, each longestTrip.
	firstTries    = 10
	mostFollowers = 30
)

// prober sends one packet after the other.
type prober struct {
	fd      int
	test    uint64
	number  uint64
	limit   time.Duration // for an answer
	headers int           // octets of the headers of a packet
	lowest  int           // octets of a packet that has to pass
	started bool          // the server has answered
	buffer  []byte
	control []byte
}

// probePath is the role "path-probe".
func probePath(ctx context.Context, s PathProbe) (report PathReport, err error) {
	socket := func() (int, error) {
		return udpSocket(netip.AddrPort{}, netip.AddrPortFrom(s.Address, uint16(s.Port)), 0)
	}
	fd, err := socket()
	for end := time.Now().Add(routesWithin); errors.Is(err, unix.ENETUNREACH) && time.Now().Before(end); fd, err = socket() {
		time.Sleep(10 * time.Millisecond) // a device that was set up a moment ago has routes of IPv6 soon
	}
	if err != nil {
		return report, fmt.Errorf("make a UDP socket: %w", err)
	}
	defer unix.Close(fd)
	err = errors.Join(forbidFragments(fd, familyOf(s.Address)), waitAtMost(fd, probeGrace/3))
	if err != nil {
		return report, err
	}
	p := &prober{fd: fd, limit: longestTrip, test: rand.Uint64(), headers: 28, lowest: SmallestMTU(familyOf(s.Address)), buffer: make([]byte, maxPayload), control: make([]byte, 128)}
	if familyOf(s.Address) == weir.IPv6 {
		p.headers = 48
	}
	fillRandom(p.buffer)
	if s.Size != 0 && (s.Size < p.headers+echoSize || s.Size > maxPayload) {
		return report, fmt.Errorf("packets of %d octets cannot be probed: they have %d to %d", s.Size, p.headers+echoSize, maxPayload)
	}
	if err := p.awaitServer(ctx); err != nil {
		return report, err
	}
	for i := range s.Echoes {
		if i > 0 {
			sleep(s.Every)
		}
		begun := time.Now()
		if _, ok, err := p.ask(ctx, echoSize, echoSize); err != nil {
			return report, err
		} else if ok {
			report.RTT.Add(uint64(time.Since(begun)), 1)
		} else {
			report.Lost++
		}
	}
	port, err := portMTU(p.fd)
	if err != nil {
		return report, err
	}
	for _, d := range []struct {
		found *Passage
		back  bool
	}{{&report.There, false}, {&report.Back, true}} {
		if err := p.passage(ctx, d.found, d.back, s.Size, port); err != nil {
			return report, err
		}
		if !d.found.Passes && !d.back && s.Size > port {
			d.found.Port = port
		}
	}
	return report, nil
}

// awaitServer waits for the server's first answer.
func (p *prober) awaitServer(ctx context.Context) error {
	for range firstTries {
		begun := time.Now()
		if _, ok, err := p.ask(ctx, echoSize, echoSize); err != nil {
			return err
		} else if ok {
			p.limit, p.started = min(probeTrips*time.Since(begun)+probeGrace, longestTrip), true
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fmt.Errorf("no answer to %d small packets", firstTries)
}

// passage finds what one direction lets through.
func (p *prober) passage(ctx context.Context, found *Passage, back bool, size, port int) error {
	passes := func(size int) (bool, error) {
		for range probeTries {
			there, answer := echoSize, echoSize
			if back {
				answer = size - p.headers
			} else {
				there = size - p.headers
			}
			a, ok, err := p.ask(ctx, there, answer)
			if err != nil {
				return false, err
			}
			if a.Fragment != 0 {
				found.Cut = int(a.Fragment)
				return false, nil
			}
			if a.Refused != 0 {
				return false, nil
			}
			if ok {
				return true, nil
			}
		}
		return false, nil
	}
	wanted := size
	if wanted == 0 {
		wanted = min(port, maxPayload)
	}
	var err error
	if found.Passes, err = passes(wanted); err != nil || found.Passes {
		found.Largest = wanted
		return err
	}
	lowest := min(p.lowest, wanted-1)
	if ok, err := passes(lowest); err != nil || !ok {
		if err == nil && wanted > p.lowest {
			err = fmt.Errorf("small packets pass, and those of %d octets do not", lowest)
		}
		return err
	}
	found.Largest, err = largest(lowest, wanted, passes)
	found.Passes = err == nil && size == 0
	return err
}

// ask sends a datagram and waits for its answer, both with that much payload.
// It is no error that there is none.
func (p *prober) ask(ctx context.Context, there, answer int) (echo, bool, error) {
	if err := ctx.Err(); err != nil {
		return echo{}, false, err
	}
	p.number++
	wanted := p.number
	if sent, err := p.send(there, answer); !sent {
		return echo{}, false, err
	}
	follower, followers := uint64(0), 0
	for limit := time.Now().Add(p.limit); ; {
		if time.Now().After(limit) {
			if !p.started {
				return echo{}, false, nil
			}
			if followers++; followers > mostFollowers {
				return echo{}, false, fmt.Errorf("the other end answers nothing more: it was sent %d packets, one each %v", mostFollowers, longestTrip)
			}
			if err := ctx.Err(); err != nil {
				return echo{}, false, err
			}
			// A busy machine is not to be taken for a path that refuses: where no packet
			// that was sent later has been answered yet, this one may still be.
			p.number++
			if follower == 0 {
				follower = p.number
			}
			if _, err := p.send(echoSize, echoSize); err != nil {
				return echo{}, false, err
			}
			limit = time.Now().Add(longestTrip)
		}
		n, c, _, _, err := unix.Recvmsg(p.fd, p.buffer, p.control, 0)
		switch {
		case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR):
			continue
		case err != nil && refusal(err):
			return echo{}, false, nil
		case err != nil:
			return echo{}, false, fmt.Errorf("wait for an answer: %w", err)
		}
		e, ok := echoOf(p.buffer[:n])
		if ok && e.Test == p.test && follower != 0 && e.Number >= follower {
			return echo{}, false, nil
		}
		if !ok || e.Test != p.test || e.Number != wanted && p.started {
			continue // before the first answer any is a sign of life
		}
		if answer > echoSize { // it is the answer that is to come as a whole
			e.Fragment = fragmentOf(p.control[:c])
		}
		return e, e.Refused != 0 || n == answer, nil
	}
}

// send sends the datagram of p.number, unless the path is known to refuse it.
func (p *prober) send(there, answer int) (sent bool, err error) {
	echo{Test: p.test, Number: p.number, Answer: uint32(answer)}.put(p.buffer)
	_, err = unix.Write(p.fd, p.buffer[:there])
	switch {
	case err == nil:
		return true, nil
	case !refusal(err):
		return false, fmt.Errorf("send a packet: %w", err)
	case errors.Is(err, unix.ECONNREFUSED): // of the one before
		sleep(10 * time.Millisecond)
	}
	return false, nil
}

// refusal reports whether an error says that a packet was not let through.
func refusal(err error) bool {
	for _, e := range []error{unix.EMSGSIZE, unix.ECONNREFUSED, unix.EHOSTUNREACH, unix.ENETUNREACH, unix.ENOBUFS, unix.EAGAIN} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
