package losses

import (
	"math"
	"time"

	"weir"
)

// Hold is what an overload shows of a DUT that takes more than it forwards for a while: a
// queue in which frames wait, or a bucket of tokens that they do not wait for.
type Hold struct {
	Rate   float64       // frames/s over all ports that leave in the long run
	Error  float64       // of the rate, relative to it
	Frames float64       // that were taken above the rate
	After  time.Duration // of sending, from when on no more are taken than leave
	Waits  bool          // the frames wait: it is a queue
}

// What a timeline has to show to tell what a DUT holds.
const (
	endShare   = .3  // of the overload, the last part of it, in which the rate is what leaves
	leastLoss  = .03 // in that part, or there was no overload
	beginLoss  = .2  // of the loss of that part that there may be before it has begun
	leastSteps = 20  // intervals
	evenParts  = 5   // of that part, each of which loses
	evenLoss   = .3  // of its loss at least
	uneven     = .1  // by which the halves of the last part may differ
	waitShare  = .4  // of the time that what is held takes to leave, that frames wait where they wait at all
)

// part is a part of a timeline.
type part []weir.Interval

// partOf is the part of a trial's timeline from a time of sending on. A timeline begins up to
// a step before the first frame, so that its last two steps may hold less than the others.
func partOf(t weir.TrialResult, from time.Duration) (p part, end time.Duration) {
	if t.Timeline == nil {
		return nil, 0
	}
	for _, v := range t.Timeline.Intervals {
		if v.From >= from {
			p = append(p, v)
		}
	}
	if len(p) < leastSteps {
		return nil, 0
	}
	return p[:len(p)-2], p[len(p)-2].From
}

// sum is what was sent and received in some of the intervals, and in how many seconds.
func (p part) sum(from, until int, end time.Duration) (sent, received, seconds float64) {
	for _, v := range p[from:until] {
		sent, received = sent+float64(v.Sent), received+float64(v.Received)
	}
	if until < len(p) {
		end = p[until].From
	}
	return sent, received, (end - p[from].From).Seconds()
}

// Leaving is the rate in frames/s over all ports that leaves of the last part of a trial, so
// large a share of what is sent from a time on, the error of that, relative to it, and
// the share that is lost there; 0 where the rate still changes, or there are too few frames.
func Leaving(t weir.TrialResult, from time.Duration, share float64) (rate, off, loss float64) {
	p, end := partOf(t, from)
	if len(p) == 0 {
		return 0, 0, 0
	}
	tail := len(p) - int(share*float64(len(p)))
	sent, received, seconds := p.sum(tail, len(p), end)
	middle := (tail + len(p)) / 2
	_, a, first := p.sum(tail, middle, end)
	_, b, second := p.sum(middle, len(p), end)
	if received == 0 || first <= 0 || second <= 0 {
		return 0, 0, 0
	}
	rate = received / seconds
	off = math.Max(1.5/received, math.Abs(a/first-b/second)/(2*rate))
	if 2*off > uneven {
		return 0, off, 0
	}
	loss = 1 - received/sent
	for i := range evenParts { // a stall loses frames of one of these
		from, until := tail+(len(p)-tail)*i/evenParts, tail+(len(p)-tail)*(i+1)/evenParts
		if s, r, _ := p.sum(from, until, end); s == 0 || 1-r/s < evenLoss*loss {
			return 0, off, 0
		}
	}
	return rate, off, loss
}

// Held is what an overload from a time of sending on shows of what a DUT holds that held
// nothing before; false where its last part is none at which a rate could be read: the DUT
// took all until then, or the rate still changed.
func Held(t weir.TrialResult, from time.Duration) (h Hold, ok bool) {
	rate, off, loss := Leaving(t, from, endShare)
	if rate == 0 || loss < leastLoss {
		return h, false
	}
	h.Rate, h.Error = rate, off
	p, end := partOf(t, from)
	tail := len(p) - int(endShare*float64(len(p)))
	lossy := func(from, until int) bool {
		sent, received, _ := p.sum(from, until, end)
		return sent > 0 && 1-received/sent >= loss/2
	}
	begin := 0 // of the loss: it is as high as at the end over a tenth of the overload
	for begin < tail && !lossy(begin, min(begin+max(1, len(p)/10), len(p))) {
		begin++
	}
	for begin < tail && !lossy(begin, begin+1) { // and in this step
		begin++
	}
	if begin == tail {
		return h, false
	}
	if begin > 0 {
		if s, r, _ := p.sum(0, begin, end); 1-r/s <= beginLoss*loss {
			_, r, with := p.sum(0, begin+1, end) // a part of that step was taken, too
			h.Frames, h.After = math.Max(0, r-h.Rate*with), p[begin].From-from
		}
	}
	// Nearly all frames of an overload wait as long as the queue is.
	if waiting := t.Latency.Quantile(.5) - float64(t.Latency.Min)/1e9; waiting > waitShare*h.Frames/h.Rate {
		h.Waits, h.Frames = true, math.Max(h.Frames, waiting*h.Rate)
	}
	return h, true
}

// Limit is what a rate in the long run is one of, as rates at two sizes tell.
type Limit struct {
	Octets float64 // of each frame that count beside its size; of a limit of frames it has no meaning
	Name   string  // "frames", "octets of IP packets", "octets of frames", "octets on the wire"
}

// Frames is the name of a limit of frames, whatever their size.
const Frames = "frames"

// limits are those that are told apart.
var limits = []Limit{{Name: Frames}, {-18, "octets of IP packets"}, {-4, "octets of frames without their FCS"}, {0, "octets of frames"}, {20, "octets on the wire"}}

// LimitOf is what two rates at two sizes have in common, and how much of that there is in a
// second; false where it is nothing of that. Which headers count is open where two of the
// limits do as well.
func LimitOf(rate, other float64, size, second weir.Size) (l Limit, perSecond float64, ok bool) {
	const (
		most     = .06 // by which they may differ
		distinct = .02 // by which the next best limit of octets differs more
	)
	best, next := most, most
	for _, limit := range limits {
		a, b := rate, other
		if limit.Name != Frames {
			a, b = a*(float64(size)+limit.Octets), b*(float64(second)+limit.Octets)
		}
		switch off := math.Abs(a/b - 1); {
		case off < best:
			if ok && l.Name != Frames {
				next = best
			}
			best, l, perSecond, ok = off, limit, a, true
		case limit.Name != Frames:
			next = min(next, off)
		}
	}
	if ok && l.Name != Frames && next-best < distinct && next < most {
		l.Name = "octets, with some headers or without,"
	}
	return l, perSecond, ok
}
