//go:build unix

package endhost

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"weir"
	"weir/internal/agent"
)

const (
	// peerLimit is how long one end waits for connections with the other one.
	peerLimit = time.Minute
	// greetingLimit is how long a connection may take to say which test it is of.
	greetingLimit = 10 * time.Second
)

// serveStreams is the role "stream-serve". Of TCP and UDP, its sockets have one
// port together.
func (k kernel) serveStreams(ctx context.Context, s Streams) (agent.Opened, error) {
	listener, own, err := listenTCP(ctx, Listen{Address: s.Address, Port: s.Port})
	if err != nil {
		return agent.Opened{}, err
	}
	s.Port = int(own.Port())
	e := newEnd(k, s)
	o := e.opened(Listening{own.Port()})
	o.Commands["join"] = agent.Do(func(_ context.Context, ports []int) (any, error) { return nil, e.join(listener, own, ports) })
	return o, nil
}

// join takes the client's connections: those of TCP's streams, or the one that
// says which address the client of UDP has, as it is seen from here.
func (e *end) join(listener *net.TCPListener, own netip.AddrPort, ports []int) error {
	if err := e.check(); err != nil {
		return err
	}
	listener.SetDeadline(time.Now().Add(peerLimit))
	if e.Protocol == weir.UDP {
		conn, err := e.accept(listener)
		if err != nil {
			return err
		}
		defer conn.Close()
		client := conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		for _, port := range ports {
			if err := e.addUDP(own, netip.AddrPortFrom(client, uint16(port))); err != nil {
				return err
			}
		}
		return nil
	}
	for n := range e.Streams.Streams {
		conn, err := e.accept(listener)
		if err == nil {
			err = e.addTCP(conn)
		}
		if err != nil {
			return fmt.Errorf("%d of %d connections came: %w", n, e.Streams.Streams, err)
		}
	}
	return nil
}

// accept is the next connection of this test.
func (e *end) accept(listener *net.TCPListener) (*net.TCPConn, error) {
	for {
		conn, err := listener.AcceptTCP()
		if err != nil {
			return nil, fmt.Errorf("accept a connection: %w", err)
		}
		conn.SetReadDeadline(time.Now().Add(greetingLimit))
		var test uint64
		if binary.Read(conn, binary.BigEndian, &test) == nil && test == e.Test {
			return conn, nil
		}
		conn.Close() // of somebody else
	}
}

// connectStreams is the role "stream-connect".
func (k kernel) connectStreams(ctx context.Context, s Streams) (_ agent.Opened, err error) {
	if err := s.check(); err != nil {
		return agent.Opened{}, err
	}
	e, ports := newEnd(k, s), []int{}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if s.Protocol == weir.UDP {
		conn, err := s.connect(ctx)
		if err != nil {
			return agent.Opened{}, err
		}
		defer conn.Close()
	}
	for range s.Streams {
		if s.Protocol == weir.TCP {
			conn, err := s.connect(ctx)
			if err == nil {
				err = e.addTCP(conn)
			}
			if err != nil {
				return agent.Opened{}, err
			}
			continue
		}
		if err := e.addUDP(netip.AddrPort{}, netip.AddrPortFrom(s.Address, uint16(s.Port))); err != nil {
			return agent.Opened{}, err
		}
		own, err := localAddr(e.streams[len(e.streams)-1].(*udpStream).fd)
		if err != nil {
			return agent.Opened{}, err
		}
		ports = append(ports, int(own.Port()))
	}
	return e.opened(ports), nil
}

// connect opens a connection of a test.
func (s Streams) connect(ctx context.Context) (*net.TCPConn, error) {
	dialer := net.Dialer{Timeout: peerLimit}
	conn, err := dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(s.Address, uint16(s.Port)).String())
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	if err := binary.Write(conn, binary.BigEndian, s.Test); err != nil {
		return nil, errors.Join(fmt.Errorf("greet the server: %w", err), conn.Close())
	}
	return conn.(*net.TCPConn), nil
}

// addTCP adds a stream that has a connection, which is taken from the runtime.
func (e *end) addTCP(conn *net.TCPConn) error {
	fd, err := detach(conn)
	if err == nil {
		e.streams = append(e.streams, e.tcp(fd, e.Streams))
	}
	return err
}

// addUDP adds a stream between two addresses; a server's own one is that of all
// its sockets.
func (e *end) addUDP(own, other netip.AddrPort) error {
	share := 0
	if own.IsValid() {
		share = e.share
	}
	fd, err := udpSocket(own, other, share)
	if err != nil {
		return fmt.Errorf("make a UDP socket: %w", err)
	}
	u := &udpStream{kernel: e.kernel, fd: fd, family: familyOf(e.Address), test: e.Test}
	e.streams = append(e.streams, u)
	if e.Send {
		return u.sending(e.Payload, e.Rate)
	}
	return u.receiving()
}
