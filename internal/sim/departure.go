package sim

import (
	"math"
	"sort"
	"time"

	"weir"
)

// strand are frames that come back one after the other, evenly in time, and the
// delay of which changes evenly.
type strand struct {
	frames        uint64
	first, last   float64 // delay of the first one, and at the end, in s; without latency and jitter
	begin, finish float64 // s: when the first one leaves the DUT, and when the one behind the last one would
}

// strands adds those of a piece. They end where the DUT changes its pace while
// their frames wait, and where the bucket is empty.
func (d dut) strands(out []strand, p *passage, f piece) []strand {
	if p.receivedOf(whole(f.to)) == p.receivedOf(whole(f.from)) {
		return out
	}
	bucket := float64(d.Bucket)
	if cut := (bucket - f.queue) / (f.tail - f.queue); cut > 0 && cut < 1 {
		a, b := f, f
		a.to, a.end, a.tail = f.from+cut*(f.to-f.from), f.begin+cut*(f.end-f.begin), bucket
		b.from, b.begin, b.queue, b.could = a.to, a.end, bucket, f.could+f.service*(a.end-f.begin)
		return d.strands(d.strands(out, p, a), p, b)
	}
	// By when so much could have been served the first frame leaves, and the last.
	x, end := f.could+d.waiting(f.queue), f.could+f.service*(f.end-f.begin)+d.waiting(f.tail)
	rise := max(end-x, 0)
	start, from := x, 0. // the part of the piece that strands before have
	next := func(x, until float64) {
		begin := p.course.leaves(start)
		finish := max(begin, p.course.left(x))
		frames := p.receivedOf(whole(f.from+until*(f.to-f.from))) - p.receivedOf(whole(f.from+from*(f.to-f.from)))
		if frames > 0 {
			sent, last := f.begin+from*(f.end-f.begin), f.begin+until*(f.end-f.begin)
			out = append(out, strand{frames, max(0, begin-sent), max(0, finish-last), begin, finish})
		}
		start, from = x, until
	}
	served := p.course.served
	for i := sort.Search(len(served), func(i int) bool { return served[i].could > x }); i < len(served) && served[i].could < end; i++ {
		if served[i].could > start {
			next(served[i].could, (served[i].could-x)/rise)
		}
	}
	next(x+rise, 1)
	return out
}

// leaves is when the next frame leaves a DUT that could have served so many.
func (c *course) leaves(x float64) float64 {
	s := c.served[max(sort.Search(len(c.served), func(i int) bool { return c.served[i].could > x })-1, 0)]
	return s.at + (x-s.could)/s.service
}

// left is when a DUT could have served so many.
func (c *course) left(x float64) float64 {
	i := sort.Search(len(c.served), func(i int) bool { return c.served[i].could >= x })
	if i == 0 {
		return c.served[0].at
	}
	s := c.served[i-1]
	return s.at + (x-s.could)/s.service
}

// delayOf is the delay of a frame, in s, without latency and jitter.
func (d dut) delayOf(p *passage, n float64) float64 {
	f := p.of(n)
	share := (n - f.from) / (f.to - f.from)
	sent := f.begin + share*(f.end-f.begin)
	x := f.could + f.service*(sent-f.begin) + d.waiting(f.queue+share*(f.tail-f.queue))
	return max(0, p.course.leaves(x)-sent)
}

// golden is the part of a turn by which successive points lie evenly on a
// circle, however many they are.
var golden = (math.Sqrt(5) - 1) / 2

// latencies fills a histogram of all frames that come back.
type latencies struct {
	dut
	to       *weir.Histogram
	received float64 // frames of the trial
	unqueued uint64  // frames that found nothing before them
	turn     float64 // of jitter, 0 to 1
}

// add adds the frames of a phase, of which one has the greatest delay and the
// jitter in full. It returns that latency; 0 of no frames.
func (l *latencies) add(all []strand) time.Duration {
	longest, of := -1., 0
	for i, s := range all {
		if most := max(s.first, s.last); most > longest {
			longest, of = most, i
		}
	}
	if longest < 0 {
		return 0
	}
	greatest := l.at(longest) + l.Jitter
	for i, s := range all {
		if max(s.first, s.last) < 1e-9 {
			l.unqueued += s.frames
			continue
		}
		if i == of {
			l.to.Add(uint64(greatest), 1)
			s.frames--
		}
		points := min(queuePoints, s.frames)
		if math.Abs(s.last-s.first) < 1e-9 {
			points = min(1, s.frames)
		}
		for k := range points {
			l.spread(l.at(s.first+(s.last-s.first)*(float64(k)+.5)/float64(points)), s.frames*(k+1)/points-s.frames*k/points)
		}
	}
	return greatest
}

// at is the latency of a delay in s.
func (l *latencies) at(delay float64) time.Duration {
	return l.Latency + time.Duration(delay*1e9)
}

// spread adds frames with a latency that jitter makes longer. Each has its part
// of the points of jitter, at least one.
func (l *latencies) spread(low time.Duration, frames uint64) {
	points := uint64(1)
	if l.Jitter > 0 {
		points = max(1, uint64(float64(frames)/l.received*jitterPoints))
	}
	for k := range points {
		_, l.turn = math.Modf(l.turn + golden)
		l.to.Add(uint64(low)+uint64(l.turn*float64(l.Jitter)), frames*(k+1)/points-frames*k/points)
	}
}

// end adds the frames that found nothing before them.
func (l *latencies) end() { l.dut.spread(l.to, uint64(l.Latency), l.unqueued) }
