package endhost

import (
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

func (l *lossy) send() error                { <-l.done; return nil }
func (l *lossy) receive() error             { <-l.done; return nil }
func (l *lossy) count() uint64              { return 0 }
func (l *lossy) roundTrips(*weir.Histogram) {}
func (l *lossy) close()                     {}
func (l *lossy) received(*Received) error   { return nil }
func (l *lossy) sent(to *Sent) error        { to.Segment = 1448; return nil }
func (l *lossy) halt() {
	select {
	case <-l.done: // as it was before
	default:
		close(l.done)
	}
}

func (l *lossy) retransmitted() (uint64, error) {
	n := l.so[0]
	l.so = l.so[1:]
	return n, nil
}

// What was lost in the warm-up, as in a slow start, does not count: its octets do
// not, either.
func TestRetransmittedAfterTheWarmUp(t *testing.T) {
	streams := []stream{
		&lossy{[]uint64{900, 903}, make(chan struct{})},
		&lossy{[]uint64{40, 41}, make(chan struct{})},
	}
	e := newEnd(plain, Streams{Protocol: weir.TCP, Streams: 2, WarmUp: 20 * time.Millisecond, Duration: 40 * time.Millisecond})
	e.streams = streams
	out, err := e.send(t.Context())
	if err != nil || out.Retransmitted != 4 || out.Segment != 1448 {
		t.Errorf("%d segments were sent again after the warm-up, want 4; %+v, %v", out.Retransmitted, out, err)
	}
	if slices.ContainsFunc(streams, func(s stream) bool { return len(s.(*lossy).so) > 0 }) {
		t.Error("a stream was asked only once")
	}
}
