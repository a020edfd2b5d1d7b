package xdp

import (
	"errors"
	"fmt"
	"time"
)

// Gap are frames of one stream, one after the other, that did not arrive
// between two that did. The zero value is none.
type Gap struct {
	Missing       uint64        // frames
	Before, After time.Duration // when those two were sent, on the clock of Now; without one before, the start of the grid
}

// Distance is the mean time from one of its frames to the next; 0 without any.
func (g Gap) Distance() time.Duration {
	if g.Missing == 0 {
		return 0
	}
	return (g.After - g.Before) / time.Duration(g.Missing+1)
}

// Gaps are what a receiver knows of the frames of one stream that did not
// arrive before others that did.
type Gaps struct {
	Stream  int
	Missing uint64 // frames in all gaps
	Last    Gap
	Longest Gap // by its frames
}

// Gaps are those of the streams of which a frame arrived since the last Reset;
// none without a timeline. Where frames were overtaken by others, or those of
// one stream arrived at several CPUs, nobody knows them, and known is false.
func (r *Receiver) Gaps() (all []Gaps, known bool, err error) {
	if r.options.Steps == 0 {
		return nil, true, nil
	}
	streams, perCPU := make([]receiverStream, cpus()), make([]receiverGaps, cpus())
	for id := range uint32(Streams) {
		if err := errors.Join(r.objects.Streams.Lookup(id, &streams), r.objects.Gaps.Lookup(id, &perCPU)); err != nil {
			return nil, false, fmt.Errorf("read the receiver's gaps: %w", err)
		}
		arrived := false
		for cpu, s := range streams {
			if s.Received == 0 {
				continue
			}
			if arrived || s.Late > 0 {
				return nil, false, nil
			}
			arrived = true
			g := perCPU[cpu]
			all = append(all, Gaps{
				Stream: int(id), Missing: g.Missing,
				Last:    gap(g.Last.Missing, g.Last.Before, g.Last.After),
				Longest: gap(g.Longest.Missing, g.Longest.Before, g.Longest.After),
			})
		}
	}
	return all, true, nil
}

// gap is one as the program notes it.
func gap(missing, before, after uint64) Gap {
	return Gap{Missing: missing, Before: time.Duration(before), After: time.Duration(after)}
}

// clearGaps forgets the gaps of a stream.
func (r *Receiver) clearGaps(id uint32) error {
	if r.options.Steps == 0 {
		return nil
	}
	return r.objects.Gaps.Put(id, make([]receiverGaps, cpus()))
}
