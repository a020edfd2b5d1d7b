package endhost

import "time"

const (
	// paceStep is the shortest time that a paced sender sleeps: what is due after
	// it leaves at once.
	paceStep = 250 * time.Microsecond
	// A sender that is later than paceForgiven does not send what it has missed: a
	// burst would measure a queue.
	paceForgiven = 5 * time.Millisecond
)

// pace says when datagrams are due. All its times are in ns, since the start.
type pace struct {
	interval float64 // between two; 0: they always are
	next     float64 // when the next one is due
}

// newPace is the pace of datagrams with a payload of that many octets at a rate
// of payload in bit/s; 0: as fast as possible.
func newPace(rate float64, payload int) pace {
	if rate <= 0 {
		return pace{}
	}
	return pace{interval: float64(payload) * 8 / rate * 1e9}
}

// due is how many datagrams are to be sent now, at most most, or how long to
// wait for the next ones.
func (p *pace) due(since time.Duration, most int) (int, time.Duration) {
	if p.interval == 0 {
		return most, 0
	}
	now := float64(since)
	if now < p.next {
		return 0, max(time.Duration(p.next-now), paceStep)
	}
	p.next = max(p.next, now-float64(paceForgiven))
	return int(min((now-p.next)/p.interval+1, float64(most))), 0
}

// sent says that n datagrams have left.
func (p *pace) sent(n int) { p.next += float64(n) * p.interval }
