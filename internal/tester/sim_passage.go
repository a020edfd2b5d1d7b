package tester

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"weir"
)

// simDUT is a simulated DUT in one trial.
type simDUT struct {
	SimConfig
	capacity float64 // frames/s, with noise and costs; endless when it is bypassed
	random   *rand.Rand
}

// service is the rate in frames/s at which the DUT serves a load.
func (d simDUT) service(load float64) float64 {
	if load <= d.capacity {
		return d.capacity
	}
	return max(0, d.capacity*(1-d.Livelock*(load-d.capacity)/d.capacity))
}

// phase is a part of a trial with a load of its own. Frames of all ports
// together are numbered from 0, in the order of sending.
type phase struct {
	from, to   float64 // numbers of frames
	begin, end float64 // s
	load       float64 // intended, as far as the tester can send it; frames/s over all ports
}

// rate is the load that makes it whole frames.
func (f phase) rate() float64 { return (f.to - f.from) / (f.end - f.begin) }

// at is the number of the phase's first frame that is sent at a time or later.
func (f phase) at(t float64) float64 {
	const grace = 1e-6 // of a frame: what rounding leaves
	return min(max(f.from, f.from+math.Ceil((t-f.begin)*f.rate()-grace)), f.to)
}

// when is the time at which a frame is sent.
func (f phase) when(n float64) float64 { return f.begin + (n-f.from)/f.rate() }

// simPhases are the phases of a trial.
func simPhases(t weir.Trial) []phase {
	ports := float64(t.Traffic.Ports())
	load := min(t.Intended, SimCeiling)
	if t.Maximum {
		load = SimCeiling
	}
	if t.Count > 0 {
		n := float64(t.Count)
		return []phase{{to: n * ports, end: n / load, load: load * ports}}
	}
	length := t.Duration.Seconds()
	first := phase{to: whole(load*length) * ports, end: length, load: load * ports}
	if t.Then == nil {
		return []phase{first}
	}
	load, length = min(t.Then.Intended, SimCeiling), t.Then.Duration.Seconds()
	return []phase{first, {
		from: first.to, to: first.to + whole(load*length)*ports,
		begin: first.end, end: first.end + length, load: load * ports,
	}}
}

func whole(frames float64) float64 { return math.Floor(frames + .5) }

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
func (d simDUT) outages(t weir.Trial, phases []phase, h *weir.Happened) (out []outage) {
	all := func(begin, end float64) { out = append(out, outage{begin, end, 1, 1}) }
	if len(phases) > 1 && phases[0].load > d.capacity && phases[1].load <= d.capacity {
		all(phases[1].begin, phases[1].begin+d.Recovery.Seconds())
	}
	if h == nil || h.Error != "" || t.Bypass {
		return out
	}
	began := h.Began.Seconds()
	routes := float64(t.Condition.Routes.Count)
	switch {
	case t.Event.Name != simAnnounce:
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
	queue, tail float64 // frames that the first and the last one find queued
	service     float64 // frames/s
	outage      bool    // rather than a full buffer
}

// lostOf is how many of the first n frames of the trial are lost, of which the
// last is in this piece.
func (p piece) lostOf(n float64) float64 {
	n -= p.from
	return p.lost + p.first*n + (p.last-p.first)*n*n/(2*(p.to-p.from))
}

// passage is what becomes of a trial's frames.
type passage struct {
	phases []phase
	pieces []piece
	queued float64 // frames in the buffer after all of that
}

// pass sends the frames of a trial through the DUT.
func (d simDUT) pass(t weir.Trial, phases []phase, outages []outage) *passage {
	p := &passage{phases: phases}
	for _, f := range phases {
		at := f.from
		for _, o := range outages {
			from := max(at, f.at(o.begin))
			to := max(from, f.at(o.end))
			if from < to {
				d.queue(p, t, f, at, from)
				d.lose(p, f, from, to, o)
				at = to
			}
		}
		d.queue(p, t, f, at, f.to)
	}
	return p
}

// lose loses frames of a phase from one number to another to an outage, while
// the queue drains.
func (d simDUT) lose(p *passage, f phase, from, to float64, o outage) {
	service, before := d.service(f.load), p.queued
	p.queued = max(0, before-(to-from)/f.rate()*service)
	overload := max(0, 1-service/f.rate())
	p.add(piece{
		from: from, to: to, outage: true, service: service, queue: before, tail: p.queued,
		first: max(overload, o.at(f.when(from))), last: max(overload, o.at(f.when(to))),
	})
}

// queue lets the frames of a phase from one number to another through the
// buffer.
func (d simDUT) queue(p *passage, t weir.Trial, f phase, from, to float64) {
	if from == to {
		return
	}
	service := d.service(f.load)
	growth := 1 - service/f.rate() // of the queue, with each frame
	before := p.queued
	still, settled := from, before // the first frame that finds the queue as it stays, and how long it is then
	switch {
	case growth > 0:
		still, settled = from+(float64(d.Buffer)-before)/growth, float64(d.Buffer)
	case growth < 0 && before > 0:
		still, settled = from-before/growth, 0
	}
	p.queued = settled
	if still > to {
		still, p.queued = to, before+growth*(to-from)
	}
	lost, peak := d.burst(t)
	p.add(piece{from: from, to: still, first: lost, last: lost, queue: before, tail: before + growth*(still-from), service: service})
	lost = max(lost, growth)
	p.add(piece{from: still, to: to, first: lost, last: lost, queue: settled, tail: max(settled, peak), service: service})
}

// burst is what one burst of the traffic loses, as a share, and the queue that
// it makes; 0 of a traffic without bursts.
func (d simDUT) burst(t weir.Trial) (lost, queued float64) {
	ports := float64(t.Traffic.Ports())
	n, rate := min(float64(t.Traffic.Burst)*ports, float64(t.Frames())), SimCeiling*ports
	if n == 0 || t.Maximum {
		return 0, 0
	}
	queued = max(0, n*(1-d.service(rate)/rate))
	return max(0, queued-float64(d.Buffer)) / n, min(queued, float64(d.Buffer))
}

// add adds a piece, unless it is empty.
func (p *passage) add(next piece) {
	if next.to <= next.from {
		return
	}
	if n := len(p.pieces); n > 0 {
		next.lost = p.pieces[n-1].lostOf(p.pieces[n-1].to)
	}
	p.pieces = append(p.pieces, next)
}

// frames is how many there are.
func (p *passage) frames() uint64 { return uint64(p.phases[len(p.phases)-1].to) }

// length is how long they are sent, in seconds.
func (p *passage) length() float64 { return p.phases[len(p.phases)-1].end }

// of is the piece in which the first n frames end.
func (p *passage) of(n float64) piece {
	i := 0
	for i < len(p.pieces)-1 && p.pieces[i].to < n {
		i++
	}
	return p.pieces[i]
}

// lostOf is how many of the first n frames are lost. No frame is lost in part:
// one is as soon as a thousandth of it is.
func (p *passage) lostOf(n uint64) uint64 {
	const grace = 1e-3
	if n == 0 {
		return 0
	}
	return uint64(max(0, math.Ceil(p.of(float64(n)).lostOf(float64(n))-grace)))
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
