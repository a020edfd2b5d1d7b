package sweep

import (
	"math"
	"math/rand/v2"
	"time"

	"weir"
)

// bucket passes frames as tokens allow, and holds some that have to wait: a
// token bucket with a queue. nft's limit has none, tbf has.
type bucket struct {
	rate  float64 // frames/s
	burst float64 // tokens that it holds
	queue float64 // frames that wait
	level float64 // frames that wait, or, below 0, tokens
	at    float64 // s
}

// take says when a frame that arrives leaves; false when it is lost.
func (b *bucket) take(at float64) (float64, bool) {
	b.level = math.Max(-b.burst, b.level-(at-b.at)*b.rate)
	b.at = at
	if b.level+1 > b.queue+1e-9 {
		return 0, false
	}
	b.level++
	return at + math.Max(0, b.level)/b.rate, true
}

// path is a chain of buckets, which takes frame for frame: an exact model of a
// policer or a shaper behind the ring of a medium.
type path struct {
	stages []*bucket
	now    float64
	moment func()     // is called before each window; nil: none
	jitter *rand.Rand // of the time between frames; nil: evenly
}

// policed is a ring of 256 frames before something that forwards 700,000
// frames/s, and after it a limit.
func policed(limit bucket) *path {
	limit.level = -limit.burst
	return &path{stages: []*bucket{{rate: 700e3, burst: 1, queue: 256}, &limit}}
}

func (p *path) flow(load float64, d time.Duration) (sent, received, run uint64, delay float64) {
	n := int(math.Floor(load*d.Seconds() + .5))
	lost := uint64(0)
	for i := range n {
		at := p.now + (float64(i)+.5)/load
		if p.jitter != nil {
			at += (p.jitter.Float64() - .5) / load
		}
		leaves, ok := at, true
		for _, s := range p.stages {
			if leaves, ok = s.take(math.Max(leaves, s.at)); !ok {
				break
			}
		}
		if !ok {
			lost++
			run = max(run, lost)
			continue
		}
		lost = 0
		received++
		delay = math.Max(delay, leaves-at)
	}
	p.now += d.Seconds()
	return uint64(n), received, run, delay
}

func (p *path) send(windows []weir.Window) []weir.WindowResult {
	out := make([]weir.WindowResult, len(windows))
	for i, w := range windows {
		o := &out[i]
		if p.moment != nil {
			p.moment()
		}
		if w.Prime != nil {
			o.PrimeSent, o.PrimeReceived, _, _ = p.flow(w.Prime.Intended, w.Prime.Duration)
			if w.Hold != nil {
				p.flow(w.Hold.Intended, w.Hold.Duration)
			}
			p.now += w.Pause.Seconds()
		}
		o.Begin = seconds(p.now)
		var delay float64
		o.Sent, o.Received, o.LostRun, delay = p.flow(w.Intended, w.Duration)
		o.Delay = seconds(delay)
		p.now += w.Silence.Seconds()
	}
	return out
}
