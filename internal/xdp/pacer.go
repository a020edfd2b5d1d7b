package xdp

import "time"

// Pacer says when the frames of a sending thread in user space are due. It
// keeps the schedule that the generator's program keeps (is_due there).
type Pacer struct {
	Stalls  uint64        // frames that were late by more than the burst
	Longest time.Duration // how late the latest of them was

	pace          Pace
	due, fraction uint64 // when the next frame should leave: ns, and 2^-32 ns
	earliest      uint64 // when it may leave at the earliest, plus ahead
	ahead         uint64 // ns that frames may run ahead of the quick distance
}

// NewPacer is a pacer for a rate in frames/s whose first frame is due at first,
// on the clock of Now. A rate of 0 means as fast as possible.
func NewPacer(rate float64, first time.Duration) *Pacer {
	p := &Pacer{pace: Pacing(rate), due: uint64(first)}
	p.ahead = p.pace.quick * uint64(p.pace.Burst-1)
	return p
}

// Due reports whether a frame may leave now. If so, it counts as having left.
func (p *Pacer) Due(now time.Duration) bool {
	t := uint64(now)
	if t < p.due || t+p.ahead < p.earliest {
		return false
	}
	if p.pace.period == 0 {
		return true
	}
	if late := t - p.due; late > p.ahead+p.pace.period {
		p.Stalls++
		p.Longest = max(p.Longest, time.Duration(late))
	}
	p.earliest = max(p.earliest, t) + p.pace.quick
	fraction := p.fraction + p.pace.fraction
	p.due += p.pace.period + fraction>>32
	p.fraction = fraction & (1<<32 - 1)
	return true
}

// Wait is how long from now on no frame will be due.
func (p *Pacer) Wait(now time.Duration) time.Duration {
	next := max(p.due, p.earliest-min(p.earliest, p.ahead))
	return max(0, time.Duration(next)-now)
}

// Burst is the number of frames that may leave back to back.
func (p *Pacer) Burst() int { return p.pace.Burst }

// Grace is how long after its end a trial may still send frames that are due.
func (p *Pacer) Grace() time.Duration { return p.pace.grace() }
