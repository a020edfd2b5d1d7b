package endhost

import (
	"net"
	"slices"
	"testing"
	"time"

	"weir"
)

// lossy is a stream that had to send segments again, more at each time it is
// asked.
type lossy struct {
	so   []uint64
	done chan struct{}
}

func (l *lossy) send() error           { <-l.done; return nil }
func (l *lossy) receive() error        { <-l.done; return nil }
func (l *lossy) count() uint64         { return 0 }
func (l *lossy) timed(*weir.Histogram) {}
func (l *lossy) close()                {}
func (l *lossy) tell(to *sent) error   { to.Segment = 1448; return nil }
func (l *lossy) halt() {
	select {
	case <-l.done: // it was told so before
	default:
		close(l.done)
	}
}

func (l *lossy) again() (uint64, error) {
	n := l.so[0]
	l.so = l.so[1:]
	return n, nil
}

// What was lost in the warm-up, as in a slow start, does not count: its octets do
// not, either.
func TestRetransmittedAfterTheWarmUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			newControl(c.(*net.TCPConn)).say(message{Go: true})
		}
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c := newControl(conn.(*net.TCPConn))
	defer c.close(nil)
	streams := []stream{
		&lossy{[]uint64{900, 903}, make(chan struct{})},
		&lossy{[]uint64{40, 41}, make(chan struct{})},
	}
	e := &end{
		StreamSend: StreamSend{Protocol: weir.TCP, Streams: 2, WarmUp: 20 * time.Millisecond, Duration: 40 * time.Millisecond},
		peer:       c, streams: streams, failed: make(chan error, len(streams)),
	}
	out, err := e.send(t.Context())
	if err != nil || out.Retransmitted != 4 || out.Segment != 1448 {
		t.Errorf("%d segments were sent again after the warm-up, want 4; %+v, %v", out.Retransmitted, out, err)
	}
	if slices.ContainsFunc(streams, func(s stream) bool { return len(s.(*lossy).so) > 0 }) {
		t.Error("a stream was asked only once")
	}
}
