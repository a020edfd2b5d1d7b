package endhost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"weir"
)

// patience is how much longer than its duration a test may take at the server:
// a client whose path has gone is not heard of again.
const patience = 30 * time.Second

// busyLimit is how long a test waits for the end of the one before.
const busyLimit = 3 * time.Second

// streamServer takes one test after the other.
type streamServer struct {
	own  netip.AddrPort
	turn chan struct{} // held by the test that is under way

	mu   sync.Mutex
	test uint64 // that is under way; 0: none
	join chan joining
}

// joining is a connection that belongs to the test that is under way.
type joining struct {
	conn  *net.TCPConn
	index uint32
}

// serveStreams is the role "stream-serve".
func serveStreams(ctx context.Context, l Listen) (Listening, func() error, error) {
	listener, own, err := listenTCP(ctx, l)
	if err != nil {
		return Listening{}, nil, err
	}
	// It keeps the port for UDP. Tests have sockets of their own there, which
	// are connected to those of the client.
	holder, err := udpSocket(own, netip.AddrPort{}, true)
	if err != nil {
		return Listening{}, nil, fmt.Errorf("serve UDP at %s: %w", own, err)
	}
	s := &streamServer{own: own, turn: make(chan struct{}, 1)}
	return Listening{own.Port()}, func() error {
		defer unix.Close(holder)
		var tests sync.WaitGroup
		defer tests.Wait()
		return eachConnection(ctx, listener, func(conn *net.TCPConn) { tests.Go(func() { s.greet(ctx, conn) }) })
	}, nil
}

// greet finds out what a connection is for.
func (s *streamServer) greet(ctx context.Context, conn *net.TCPConn) {
	conn.SetDeadline(time.Now().Add(peerLimit))
	g, err := readGreeting(conn)
	conn.SetDeadline(time.Time{})
	if err != nil {
		conn.Close()
		return
	}
	if g.Index == controlIndex {
		c := newControl(conn)
		c.close(s.take(ctx, c, g.Test))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.Test == s.test && s.test != 0 {
		select {
		case s.join <- joining{conn, g.Index}:
			return
		default:
		}
	}
	conn.Close()
}

// take performs one test. Its error is for the client.
func (s *streamServer) take(ctx context.Context, c *control, test uint64) error {
	m, err := c.hear(ctx, peerLimit)
	if err != nil {
		return err
	}
	if m.Ask == nil {
		return errors.New("the client did not say what it wants")
	}
	ask := *m.Ask
	if err := ask.check(); err != nil {
		return err
	}
	if err := s.begin(test); err != nil {
		return err
	}
	defer s.end()
	ctx, cancel := context.WithTimeoutCause(ctx, ask.Duration+patience, errors.New("the test took far longer than it was to take"))
	defer cancel()
	if err := c.keepAlive(ask.Protocol); err != nil {
		return err
	}
	streams, err := s.streams(ctx, c, ask, test, m.Ports)
	if err != nil {
		return err
	}
	e := newEnd(ask, c, streams)
	defer e.close()
	if err := c.say(message{Ready: true}); err != nil {
		return err
	}
	if ask.Receive {
		out, err := e.send(ctx)
		if err != nil {
			return err
		}
		if err := c.say(message{Sent: &out}); err != nil {
			return err
		}
	} else {
		out, _, err := e.receive(ctx)
		if err != nil {
			return err
		}
		if err := c.say(message{Received: &out}); err != nil {
			return err
		}
	}
	select { // the client ends the test
	case <-c.gone:
	case <-ctx.Done():
	case <-time.After(peerLimit):
	}
	return nil
}

func (s *streamServer) begin(test uint64) error {
	select {
	case s.turn <- struct{}{}:
	case <-time.After(busyLimit):
		return errors.New("the server is busy with another test")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.test, s.join = test, make(chan joining, MaxStreams)
	return nil
}

func (s *streamServer) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { <-s.turn }()
	s.test = 0
	for {
		select {
		case j := <-s.join:
			j.conn.Close()
		default:
			return
		}
	}
}

// streams are those of a test, on the server's side.
func (s *streamServer) streams(ctx context.Context, c *control, ask StreamSend, test uint64, ports []int) ([]stream, error) {
	if ask.Protocol == weir.UDP {
		from := c.conn.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap()
		if len(ports) != ask.Streams {
			return nil, fmt.Errorf("the client has %d ports for %d streams", len(ports), ask.Streams)
		}
		return udpStreams(ask, test, ask.Receive, func(i int) (int, error) {
			return udpSocket(s.own, netip.AddrPortFrom(from, uint16(ports[i])), true)
		})
	}
	if err := c.say(message{Join: true}); err != nil {
		return nil, err
	}
	out := make([]stream, ask.Streams)
	limit := time.After(peerLimit)
	for n := 0; n < ask.Streams; {
		var err error
		select {
		case j := <-s.join:
			if j.index >= uint32(ask.Streams) || out[j.index] != nil {
				j.conn.Close()
				continue
			}
			var fd int
			if fd, err = detach(j.conn); err == nil {
				out[j.index] = newTCPStream(fd, ask)
				n++
				continue
			}
		case <-limit:
			err = fmt.Errorf("%d of %d connections came in %v", n, ask.Streams, peerLimit)
		case <-c.gone:
			err = c.why
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		closeAll(out)
		return nil, err
	}
	return out, nil
}

// udpStreams makes those of a test, each with a socket.
func udpStreams(s StreamSend, test uint64, sending bool, socket func(i int) (int, error)) ([]stream, error) {
	out := make([]stream, s.Streams)
	for i := range out {
		fd, err := socket(i)
		if err != nil {
			closeAll(out)
			return nil, fmt.Errorf("make a UDP socket: %w", err)
		}
		u := &udpStream{fd: fd, family: familyOf(s.Address), test: test}
		out[i] = u
		if sending {
			err = u.sending(s.Payload, s.Rate)
		} else {
			err = u.receiving()
		}
		if err != nil {
			closeAll(out)
			return nil, err
		}
	}
	return out, nil
}

func closeAll(streams []stream) {
	for _, s := range streams {
		if s != nil {
			s.close()
		}
	}
}
