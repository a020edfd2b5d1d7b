package xdp

import (
	"math"
	"time"
)

// How a paced generator spreads its frames. Each frame has its place in the
// schedule, n / rate after the start. After a stall the frames that are due
// already leave at most maxBurst at a time and then faster than the rate by a
// share of 1/makeUp, until the schedule is met again or the trial ends. What
// was not sent by then is missing from the offered load and reported.
const (
	maxBurst  = 64                    // frames; a veth port's ring holds 256
	maxBatch  = 256                   // turns
	burstTime = 64 * time.Microsecond // what may leave at once after a stall is worth no more
	makeUp    = 64
	overdue   = 2 * time.Second  // a program that has not ended by then after its time never will
	patience  = 30 * time.Second // one that has no time, or has not begun, never goes on
	finishing = time.Millisecond // frames due before the end may leave until then
)

// Pace is the schedule of a rate.
type Pace struct {
	Burst int // frames that may leave back to back
	Batch int // turns of the program after which the driver is told to send

	period, fraction, quick uint64
}

// Pacing is the schedule for a rate in frames/s; 0 means as fast as possible.
//
// Frames leave at the end of a batch of turns, each of some 50 ns, so the batch
// is what a transmit time stamp may be early by: small where frames are far
// apart. It is also how many pages the kernel keeps for reuse; with fewer of
// them than there are frames under way, each frame costs an allocation.
func Pacing(rate float64) Pace {
	if rate <= 0 {
		return Pace{Burst: 256, Batch: maxBatch}
	}
	period := 1e9 / rate
	whole := math.Floor(period)
	p := Pace{
		Burst:    min(max(int(rate*burstTime.Seconds()), 1), maxBurst),
		Batch:    64,
		period:   uint64(whole),
		fraction: uint64((period - whole) * (1 << 32)),
		quick:    uint64(period * (makeUp - 1) / makeUp),
	}
	switch {
	case rate <= 50e3:
		p.Batch = 8
	case rate <= 250e3:
		p.Batch = 16
	case rate <= 500e3:
		p.Batch = 32
	case rate > 1.1e6:
		p.Batch = maxBatch
	}
	return p
}

// grace is how long after its end a trial may still send frames that are due.
func (p Pace) grace() time.Duration {
	if p.period == 0 {
		return 0
	}
	return finishing
}
