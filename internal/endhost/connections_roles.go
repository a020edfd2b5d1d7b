//go:build unix

package endhost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"weir/internal/agent"
)

// connectionLimit is how long a connection may take: a lost segment of its
// beginning is sent again after one and after three seconds.
const connectionLimit = 5 * time.Second

// serveConnections is the role "connections-serve". It can be asked for the "cpu"
// time that it has used.
func serveConnections(ctx context.Context, l Listen) (agent.Opened, error) {
	listener, own, err := listenTCP(ctx, l)
	return agent.Opened{
		Value:    Listening{own.Port()},
		Commands: map[string]agent.Command{"cpu": agent.Do(func(context.Context, struct{}) (time.Duration, error) { return cpuTime(), nil })},
		Serve: func() error {
			for {
				conn, err := listener.AcceptTCP()
				if ctx.Err() != nil {
					return nil
				}
				if err != nil {
					return fmt.Errorf("accept a connection: %w", err)
				}
				go answer(conn)
			}
		},
	}, err
}

// answer sends the first octet of a connection back, and waits for its end.
func answer(conn *net.TCPConn) {
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(connectionLimit))
	var b [1]byte
	for {
		if _, err := conn.Read(b[:]); err != nil {
			return
		}
		if _, err := conn.Write(b[:]); err != nil {
			return
		}
	}
}

// makeConnections is the role "connections-make".
func (k kernel) makeConnections(ctx context.Context, s ConnectionsMake) (whole ConnectionsReport, err error) {
	if err := s.check(); err != nil {
		return whole, err
	}
	runtime.GOMAXPROCS(s.Places + 1)
	begun := time.Now()
	from, until := begun.Add(s.WarmUp), begun.Add(s.Duration)
	places := make(chan ConnectionsReport, s.Places)
	for range s.Places {
		go func() {
			runtime.LockOSThread()
			places <- k.place(ctx, s, from, until)
		}()
	}
	time.Sleep(time.Until(from))
	cpu := cpuTime()
	whole = ConnectionsReport{Took: s.Duration - s.WarmUp, Failed: map[string]uint64{}}
	for range s.Places {
		p := <-places
		whole.Count += p.Count
		whole.Times.Merge(p.Times)
		for why, n := range p.Failed {
			whole.Failed[why] += n
		}
	}
	whole.CPU = cpuTime() - cpu
	return whole, ctx.Err()
}

// place makes one connection after the other.
func (k kernel) place(ctx context.Context, s ConnectionsMake, from, until time.Time) ConnectionsReport {
	r := ConnectionsReport{Failed: map[string]uint64{}}
	at := netip.AddrPortFrom(s.Address, uint16(s.Port))
	for ctx.Err() == nil {
		begun := time.Now()
		if begun.After(until) {
			break
		}
		err := k.connection(at)
		now := time.Now()
		switch {
		case err != nil:
			r.Failed[err.Error()]++
			sleep(10 * time.Millisecond)
		case now.After(from) && !now.After(until):
			r.Count++
			r.Times.Add(uint64(now.Sub(begun)), 1)
		}
	}
	return r
}

var errNoAnswer = fmt.Errorf("no answer for %v", connectionLimit)

// connection makes one, and waits for the octet that comes back.
func (k kernel) connection(at netip.AddrPort) error {
	fd, err := socket(at.Addr(), unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := waitAtMost(fd, connectionLimit); err != nil {
		return err
	}
	if err := unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}); err != nil {
		return err
	}
	if err := k.reach(fd, sockaddr(at), connectionLimit); err != nil {
		return failureOf(err)
	}
	var b [1]byte
	if _, err := unix.Write(fd, b[:]); err != nil {
		return failureOf(err)
	}
	for {
		n, err := unix.Read(fd, b[:])
		switch {
		case n == 1:
			return nil
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return failureOf(err)
		default:
			return errors.New("closed by the server")
		}
	}
}

// failureOf is an error in the words under which its failures are counted.
func failureOf(err error) error {
	switch {
	case errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINPROGRESS) || errors.Is(err, unix.EALREADY) || errors.Is(err, unix.ETIMEDOUT):
		return errNoAnswer
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return errors.New("no port is free at the client")
	}
	return err
}
