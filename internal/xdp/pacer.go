package xdp

import "time"

// Pacer says when the frames of a sending thread in user space are due. It
// keeps the schedule that the generator's program keeps (pace.h).
type Pacer struct {
	Stalls  uint64        // bursts that were late by more than may leave back to back
	Longest time.Duration // how late the latest of them was

	departed      []Departed // of each load
	schedules     []schedule // of the loads that are not over
	limit         uint64     // frames that may still leave before the load is over
	burst         uint64     // of the last burst those that are still to leave
	asked         uint64     // when Due was called last for the load under way: ns; 0: not yet
	asks          uint64     // calls of Due for it
	due, fraction uint64     // when the next burst should leave: ns, and 2^-32 ns
	earliest      uint64     // when it may leave at the earliest, plus ahead
}

// NewPacer is a pacer for an order of a thread that sends through so many sides
// in turn.
func NewPacer(o Order, sides int) *Pacer {
	p := &Pacer{schedules: o.schedules(sides)}
	p.departed = make([]Departed, len(p.schedules))
	p.begin()
	return p
}

// Departed is what left of each load, by what was due.
func (p *Pacer) Departed() []Departed { return p.departed }

// departing is that of the load under way.
func (p *Pacer) departing() *Departed { return &p.departed[len(p.departed)-len(p.schedules)] }

// Side is the side of the next frame, when this one would follow the last
// frame's.
func (p *Pacer) Side(next int) int {
	if s := &p.schedules[0]; next < int(s.side) || next >= int(s.until) {
		return int(s.side)
	}
	return next
}

// begin begins with the first of the schedules that are left.
func (p *Pacer) begin() {
	s := p.schedules[0]
	p.limit, p.due, p.fraction, p.earliest, p.burst, p.asked, p.asks = s.count, s.first, 0, 0, 0, 0, 0
}

// Done reports whether all frames have left, or those that have not will not
// any more. What a load has not sent by its end is not sent.
func (p *Pacer) Done(now time.Duration) bool {
	for p.limit == 0 || uint64(now) >= p.schedules[0].end {
		if p.limit > 0 {
			p.notePause(p.schedules[0].end)
		}
		p.giveUp()
		if len(p.schedules) == 1 {
			return true
		}
		p.schedules = p.schedules[1:]
		p.begin()
	}
	return false
}

// giveUp notes how late a frame was that will not leave any more, because the
// time of its load is over.
func (p *Pacer) giveUp() {
	if s := &p.schedules[0]; p.limit > 0 && s.period > 0 && p.due < s.end {
		d := p.departing()
		d.Longest = max(d.Longest, time.Duration(s.end-p.due))
		d.Gap = d.Longest
		p.Longest = max(p.Longest, d.Longest)
	}
}

// Due reports whether a frame may leave now. If so, it counts as having left.
func (p *Pacer) Due(now time.Duration) bool {
	if p.Done(now) {
		return false
	}
	p.notePause(uint64(now))
	if !p.isDue(uint64(now)) {
		return false
	}
	p.limit--
	p.departing().Frames++
	return true
}

// pause is the time from which on a sender that did not run was paused: receivers on its CPU
// take less of it at once.
const pause = 5 * time.Millisecond

// usual is how many times as long as on average a pause is: Due is called for each frame of a
// batch of 64, and then not until that has left, which may take long by itself.
const usual = 16 * 64

// notePause notes for how long nobody has asked what is due although something was.
func (p *Pacer) notePause(now uint64) {
	first := p.schedules[0].first
	from := max(p.asked, p.due, first)
	long := p.asks > 0 && now > from && time.Duration(now-from) > pause && (now-from)/usual*p.asks > p.asked-first-uint64(p.departing().Paused)
	p.asked = now
	p.asks++
	if !long {
		return
	}
	d := p.departing()
	d.Paused += time.Duration(now - from)
	if p.schedules[0].period == 0 { // a frame is due at any time
		d.Gap, d.Longest = max(d.Gap, time.Duration(now-from)), max(d.Longest, time.Duration(now-from))
		p.Longest = max(p.Longest, d.Longest)
	}
}

func (p *Pacer) isDue(now uint64) bool {
	s := &p.schedules[0]
	if p.burst > 0 {
		p.burst--
		return true
	}
	if now < p.due || now+s.ahead < p.earliest {
		return false
	}
	if s.period == 0 {
		return true
	}
	if late := now - p.due; late > s.ahead+s.period {
		p.Stalls++
		p.Longest = max(p.Longest, time.Duration(late))
		d := p.departing()
		d.Longest = max(d.Longest, time.Duration(late))
		d.Gap = d.Longest
	}
	p.earliest = max(p.earliest, now) + s.quick
	fraction := p.fraction + s.fraction
	p.due += s.period + fraction>>32
	p.fraction = fraction & (1<<32 - 1)
	p.burst = s.burst - 1
	return true
}

// Wait is how long from now on no frame will be due.
func (p *Pacer) Wait(now time.Duration) time.Duration {
	if p.Done(now) || p.burst > 0 {
		return 0
	}
	next := max(p.due, p.earliest-min(p.earliest, p.schedules[0].ahead))
	return max(0, min(time.Duration(next), time.Duration(p.schedules[0].end))-now)
}
