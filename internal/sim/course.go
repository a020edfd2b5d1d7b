package sim

import (
	"math"

	"weir"
)

// served says how fast a DUT serves from a time on.
type served struct {
	at      float64 // s
	could   float64 // frames that it could have served before
	service float64 // frames/s
}

// course is how the capacity of a DUT changes in the time of a trial. What a
// DUT could have served until a time, had it always had work, says when a frame
// leaves that finds others before it: as soon as it could have served so many
// more.
type course struct {
	stretches []stretch
	windows   []float64 // capacity in each window, relative to that of a DUT without window noise
	next      int       // the stretch that time has come to
	now       float64   // s
	window    int
	served    []served // from the start, without a gap
	worked    float64  // s in which the DUT had work
	stood     float64  // s in which it stood still
}

// course is that of a trial; nil of a trial of one load that is sent evenly, and
// whose DUT has the same capacity all the time: the formulas of Router hold for it.
func (d dut) course(t weir.Trial, phases []phase) *course {
	changes := d.SharedWave > 0 || d.Interruptions > 0 || d.WindowNoise > 0 || d.Stalls > 0 || len(d.speeds()) > 0
	if len(t.Windows) == 0 && (!changes || t.Bypass) {
		return nil
	}
	last := phases[len(phases)-1]
	drained := d.room() / d.capacity // after the end, until all is served
	c := course{stretches: d.stretches(last.end + drained), windows: d.windowNoise(last.window + 1)}
	for i, w := range t.Windows {
		if w.Side > 0 && w.Side <= len(d.shares) {
			c.windows[i] *= d.shares[w.Side-1]
		}
	}
	c.served = make([]served, 0, len(c.stretches)+2*len(phases))
	return &c
}

// at is the stretch of a time, which never goes back.
func (c *course) at(t float64) stretch {
	for c.stretches[c.next].end <= t {
		c.next++
	}
	return c.stretches[c.next]
}

// serve notes how fast the DUT serves from a time on.
func (c *course) serve(at, service float64) {
	c.served = append(c.served, served{at, c.could(at), service})
}

// could is how many frames the DUT could have served before a time that is not
// before the last change.
func (c *course) could(at float64) float64 {
	if len(c.served) == 0 {
		return 0
	}
	s := c.served[len(c.served)-1]
	return s.could + s.service*(at-s.at)
}

// work adds what the DUT did from a time to another: it served so many frames.
func (c *course) work(from, until, frames, capacity, service float64) {
	switch {
	case capacity <= 0:
		c.stood += until - from
	case service <= 0: // it had work, and nothing came of it
		c.worked += until - from
	default:
		c.worked += min(until-from, max(0, frames)/service)
	}
	c.now = until
}

// goOn notes how the DUT serves what is left after the last frame was sent.
func (c *course) goOn(capacity float64) {
	for s := c.at(c.now); ; s = c.at(c.now) {
		c.serve(c.now, capacity*s.pace*c.windows[c.window])
		if c.now = s.end; math.IsInf(s.end, 1) {
			return
		}
	}
}

// walk visits the frames of a phase from one number to another, part by part:
// while one lasts the DUT has the same capacity, in frames/s.
func (d dut) walk(p *passage, i int, from, to float64, visit func(from, to, capacity float64)) {
	c, f := p.course, p.phases[i]
	if c == nil {
		visit(from, to, d.capacity)
		return
	}
	if from >= to {
		return
	}
	c.window = f.window
	for at, end := f.when(from), f.when(to); at < end; {
		s := c.at(at)
		until, next := end, to
		if s.end < end {
			until, next = s.end, min(max(f.from+(s.end-f.begin)*f.rate(), from), to)
		}
		capacity := d.capacity * s.pace * c.windows[f.window]
		service := d.serving(capacity, f.load)
		queued, lost := p.queued, p.lost()
		c.serve(at, service)
		visit(from, next, capacity)
		c.work(at, until, queued+(next-from)-(p.lost()-lost)-p.queued, capacity, service)
		at, from = until, next
	}
}

// rest lets the DUT work on what it holds until a time, while nothing is sent.
func (d dut) rest(p *passage, until float64) {
	c := p.course
	if c == nil {
		return
	}
	for at := c.now; at < until; {
		s := c.at(at)
		end := min(s.end, until)
		capacity := d.capacity * s.pace * c.windows[c.window]
		drained := min(p.queued, capacity*(end-at))
		p.queued -= drained
		c.serve(at, capacity)
		c.work(at, end, drained, capacity, capacity)
		at = end
	}
}
