package endhost

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"weir"
)

// sendStreams is the role "stream-send".
func sendStreams(ctx context.Context, s StreamSend) (report StreamReport, err error) {
	if err := s.check(); err != nil {
		return report, err
	}
	test := rand.Uint64() | 1
	conn, err := s.connect(ctx, test, controlIndex)
	if err != nil {
		return report, err
	}
	c := newControl(conn)
	defer func() { c.close(err) }()
	if err := c.keepAlive(s.Protocol); err != nil {
		return report, err
	}
	streams, err := s.open(ctx, c, test)
	if err != nil {
		return report, err
	}
	e := newEnd(s, c, streams)
	defer e.close()
	m, err := c.hear(ctx, peerLimit)
	if err != nil {
		return report, err
	}
	if !m.Ready {
		return report, errors.New("the server did not become ready")
	}
	if s.Receive {
		got, theirs, err := e.receive(ctx)
		if err != nil {
			return report, err
		}
		return reportOf(s.Protocol, theirs, got)
	}
	out, err := e.send(ctx)
	if err != nil {
		return report, err
	}
	if err := c.say(message{Sent: &out}); err != nil {
		return report, err
	}
	if m, err = c.hear(ctx, peerLimit); err != nil {
		return report, err
	}
	if m.Received == nil {
		return report, errors.New("the server did not say what it received")
	}
	return reportOf(s.Protocol, out, *m.Received)
}

// connect opens a connection of a test.
func (s StreamSend) connect(ctx context.Context, test uint64, index uint32) (*net.TCPConn, error) {
	dialer := net.Dialer{Timeout: peerLimit}
	at := netip.AddrPortFrom(s.Address, uint16(s.Port)).String()
	conn, err := dialer.DialContext(ctx, "tcp", at)
	if err != nil {
		return nil, fmt.Errorf("connect to the server: %w", err)
	}
	tcp := conn.(*net.TCPConn)
	tcp.SetWriteDeadline(time.Now().Add(peerLimit))
	if err := (greeting{streamMagic, test, index}).write(tcp); err != nil {
		tcp.Close()
		return nil, fmt.Errorf("greet the server at %s: %w", at, err)
	}
	return tcp, nil
}

// open asks for the test and makes its streams, on the client's side.
func (s StreamSend) open(ctx context.Context, c *control, test uint64) ([]stream, error) {
	if s.Protocol == weir.UDP {
		streams, err := udpStreams(s, test, !s.Receive, func(int) (int, error) {
			return udpSocket(netip.AddrPort{}, netip.AddrPortFrom(s.Address, uint16(s.Port)), false)
		})
		if err != nil {
			return nil, err
		}
		var ports []int
		for _, u := range streams {
			own, err := localAddr(u.(*udpStream).fd)
			if err != nil {
				closeAll(streams)
				return nil, err
			}
			ports = append(ports, int(own.Port()))
		}
		if err := c.say(message{Ask: &s, Ports: ports}); err != nil {
			closeAll(streams)
			return nil, err
		}
		return streams, nil
	}
	if err := c.say(message{Ask: &s}); err != nil {
		return nil, err
	}
	if m, err := c.hear(ctx, peerLimit); err != nil {
		return nil, err
	} else if !m.Join {
		return nil, errors.New("the server does not take the streams")
	}
	streams := make([]stream, s.Streams)
	for i := range streams {
		conn, err := s.connect(ctx, test, uint32(i))
		if err == nil {
			var fd int
			if fd, err = detach(conn); err == nil {
				streams[i] = newTCPStream(fd, s)
				continue
			}
		}
		closeAll(streams)
		return nil, err
	}
	return streams, nil
}
