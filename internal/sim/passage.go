package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"weir"
)

// dut is a simulated DUT in one trial.
type dut struct {
	Config
	capacity float64 // frames/s, with noise and costs; bypass when it is bypassed
	number   uint64  // of the trial
	random   *rand.Rand
	began    float64   // s: when the trial began, of a DUT with speeds
	shares   []float64 // of DUTs side by side: the capacity of each, relative to that; none where there is one
}

// service is the rate in frames/s at which the DUT serves a load.
func (d dut) service(load float64) float64 { return d.serving(d.capacity, load) }

// serving is the rate at which the DUT serves a load while it has a capacity,
// both in frames/s.
func (d dut) serving(capacity, load float64) float64 {
	switch {
	case capacity <= 0:
		return 0
	case load <= capacity:
		return capacity
	}
	return max(0, capacity*(1-d.Livelock*(load-capacity)/capacity))
}

// room is how many frames are accepted that the DUT has not served yet: those
// of the bucket pass at once, the others wait.
func (d dut) room() float64 { return float64(d.Buffer) + float64(d.Bucket) }

// waiting is how many frames are waited for behind a queue.
func (d dut) waiting(queued float64) float64 { return max(0, queued-float64(d.Bucket)) }

// outage is a time in which a share of the frames is lost whatever the load,
// in seconds since the start. The share changes evenly.
type outage struct {
	begin, end  float64
	first, last float64 // share lost at the beginning and at the end
}

func (o outage) at(t float64) float64 {
	return o.first + (o.last-o.first)*(t-o.begin)/(o.end-o.begin)
}

// outages are those of a trial, in order.
func (d dut) outages(t weir.Trial, phases []phase, h *weir.Happened) (out []outage) {
	all := func(begin, end float64) { out = append(out, outage{begin, end, 1, 1}) }
	if last := phases[len(phases)-1]; t.Then != nil && phases[0].load > d.capacity && last.load <= d.capacity {
		all(t.Duration.Seconds(), t.Duration.Seconds()+d.Recovery.Seconds())
	}
	if h == nil || h.Error != "" || t.Bypass {
		return out
	}
	began := h.Began.Seconds()
	routes := float64(t.Condition.Routes().Count)
	switch {
	case t.Event.Name != announceEvent:
		all(began, began+d.Reset.Seconds())
	case routes > 0:
		all(0, began)
		if d.Learning > 0 {
			out = append(out, outage{began, began + routes/d.Learning, 1, 0})
		}
	}
	slices.SortStableFunc(out, func(a, b outage) int { return cmp.Compare(a.begin, b.begin) })
	return out
}

// piece are successive frames to which the same happens.
type piece struct {
	from, to    float64 // numbers of frames
	first, last float64 // share that is lost at its beginning and at its end
	lost        float64 // frames lost before it
	spoilt      float64 // frames that the queue has let through, and the DUT's defects have not, before it
	queue, tail float64 // frames that the first and the last one find queued
	service     float64 // frames/s
	outage      bool    // rather than a full buffer

	phase      int     // that it belongs to
	begin, end float64 // s: when its first frame is sent, and that which follows its last one
	could      float64 // frames that the DUT could have served by its beginning, where there is a course
}

// lostOf is how many of the first n frames of the trial are lost, of which the
// last is in this piece.
func (p piece) lostOf(n float64) float64 {
	n -= p.from
	return p.lost + p.first*n + (p.last-p.first)*n*n/(2*(p.to-p.from))
}

// passage is what becomes of a trial's frames.
type passage struct {
	phases  []phase
	pieces  []piece
	queued  float64 // frames that are not served yet, after all of that
	defects *defects
	course  *course // of the capacity; nil while it is the same all the time
}

// pass sends the frames of a trial through the DUT.
func (d dut) pass(t weir.Trial, phases []phase, outages []outage) *passage {
	p := &passage{phases: phases, course: d.course(t, phases)}
	for i, f := range phases {
		d.rest(p, f.begin)
		at := f.from
		for _, o := range outages {
			from := max(at, f.at(o.begin))
			to := max(from, f.at(o.end))
			if from < to {
				d.walk(p, i, at, from, func(from, to, capacity float64) { d.queue(p, t, i, from, to, capacity) })
				d.walk(p, i, from, to, func(from, to, capacity float64) { d.lose(p, i, from, to, capacity, o) })
				at = to
			}
		}
		d.walk(p, i, at, f.to, func(from, to, capacity float64) { d.queue(p, t, i, from, to, capacity) })
	}
	if p.course != nil {
		p.course.goOn(d.capacity)
	}
	p.spoil(d.defectsOf(t, float64(p.frames())))
	return p
}

// add adds a piece, unless it is empty.
func (p *passage) add(next piece) {
	if next.to <= next.from {
		return
	}
	next.lost = p.lost()
	if c := p.course; c != nil {
		f := p.phases[next.phase]
		next.begin, next.end = f.when(next.from), f.when(next.to)
		next.could = c.could(next.begin)
	}
	p.pieces = append(p.pieces, next)
}

// lost is how many frames of all pieces are lost, not rounded.
func (p *passage) lost() float64 {
	if len(p.pieces) == 0 {
		return 0
	}
	last := p.pieces[len(p.pieces)-1]
	return last.lostOf(last.to)
}

// frames is how many there are.
func (p *passage) frames() uint64 { return uint64(p.phases[len(p.phases)-1].to) }

// length is how long they are sent, in seconds.
func (p *passage) length() float64 { return p.phases[len(p.phases)-1].end }

// of is the piece in which the first n frames end.
func (p *passage) of(n float64) piece {
	return p.pieces[sort.Search(len(p.pieces)-1, func(i int) bool { return p.pieces[i].to >= n })]
}

// lostOf is how many of the first n frames are lost. No frame is lost in part:
// one is as soon as a thousandth of it is.
func (p *passage) lostOf(n uint64) uint64 {
	const grace = 1e-3
	if n == 0 {
		return 0
	}
	f := p.of(float64(n))
	return uint64(max(0, math.Ceil(f.lostOf(float64(n))+p.spoiltBy(f, float64(n))-grace)))
}

// lostToOutages is how many of the lost frames the buffer had no part in.
func (p *passage) lostToOutages() uint64 {
	sum := uint64(0)
	for _, piece := range p.pieces {
		if piece.outage {
			sum += p.lostOf(uint64(piece.to)) - p.lostOf(uint64(piece.from))
		}
	}
	return sum
}
