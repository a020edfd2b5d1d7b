package sim

import "weir"

// lose loses frames of a phase from one number to another to an outage, while
// the queue drains.
func (d dut) lose(p *passage, i int, from, to, capacity float64, o outage) {
	f := p.phases[i]
	service, before := d.serving(capacity, f.load), p.queued
	p.queued = max(0, before-(to-from)/f.rate()*service)
	overload := max(0, 1-service/f.rate())
	p.add(piece{
		from: from, to: to, outage: true, service: service, queue: before, tail: p.queued, phase: i,
		first: max(overload, o.at(f.when(from))), last: max(overload, o.at(f.when(to))),
	})
}

// queue lets the frames of a phase from one number to another through the
// buffer, while the DUT has a capacity in frames/s.
func (d dut) queue(p *passage, t weir.Trial, i int, from, to, capacity float64) {
	f := p.phases[i]
	if from == to {
		return
	}
	service := d.serving(capacity, f.load)
	growth := 1 - service/f.rate() // of the queue, with each frame
	before := p.queued
	still, settled := from, before // the first frame that finds the queue as it stays, and how long it is then
	switch {
	case growth > 0:
		still, settled = from+(d.room()-before)/growth, d.room()
	case growth < 0 && before > 0:
		still, settled = from-before/growth, 0
	}
	p.queued = settled
	if still > to {
		still, p.queued = to, before+growth*(to-from)
	}
	lost, peak := d.burst(t, capacity)
	p.add(piece{from: from, to: still, first: lost, last: lost, queue: before, tail: before + growth*(still-from), service: service, phase: i})
	lost = max(lost, growth)
	p.add(piece{from: still, to: to, first: lost, last: lost, queue: settled, tail: max(settled, peak), service: service, phase: i})
}

// burst is what one burst of the traffic loses, as a share, and the queue that
// it makes; 0 of a traffic without bursts.
func (d dut) burst(t weir.Trial, capacity float64) (lost, queued float64) {
	if t.Traffic.Burst == 0 || t.Maximum {
		return 0, 0
	}
	ports := float64(t.Traffic.Ports())
	n, rate := min(float64(t.Traffic.Burst)*ports, float64(t.Frames())), Ceiling*ports
	if n == 0 {
		return 0, 0
	}
	queued = max(0, n*(1-d.serving(capacity, rate)/rate))
	return max(0, queued-d.room()) / n, min(queued, d.room())
}
