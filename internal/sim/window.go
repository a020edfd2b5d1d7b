package sim

import (
	"math"
	"time"

	"weir"
)

// portOf is how many of the frames of a phase are a port's, which is numbered
// from 0: all ports that send do so evenly.
func (f phase) portOf(frames uint64, port, ports int) uint64 {
	switch {
	case f.side == port+1:
		return frames
	case f.side > 0:
		return 0
	}
	i, n := uint64(port), uint64(ports)
	return frames*(i+1)/n - frames*i/n
}

// windowStreams are the streams of a trial, one for each port, whose windows
// are not of the same ports.
func (p *passage) windowStreams(t weir.Traffic) []weir.StreamResult {
	out := streams(t, 0, 0)
	for _, f := range p.phases {
		sent := uint64(f.to - f.from)
		lost := p.lostOf(uint64(f.to)) - p.lostOf(uint64(f.from))
		for i := range out {
			s, l := f.portOf(sent, i, len(out)), f.portOf(lost, i, len(out))
			out[i].Sent, out[i].Lost, out[i].Received = out[i].Sent+s, out[i].Lost+l, out[i].Received+s-l
		}
	}
	return out
}

// windows fills in how long the frames of a trial took whose DUT has a course,
// and what became of each window.
func (d dut) windows(r *weir.TrialResult, p *passage) {
	t := r.Trial
	out := make([]weir.WindowResult, len(t.Windows))
	begin := time.Duration(0)
	for i, w := range t.Windows {
		if w.Prime != nil {
			begin += w.Prime.Duration + w.Pause
		}
		if w.Hold != nil {
			begin += w.Hold.Duration
		}
		out[i].Begin, out[i].Preempted = begin, -1
		begin += w.Duration + w.Silence
	}
	l := latencies{dut: d, to: &r.Latency, received: float64(r.Received)}
	pieces := p.pieces
	var all []strand
	for i := 0; i < len(p.phases); {
		f, n := p.phases[i], 0
		for i < len(p.phases) && p.phases[i].window == f.window && p.phases[i].prime == f.prime && p.phases[i].hold == f.hold {
			f.to, i = p.phases[i].to, i+1 // stalls of the generator part a window
		}
		all = all[:0]
		for n < len(pieces) && pieces[n].to <= f.to {
			all = d.strands(all, p, pieces[n])
			n++
		}
		greatest := l.add(all)
		if len(out) > 0 {
			sent := uint64(f.to - f.from)
			received := sent - (p.lostOf(uint64(f.to)) - p.lostOf(uint64(f.from)))
			switch w := &out[f.window]; {
			case f.hold:
			case f.prime:
				w.PrimeSent, w.PrimeReceived = sent, received
			default:
				w.Sent, w.Received, w.Delay, w.ReceiverGap = sent, received, greatest, gap(all)
				w.LostRun = min(w.Lost(), lostRun(f, pieces[:n], t.Traffic.Ports()))
			}
		}
		pieces = pieces[n:]
	}
	l.end()
	if len(out) > 0 {
		r.Windows = out
	}
}

// gap is the longest time in which none of the frames left the DUT.
func gap(all []strand) time.Duration {
	longest, last := 0., math.Inf(1) // when the frame before left
	for _, s := range all {
		between := (s.finish - s.begin) / float64(s.frames)
		longest = max(longest, s.begin-last)
		if s.frames > 1 {
			longest = max(longest, between)
		}
		last = s.finish - between
	}
	return seconds(longest)
}

// lostRun is the greatest number of frames of one stream that pieces of a phase
// lose one after the other: all of those that come while none is accepted, and
// of others, which are lost evenly, as many as are lost for one that is not.
func lostRun(f phase, pieces []piece, ports int) uint64 {
	longest, run := 0., 0.
	streams := float64(ports)
	if f.side > 0 {
		streams = 1
	}
	for _, piece := range pieces {
		const all = 1 - 1e-9
		share := max(piece.first, piece.last)
		if min(piece.first, piece.last) >= all {
			run += (piece.to - piece.from) / streams
			longest = max(longest, run)
			continue
		}
		run = 0
		if share > 0 {
			most := (piece.to - piece.from) / streams * share
			longest = max(longest, min(most, share/max(1-share, 1e-9)))
		}
	}
	return uint64(math.Ceil(longest - 1e-3))
}
