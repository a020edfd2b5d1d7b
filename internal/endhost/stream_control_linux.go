package endhost

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"weir"
)

// The two ends of a test speak over a TCP connection of its own, in lines of
// JSON. Each connection, those of TCP's streams too, begins with a greeting.

// greeting says which test a connection belongs to, and as what.
type greeting struct {
	Magic [8]byte
	Test  uint64 // that the client made up
	Index uint32 // of the stream; controlIndex for the one over which the ends speak
}

const controlIndex = 1<<32 - 1

var streamMagic = [8]byte{'w', 'e', 'i', 'r', 's', 't', 'r', '1'}

func (g greeting) write(w io.Writer) error { return binary.Write(w, binary.BigEndian, g) }

func readGreeting(r io.Reader) (g greeting, err error) {
	if err := binary.Read(r, binary.BigEndian, &g); err != nil {
		return g, err
	}
	if g.Magic != streamMagic {
		return g, errors.New("it is no client of this server")
	}
	return g, nil
}

// message is what one end says to the other. One of its fields is set.
type message struct {
	Error    string      `json:"error,omitempty"`    // why it gives up
	Ask      *StreamSend `json:"ask,omitempty"`      // client: what is wanted
	Ports    []int       `json:"ports,omitempty"`    // client: with Ask, those of UDP's streams
	Join     bool        `json:"join,omitempty"`     // server: connections of TCP's streams may come
	Ready    bool        `json:"ready,omitempty"`    // server: all streams are there
	Go       bool        `json:"go,omitempty"`       // receiver: its clock runs
	Sent     *sent       `json:"sent,omitempty"`     // sender: it has ended
	Received *received   `json:"received,omitempty"` // receiver
}

// How long is waited for the other end where nothing but its program, and what
// a queue on the path holds, takes time.
const peerLimit = 10 * time.Second

// control is the connection over which the ends of a test speak.
type control struct {
	conn *net.TCPConn
	out  *json.Encoder
	in   chan message
	gone chan struct{} // closed when nothing comes any more
	why  error         // read after gone
}

func newControl(conn *net.TCPConn) *control {
	c := &control{conn: conn, out: json.NewEncoder(conn), in: make(chan message, 8), gone: make(chan struct{})}
	go c.listen()
	return c
}

// keepAlive has the connection end when its path does. Not with UDP: that
// leaves it no room, and has an end in any case.
func (c *control) keepAlive(p weir.Protocol) error {
	return c.conn.SetKeepAliveConfig(net.KeepAliveConfig{Enable: p == weir.TCP, Idle: 6 * time.Second, Interval: 2 * time.Second, Count: 3})
}

func (c *control) listen() {
	defer close(c.gone)
	defer close(c.in)
	lines := json.NewDecoder(c.conn)
	for {
		var m message
		err := lines.Decode(&m)
		if err == nil && m.Error != "" {
			err = errors.New(m.Error)
		} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the program at the other end has ended")
		} else if err != nil {
			err = fmt.Errorf("hear from the other end: %w", err)
		}
		if err != nil {
			c.why = err
			return
		}
		select {
		case c.in <- m:
		default:
			c.why = errors.New("the other end says more than it should")
			return
		}
	}
}

func (c *control) say(m message) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(peerLimit)); err != nil {
		return err
	}
	if err := c.out.Encode(m); err != nil {
		select {
		case <-c.gone: // it may have said why
			return c.why
		case <-time.After(100 * time.Millisecond):
			return fmt.Errorf("speak to the other end: %w", err)
		}
	}
	return nil
}

// hear is what the other end says next.
func (c *control) hear(ctx context.Context, limit time.Duration) (message, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case m, more := <-c.in: // what it said before it ended counts
		if !more {
			return m, c.why
		}
		return m, nil
	case <-timer.C:
		return message{}, fmt.Errorf("the other end said nothing for %v", limit)
	case <-ctx.Done():
		return message{}, context.Cause(ctx)
	}
}

// close ends the connection. The other end is told why, unless that is nil.
func (c *control) close(why error) {
	if why != nil {
		c.conn.SetWriteDeadline(time.Now().Add(time.Second))
		c.out.Encode(message{Error: why.Error()})
	}
	c.conn.Close()
	<-c.gone
}
