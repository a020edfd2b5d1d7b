package agent

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

// session is a BGP session. One goroutine may listen while another one sends.
type session struct {
	conn     net.Conn
	in       *bufio.Reader
	out      *bufio.Writer
	nextHops []netip.Addr
	detach   func() bool
}

// newSession makes a session on a connection, which ends with ctx.
func newSession(ctx context.Context, conn net.Conn, nextHops []netip.Addr) *session {
	return &session{
		conn: conn, in: bufio.NewReader(conn), out: bufio.NewWriterSize(conn, 1<<16), nextHops: nextHops,
		detach: context.AfterFunc(ctx, func() { conn.Close() }),
	}
}

func (s *session) close() {
	s.detach()
	s.conn.Close()
}

// openMessage is the OPEN message. It asks for a hold time of 0, with which neither
// side sends keepalives (RFC 4271 section 4.2): they would be frames that no
// trial asks for, and a DUT that is overloaded would end the session.
func openMessage(id netip.Addr) (*bgp.BGPMessage, error) {
	return bgp.NewBGPOpenMessage(TesterAS, 0, id, []bgp.OptionParameterInterface{
		bgp.NewOptionParameterCapability([]bgp.ParameterCapabilityInterface{
			bgp.NewCapMultiProtocol(bgp.RF_IPv4_UC), bgp.NewCapMultiProtocol(bgp.RF_IPv6_UC), bgp.NewCapFourOctetASNumber(TesterAS),
		}),
	})
}

// open exchanges the messages that establish a session.
func (s *session) open(id netip.Addr) error {
	if err := s.conn.SetDeadline(time.Now().Add(sessionLimit)); err != nil {
		return err
	}
	m, err := openMessage(id)
	if err != nil {
		return err
	}
	if err := s.write(m); err != nil {
		return err
	}
	if err := s.expect(bgp.BGP_MSG_OPEN); err != nil {
		return err
	}
	if err := s.write(bgp.NewBGPKeepAliveMessage()); err != nil {
		return err
	}
	if err := s.expect(bgp.BGP_MSG_KEEPALIVE); err != nil {
		return err
	}
	return s.conn.SetDeadline(time.Time{})
}

// send sends UPDATE messages.
func (s *session) send(c change) error {
	for _, family := range []bgp.Family{bgp.RF_IPv4_UC, bgp.RF_IPv6_UC} {
		u := updates{family: family, nextHop: hopOf(family, s.nextHops)}
		if err := u.each(only(family, c.Announce), only(family, c.Withdraw), s.put); err != nil {
			return fmt.Errorf("send updates: %w", err)
		}
	}
	return s.out.Flush()
}

func (s *session) write(m *bgp.BGPMessage) error {
	if err := s.put(m); err != nil {
		return err
	}
	return s.out.Flush()
}

func (s *session) put(m *bgp.BGPMessage) error {
	octets, err := m.Serialize()
	if err == nil {
		_, err = s.out.Write(octets)
	}
	return err
}

// listen takes the peer's messages until the session ends, and says why.
func (s *session) listen() error {
	defer s.close()
	for {
		if _, err := s.read(); err != nil {
			return err
		}
	}
}

func (s *session) expect(kind uint8) error {
	m, err := s.read()
	if err == nil && m.Header.Type != kind {
		err = fmt.Errorf("the peer sent a BGP message of type %d instead of %d", m.Header.Type, kind)
	}
	return err
}

// read reads a message. A NOTIFICATION is an error: it ends the session.
func (s *session) read() (*bgp.BGPMessage, error) {
	octets := make([]byte, bgp.BGP_HEADER_LENGTH, bgp.BGP_MAX_MESSAGE_LENGTH)
	if _, err := io.ReadFull(s.in, octets); err != nil {
		return nil, fmt.Errorf("the peer ended the session: %w", err)
	}
	var h bgp.BGPHeader
	if err := h.DecodeFromBytes(octets); err != nil {
		return nil, err
	}
	if h.Len > bgp.BGP_MAX_MESSAGE_LENGTH {
		return nil, fmt.Errorf("the peer sent a BGP message of %d octets", h.Len)
	}
	octets = octets[:h.Len]
	if _, err := io.ReadFull(s.in, octets[bgp.BGP_HEADER_LENGTH:]); err != nil {
		return nil, err
	}
	m, err := bgp.ParseBGPMessage(octets)
	if err != nil {
		return nil, err
	}
	if why, ok := m.Body.(*bgp.BGPNotification); ok {
		return nil, fmt.Errorf("the peer ended the session: %v", bgp.NewNotificationErrorCode(why.ErrorCode, why.ErrorSubcode))
	}
	return m, nil
}
