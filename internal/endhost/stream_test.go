package endhost

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"weir"
)

var loopback = map[weir.Family]netip.Addr{weir.IPv4: netip.MustParseAddr("127.0.0.1"), weir.IPv6: netip.MustParseAddr("::1")}

func TestPace(t *testing.T) {
	p := newPace(1e6, 125) // a thousand in a second
	if n, _ := p.due(0, 64); n != 1 {
		t.Errorf("%d are due at first, want 1", n)
	}
	p.sent(1)
	if n, wait := p.due(100*time.Microsecond, 64); n != 0 || wait != 900*time.Microsecond {
		t.Errorf("%d are due, or in %v", n, wait)
	}
	if n, wait := p.due(999*time.Microsecond, 64); n != 0 || wait != paceStep {
		t.Errorf("%d are due, or in %v", n, wait)
	}
	if n, _ := p.due(3*time.Millisecond, 64); n != 3 {
		t.Errorf("%d are due, want 3", n)
	}
	if n, _ := p.due(3*time.Millisecond, 2); n != 2 {
		t.Errorf("%d are due, want 2", n)
	}
	p.sent(3)
	if n, _ := p.due(time.Second, 64); n != 6 { // what is older than 5 ms is forgiven
		t.Errorf("%d are due after a stall, want 6", n)
	}
	free := newPace(0, 125)
	if n, _ := free.due(0, 64); n != 64 {
		t.Errorf("%d are due without a rate", n)
	}
}

func TestSeen(t *testing.T) {
	var s seen
	for _, c := range []struct {
		number uint64
		fresh  bool
	}{{0, true}, {2, true}, {1, true}, {1, false}, {2_000_000, true}, {1_999_999, true}, {1 << 40, false}, {0, false}} {
		if got := s.mark(c.number); got != c.fresh {
			t.Errorf("datagram %d: fresh is %v", c.number, got)
		}
	}
	if s.fresh != 5 || s.late != 2 || s.duplicate != 2 {
		t.Errorf("%d fresh, %d late, %d twice", s.fresh, s.late, s.duplicate)
	}
}

func TestJitter(t *testing.T) {
	var j jitter
	for i := range 1000 {
		j.add(time.Hour + time.Duration(i%2)*time.Millisecond) // the clocks differ by an hour
	}
	if got := j.seconds(); math.Abs(got-1e-3) > 1e-6 {
		t.Errorf("the jitter is %v s, want 0.001", got)
	}
}

func TestLargest(t *testing.T) {
	for _, most := range []int{576, 1400, 1499} {
		asked := 0
		got, err := largest(576, 1500, func(size int) (bool, error) { asked++; return size <= most, nil })
		if err != nil || got != most || asked > 11 {
			t.Errorf("%d after %d questions, want %d, %v", got, asked, most, err)
		}
	}
}

func TestStreamsCheck(t *testing.T) {
	good := Streams{Address: loopback[weir.IPv4], Port: 1, Protocol: weir.TCP, Streams: 1, Duration: time.Second}
	for name, set := range map[string]func(*Streams){
		"no server":     func(s *Streams) { s.Port = 0 },
		"no protocol":   func(s *Streams) { s.Protocol = "sctp" },
		"no streams":    func(s *Streams) { s.Streams = 0 },
		"too many":      func(s *Streams) { s.Streams = MaxStreams + 1 },
		"warm-up alone": func(s *Streams) { s.WarmUp = s.Duration },
		"rate of TCP":   func(s *Streams) { s.Rate = 1 },
		"too small":     func(s *Streams) { s.Protocol, s.Payload = weir.UDP, 15 },
		"too large":     func(s *Streams) { s.Protocol, s.Payload = weir.UDP, 65508 },
	} {
		s := good
		if err := s.check(); err != nil {
			t.Fatal(err)
		}
		if set(&s); s.check() == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
