package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"sync"
	"time"
)

// MaxSpeeds is the largest number of speeds of a simulated DUT.
const MaxSpeeds = 8

// DefaultSpeedTime is the mean time for which a simulated DUT keeps a speed whose
// truth does not say so.
const DefaultSpeedTime = 2 * time.Second

const speedDraws = 0x73706565

// speeds are those that a truth has.
func (c Config) speeds() []float64 {
	n := 0
	for n < len(c.Speeds) && c.Speeds[n] > 0 {
		n++
	}
	return c.Speeds[:n]
}

// checkSpeeds reports whether the speeds are positive, at most 100, and have no gap.
func (c Config) checkSpeeds() bool {
	for i, v := range c.Speeds {
		if !(v >= 0 && v <= 100) || v > 0 && i > 0 && c.Speeds[i-1] == 0 {
			return false
		}
	}
	return true
}

// clock tells when the trials of a router begin: each when the one before it ended,
// and the first one at its number in seconds, so that a campaign that goes on after
// an interruption does not meet the speeds of its first trials again. A trial that is
// performed again begins when it did before. The zero value is ready.
type clock struct {
	sync.Mutex
	zero  time.Time          // when the first trial would have been number 0
	now   float64            // s, since then
	began map[uint64]float64 // s, by number of the trial
}

// begin tells when the trial of a number begins, in s, and lets its time pass.
func (c *clock) begin(number uint64, length time.Duration) float64 {
	c.Lock()
	defer c.Unlock()
	at, ok := c.began[number]
	if ok {
		return at
	}
	if c.began == nil {
		c.zero, c.began, c.now = time.Now(), map[uint64]float64{}, float64(number)
	}
	at = c.now
	c.began[number] = at
	c.now += length.Seconds()
	return at
}

// start returns the date at which a trial began that began at a time in s.
func (c *clock) start(began float64) time.Time {
	c.Lock()
	defer c.Unlock()
	return c.zero.Add(seconds(began))
}

// atSpeeds gives the stretches of so many seconds from a time on in which a DUT keeps
// its speed. Time counts from that one; the last stretch is endless.
func (d dut) atSpeeds(from, length float64) (out []stretch) {
	all := d.speeds()
	if len(all) == 0 {
		return []stretch{{math.Inf(1), 1}}
	}
	random := rand.New(rand.NewPCG(d.Seed^speedDraws, 0))
	speed := random.IntN(len(all))
	for at := 0.; ; {
		at += cmp.Or(d.SpeedTime, DefaultSpeedTime).Seconds() * random.ExpFloat64()
		switch {
		case len(all) == 1 || at >= from+length:
			return append(out, stretch{math.Inf(1), all[speed]})
		case at > from:
			out = append(out, stretch{at - from, all[speed]})
		}
		speed = (speed + 1 + random.IntN(len(all)-1)) % len(all) // another one
	}
}

// multiply gives the stretches in which neither of two processes moves: the product of
// what they do to the capacity.
func multiply(a, b []stretch) []stretch {
	if len(b) == 1 && b[0].pace == 1 {
		return a
	}
	out := make([]stretch, 0, len(a)+len(b))
	for i, k := 0, 0; ; {
		end := min(a[i].end, b[k].end)
		out = append(out, stretch{end, a[i].pace * b[k].pace})
		if math.IsInf(end, 1) {
			return out
		}
		if a[i].end == end {
			i++
		}
		if b[k].end == end {
			k++
		}
	}
}
