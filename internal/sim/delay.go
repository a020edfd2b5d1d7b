package sim

import (
	"math"
	"time"

	"weir"
)

// queuePoints is the number of points by which a queue that changes is drawn
// in the latency histogram, from its first frame to its last, and jitterPoints that
// by which jitter is.
const (
	queuePoints  = 1024
	jitterPoints = 1024
)

// time fills in how long the frames of a trial took.
func (d dut) time(r *weir.TrialResult, p *passage) {
	for _, piece := range p.pieces {
		received := p.receivedOf(whole(piece.to)) - p.receivedOf(whole(piece.from))
		points := min(received, queuePoints)
		if piece.queue == piece.tail {
			points = min(received, 1)
		}
		for i := range points {
			share := received*(i+1)/points - received*i/points
			queued := piece.queue + (piece.tail-piece.queue)*float64(i)/float64(max(points-1, 1))
			d.spread(&r.Latency, d.delay(queued, piece.service, p.length()), share)
		}
	}
}

// asked fills in what a trial asks for of single frames.
func (d dut) asked(r *weir.TrialResult, p *passage) {
	if r.Trial.Variation {
		r.Variation = d.variation(r.Streams)
	}
	switch {
	case r.Trial.Tags.Fates:
		r.Fates = p.fates(r.Trial)
	case r.Trial.Tags.Count > 0:
		r.Tagged = d.tagged(r.Trial, p)
	}
}

// receivedOf is how many of the first n frames come back.
func (p *passage) receivedOf(n float64) uint64 { return uint64(n) - p.lostOf(uint64(n)) }

// delay is the latency without jitter, in nanoseconds, of a frame that finds
// others queued, at most length seconds' worth of them.
func (d dut) delay(queued, service, length float64) uint64 {
	queued = d.waiting(queued)
	if queued <= 0 {
		return uint64(d.Latency)
	}
	return uint64(d.Latency) + uint64(min(queued/service, length)*1e9)
}

// finds is the latency without jitter, in nanoseconds, of a frame.
func (d dut) finds(p *passage, n float64) uint64 {
	if p.course != nil {
		return uint64(d.Latency) + uint64(d.delayOf(p, n)*1e9)
	}
	piece := p.of(n)
	return d.delay(piece.queue+(piece.tail-piece.queue)*(n-piece.from)/(piece.to-piece.from), piece.service, p.length())
}

// spread adds n frames to a histogram whose latencies are evenly distributed
// from low to the jitter above it.
func (d dut) spread(h *weir.Histogram, low, n uint64) {
	evenly(n, func(x float64, share uint64) { h.Add(low+uint64(math.Round(x*float64(d.Jitter))), share) }, d.Jitter > 0)
}

// variation are the changes of delay of frames with evenly distributed jitter:
// a share 1 - (1 - y)^2 of those that grew did so by at most y times the
// jitter.
func (d dut) variation(streams []weir.StreamResult) *weir.Variation {
	v := &weir.Variation{}
	for _, s := range streams {
		if s.Received <= s.Lost+1 {
			continue
		}
		changes := s.Received - s.Lost - 1 // each lost frame took one with it
		shrank := uint64(0)
		if d.Jitter > 0 {
			shrank = changes / 2
		}
		by := func(h *weir.Histogram, least float64) func(float64, uint64) {
			return func(x float64, share uint64) {
				h.Add(uint64(math.Round(max(least, (1-math.Sqrt(1-x))*float64(d.Jitter)))), share)
			}
		}
		evenly(changes-shrank, by(&v.Longer, 0), d.Jitter > 0)
		evenly(shrank, by(&v.Shorter, 1), d.Jitter > 0)
	}
	return v
}

// evenly visits points evenly from 0 to 1, each for a share of n; 0 for all of
// them unless there is something to spread.
func evenly(n uint64, visit func(x float64, share uint64), spread bool) {
	points := min(n, jitterPoints)
	if !spread {
		points = min(n, 1)
	}
	for i := range points {
		visit(float64(i)/float64(max(points-1, 1)), n*(i+1)/points-n*i/points)
	}
}

// tagged are the latencies of the tagged frames that come back, stream by
// stream.
func (d dut) tagged(t weir.Trial, p *passage) (out []time.Duration) {
	ports := float64(t.Traffic.Ports())
	after, count := t.Tags.After.Seconds(), min(t.Tags.Count, weir.MaxTags)
	for port := range t.Traffic.Ports() {
		last := -1.
		for i := range count {
			at := p.sentBy(after + (p.length()-after)*float64(i)/float64(count))
			n := math.Ceil((at-float64(port))/ports)*ports + float64(port) // the port's next frame
			if after >= p.length() || n == last || n >= float64(p.frames()) {
				continue
			}
			last = n
			if p.lostOf(uint64(n)+1) > p.lostOf(uint64(n)) {
				continue
			}
			ns := d.finds(p, n)
			if d.Jitter > 0 {
				ns += d.random.Uint64N(uint64(d.Jitter) + 1)
			}
			out = append(out, time.Duration(ns))
		}
	}
	return out
}
