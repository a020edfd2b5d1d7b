package xdp

import (
	"math"
	"time"
)

// MaxSides is the number of ports that one thread sends through at most: SIDES
// of the programs.
const MaxSides = 16

// Order is what one trial asks of one sending thread.
type Order struct {
	Load
	Then    *Load           // a second load, from the moment at which the first one's duration is over; nil: none. Both have a rate and a number of frames.
	Streams [MaxSides]uint8 // identify the thread's frames, by side
	Trial   uint8           // identifies the trial's frames, 1-255
	Start   time.Duration   // when to begin, on the clock of Now; later, with all that follows, when the kernel takes longer
	Grid    Grid            // of the timeline of what is sent; its Steps are those that the sender was opened with
	CPU     int
}

// Load is a rate for a time.
type Load struct {
	Rate     float64       // frames/s of all sides together; 0: as many as possible
	Duration time.Duration // 0: until all of Frames are sent
	Frames   uint64        // how many to send at most; 0: no limit
	Burst    int           // frames that leave back to back each time, of all sides together; 0 means 1. No meaning without a rate.
	Phase    time.Duration // when the first frame is due after the start
}

// Sent is what a sending thread did.
type Sent struct {
	Frames      uint64           // built and handed to the driver, which may have refused some
	Sides       [MaxSides]uint64 // of which through each side
	First, Last time.Duration    // when, on the clock of Now
	Stalls      uint64           // frames that left late by more than may leave back to back
	Longest     time.Duration    // how late the latest of them was
	Burst       int              // frames that may have left back to back
	Steps       []uint32         // frames by the step of the order's grid in which they were sent; nil without one

	// Broadcasts are frames that were built besides, by side: broadcast frames,
	// which the driver counts like all others.
	Broadcasts [MaxSides]uint64
}

// End is when the last frames of an order may leave at the latest.
func (o Order) End() time.Duration {
	all := o.schedules()
	return time.Duration(all[len(all)-1].end)
}

// BackToBack is how many frames of an order may leave back to back.
func (o Order) BackToBack() int {
	n := 0
	for _, l := range o.loads() {
		n = max(n, l.pace().Burst*l.burst())
	}
	return n
}

// loads are the loads of an order, in turn.
func (o Order) loads() []Load {
	if o.Then == nil {
		return []Load{o.Load}
	}
	return []Load{o.Load, *o.Then}
}

// schedule says when the frames of a load are due: struct phase of the
// programs.
type schedule struct {
	first, end, count, burst       uint64
	period, fraction, quick, ahead uint64
}

// schedules are those of an order's loads.
func (o Order) schedules() []schedule {
	var all []schedule
	start := o.Start
	for _, l := range o.loads() {
		p := l.pace()
		s := schedule{
			first: uint64(start + l.Phase), end: uint64(start + l.Duration + p.grace()),
			count: l.Frames, burst: uint64(l.burst()),
			period: p.period, fraction: p.fraction, quick: p.quick, ahead: p.quick * uint64(p.Burst-1),
		}
		if l.Frames == 0 {
			s.count = math.MaxUint64
		}
		if l.Duration == 0 {
			s.end = math.MaxInt64
		}
		all = append(all, s)
		start += l.Duration
	}
	return all
}

// length is how long an order lasts; 0 when it says no time.
func (o Order) length() time.Duration {
	var d time.Duration
	for _, l := range o.loads() {
		d += l.Duration
	}
	return d
}

// frames is how many an order asks for at most; 0: no limit.
func (o Order) frames() (n uint64) {
	for _, l := range o.loads() {
		n += l.Frames
	}
	return n
}

// burst is how many frames leave at once. Without a rate that is no matter.
func (l Load) burst() int {
	if l.Rate == 0 {
		return 1
	}
	return max(l.Burst, 1)
}

// pace is the schedule of a load's bursts.
func (l Load) pace() Pace {
	p := Pacing(l.Rate / float64(l.burst()))
	if l.Rate > 0 {
		p.Batch = max(p.Batch, min(l.burst(), maxBatch))
	}
	return p
}
