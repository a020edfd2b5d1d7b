package xdp

import (
	"fmt"
	"time"

	"weir"
)

// The receiver's histograms, as in its program.
const (
	latencies = iota
	longer
	shorter
	roundTrips
)

// histograms is how many of them a receiver keeps.
func (o ReceiverOptions) histograms() uint32 {
	switch {
	case o.RoundTrip:
		return roundTrips + 1
	case o.Variation:
		return shorter + 1
	}
	return latencies + 1
}

// Latency is the histogram of all test frames since the last Reset.
func (r *Receiver) Latency() (weir.Histogram, error) { return r.histogram(latencies) }

// RoundTrip is the histogram of the test frames that were sent from here and came back
// since the last Reset; empty when the receiver does not time them.
func (r *Receiver) RoundTrip() (weir.Histogram, error) {
	if !r.options.RoundTrip {
		return weir.Histogram{}, nil
	}
	return r.histogram(roundTrips)
}

// Variation are the changes of delay from one frame of a stream to the next
// since the last Reset; nil when the receiver does not compare them.
func (r *Receiver) Variation() (*weir.Variation, error) {
	if !r.options.Variation {
		return nil, nil
	}
	var v weir.Variation
	var err error
	if v.Longer, err = r.histogram(longer); err != nil {
		return nil, err
	}
	v.Shorter, err = r.histogram(shorter)
	return &v, err
}

// recent is the number of sequences of a stream within which delays are compared:
// RECENT of the program.
const recent = 4096

// delays is how many delays a receiver keeps, to compare them.
func (o ReceiverOptions) delays() int {
	if !o.Variation {
		return 0
	}
	return Streams * recent
}

// clearDelays forgets the delays of a stream.
func (r *Receiver) clearDelays(id uint32) error {
	if !r.options.Variation {
		return nil
	}
	return writeArrayAt(r.objects.Delays, int(id)*recent, make([]receiverDelayed, recent))
}

// histogram adds up what the CPUs entered into one histogram.
func (r *Receiver) histogram(which uint32) (weir.Histogram, error) {
	var h weir.Histogram
	perCPU := make([]receiverLatency, cpus())
	if err := r.objects.Latencies.Lookup(which, &perCPU); err != nil {
		return h, fmt.Errorf("read the receiver's latencies: %w", err)
	}
	for _, c := range perCPU {
		one := weir.Histogram{Counts: make(map[int]uint64), N: c.Count, Sum: c.Sum, Min: c.Min, Max: c.Max}
		for b, n := range c.Buckets {
			if n > 0 {
				one.Counts[b] = n
			}
		}
		h.Merge(one)
	}
	return h, nil
}

// Tagged are the latencies of the tagged frames since the last Reset: those of
// one stream after another, in the order of their sequences. One that did not
// arrive has -1. Nil when none are tagged.
func (r *Receiver) Tagged() ([]time.Duration, error) {
	kept, err := readArray(r.objects.Tagged, Streams*r.options.Tags)
	if kept == nil {
		return nil, err
	}
	out := make([]time.Duration, len(kept))
	for i, k := range kept {
		out[i] = time.Duration(k) - 1 // the latency plus one was kept
	}
	return out, nil
}

// Steps are the distinct, intact test frames since the last Reset by the step
// of the grid in which they were sent; nil without a timeline.
func (r *Receiver) Steps() ([]uint32, error) { return readSteps(r.objects.Steps, r.options.Steps) }
