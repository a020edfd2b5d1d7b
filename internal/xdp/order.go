package xdp

import (
	"errors"
	"fmt"
	"math"
	"time"

	"weir"
)

// MaxSides is the number of ports that one thread sends through at most: SIDES
// of the programs.
const MaxSides = 16

// MaxLoads is the number of loads of an order at most: each window of a trial,
// and what it is primed and held with.
const MaxLoads = 3 * weir.MaxWindows

// Order is what one trial asks of one sending thread.
type Order struct {
	Load
	Then    []Load          // that follow it, each when the one before it and its silence are over; none, or all of them have a rate and a number of frames
	Streams [MaxSides]uint8 // identify the thread's frames, by side
	Trial   uint8           // identifies the trial's frames, 1-255
	Start   time.Duration   // when to begin, on the clock of Now; a single load begins later, and ends so, when the kernel takes longer
	Grid    Grid            // of the timeline of what is sent; its Steps are those that the sender was opened with
	CPU     int
}

// Load is a rate for a time: a window of a trial.
type Load struct {
	Rate     float64       // frames/s of all its sides together; 0: as many as possible
	Duration time.Duration // 0: until all of Frames are sent
	Silence  time.Duration // after it
	Frames   uint64        // how many to send at most; 0: no limit
	Burst    int           // frames that leave back to back each time, of all sides together; 0 means 1. No meaning without a rate.
	Phase    time.Duration // when the first frame is due after its beginning
	Side     int           // the side that sends alone, from 1; 0: all take turns
}

// Sent is what a sending thread did.
type Sent struct {
	Frames      uint64           // built and handed to the driver, which may have refused some
	Sides       [MaxSides]uint64 // of which through each side
	First, Last time.Duration    // when, on the clock of Now
	Stalls      uint64           // frames that left late by more than may leave back to back
	Longest     time.Duration    // how late the latest of them was; without a rate, for how long none left
	Burst       int              // frames that may have left back to back
	Loads       []Departed       // what left of each load
	Steps       []uint32         // frames by the step of the order's grid in which they were sent; nil without one

	// Broadcasts are frames that were built besides, by side: broadcast frames,
	// which the driver counts like all others.
	Broadcasts [MaxSides]uint64
}

// Paused is for how long the thread did not run in all its loads.
func (s Sent) Paused() (all time.Duration) {
	for _, l := range s.Loads {
		all += l.Paused
	}
	return all
}

// Departed is what left of one load.
type Departed struct {
	Frames  uint64        // built and handed to the driver
	Longest time.Duration // how late the latest of them was that was late by more than may leave back to back
	Gap     time.Duration // the longest time in which the sender did not run: did not ask what is due, or in user space, was late
	Paused  time.Duration // the sum of those of more than 5 ms
}

// End is when the last frames of an order may leave at the latest.
func (o Order) End() time.Duration {
	all := o.schedules(1)
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
func (o Order) loads() []Load { return append([]Load{o.Load}, o.Then...) }

// schedule says when the frames of a load are due: struct window of the
// programs.
type schedule struct {
	first, end, count, burst       uint64
	period, fraction, quick, ahead uint64
	side, until                    uint32
}

// schedules are those of an order's loads, through so many sides.
func (o Order) schedules(sides int) []schedule {
	var all []schedule
	begins := o.Begins()
	for i, l := range o.loads() {
		p := l.pace()
		s := schedule{
			first: uint64(begins[i] + l.Phase), end: uint64(begins[i] + l.Duration + l.grace(p, i == len(o.Then))),
			count: l.Frames, burst: uint64(l.burst()),
			period: p.period, fraction: p.fraction, quick: p.quick, ahead: p.quick * uint64(p.Burst-1),
			until: uint32(sides),
		}
		if l.Side > 0 {
			s.side, s.until = uint32(l.Side-1), uint32(l.Side)
		}
		if l.Frames == 0 {
			s.count = math.MaxUint64
		}
		if l.Duration == 0 {
			s.end = math.MaxInt64
		}
		all = append(all, s)
	}
	return all
}

// grace is how long after a load's end frames that were due before may leave: no
// longer than its silence, where another load follows.
func (l Load) grace(p Pace, last bool) time.Duration {
	if last {
		return p.grace()
	}
	return min(p.grace(), l.Silence)
}

// Begins are when the loads of an order begin, on the clock of Now.
func (o Order) Begins() []time.Duration {
	var all []time.Duration
	begin := o.Start
	for _, l := range o.loads() {
		all = append(all, begin)
		begin += l.Duration + l.Silence
	}
	return all
}

// length is how long an order lasts; 0 when it says no time.
func (o Order) length() time.Duration {
	var d time.Duration
	for _, l := range o.loads() {
		d += l.Duration + l.Silence
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

// Check says what of an order no sender can do: loads that follow each other and
// have no rate, time or number of frames, or are too many.
func (o Order) Check() error {
	if len(o.Then) >= MaxLoads {
		return fmt.Errorf("%d loads are more than the %d that a sender takes", len(o.Then)+1, MaxLoads)
	}
	for _, l := range o.loads() {
		if (l.Rate > 0) != (o.Rate > 0) {
			return errors.New("of the loads of one run some have a rate and others have none")
		}
		if l.Duration == 0 && (l.Frames == 0 || len(o.Then) > 0) {
			return errors.New("a load needs a duration, or one alone a number of frames")
		}
	}
	return nil
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
