package sim

import (
	"sort"
	"time"

	"weir"
)

// refine sets the edges of what was lost to the frames beside it, where these
// are closer together than the steps of the timeline.
func (p *passage) refine(t *weir.Timeline) {
	for i := range t.Episodes {
		e := &t.Episodes[i]
		from, until := uint64(p.sentBy(e.From.Seconds())), uint64(p.sentBy(e.Until.Seconds()))
		first, after := p.firstLost(from, until), p.backAfter(from, until)
		if after == p.frames() {
			continue
		}
		precision := p.gap(after)
		if first > 0 {
			precision = max(precision, p.gap(first))
		}
		if precision >= t.Resolution {
			continue
		}
		if first > 0 {
			e.From = max(e.From, p.when(first-1))
		}
		e.Until, e.Precision = min(e.Until, p.when(after)), precision
	}
	until := uint64(p.sentBy(t.LastLoss.Seconds()))
	if after := p.backAfter(0, until); t.LastLoss > 0 && after < p.frames() && p.gap(after) < t.Resolution {
		t.LastLoss, t.Precision = min(t.LastLoss, p.when(after)), p.gap(after)
	}
}

// firstLost is the first frame from one on that is lost, of those before
// until, of which one is.
func (p *passage) firstLost(from, until uint64) uint64 {
	before := p.lostOf(from)
	return from + uint64(sort.Search(int(until-from), func(i int) bool { return p.lostOf(from+uint64(i)+1) > before }))
}

// backAfter is the frame behind the last one that is lost, of those from one to
// before until.
func (p *passage) backAfter(from, until uint64) uint64 {
	lost := p.lostOf(until)
	return from + uint64(sort.Search(int(until-from), func(i int) bool { return p.lostOf(from+uint64(i)) == lost }))
}

// gap is the time from the frame before to this one.
func (p *passage) gap(n uint64) time.Duration { return p.when(n) - p.when(n-1) }

// when is the time at which a frame is sent.
func (p *passage) when(n uint64) time.Duration {
	i := sort.Search(len(p.phases)-1, func(i int) bool { return float64(n) < p.phases[i].to })
	return seconds(p.phases[i].when(float64(n)))
}
