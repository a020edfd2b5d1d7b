package xdp

import (
	"fmt"
	"math"
	"time"
)

// Arrived is what came of the frames that were sent in one window.
type Arrived struct {
	Received uint64        // distinct and intact
	Missing  uint64        // frames that did not come between two of their stream, sent in the window too, that did
	Run      uint64        // of these the most, one after the other
	Delay    time.Duration // the greatest
	Gap      time.Duration // the longest time from one arrival at a CPU to the next
}

// expect makes the receiver count the frames of windows that begin then, if it
// was loaded for windows.
func (r *Receiver) expect(windows []time.Duration) error {
	if r.options.Windows == 0 {
		return nil // it counts none
	}
	if len(windows) > r.options.Windows {
		return fmt.Errorf("%d windows are more than the %d that the receiver was loaded for", len(windows), r.options.Windows)
	}
	bounds := make([]uint64, r.options.Windows+1)
	for i := range bounds {
		bounds[i] = math.MaxUint64
		if i < len(windows) {
			bounds[i] = uint64(windows[i])
		}
	}
	if err := writeArray(r.objects.Bounds, bounds); err != nil {
		return err
	}
	if err := writeArray(r.objects.Arrivals, make([]receiverArrived, r.options.Windows*cpus())); err != nil {
		return err
	}
	return r.objects.Places.Put(uint32(0), make([]receiverPlace, cpus()))
}

// Arrivals are those of the first n windows since the last Reset, all CPUs
// together. Gaps between frames are known of streams alone whose frames were not
// overtaken, and arrived at one CPU.
func (r *Receiver) Arrivals(n int) ([]Arrived, error) {
	kept := make([]receiverArrived, r.options.Windows*cpus())
	if err := readInto(r.objects.Arrivals, kept); err != nil {
		return nil, err
	}
	all := make([]Arrived, n)
	for i, k := range kept {
		if at := i % r.options.Windows; at < n {
			all[at] = all[at].With(Arrived{k.Received, k.Missing, k.Run, time.Duration(k.Delay), time.Duration(k.Gap)})
		}
	}
	return all, nil
}

// With is what two receivers, or two CPUs, saw of one window.
func (a Arrived) With(b Arrived) Arrived {
	return Arrived{a.Received + b.Received, a.Missing + b.Missing, max(a.Run, b.Run), max(a.Delay, b.Delay), max(a.Gap, b.Gap)}
}
