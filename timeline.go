package weir

import (
	"cmp"
	"slices"
	"time"
)

// How much of a timeline is kept.
const (
	MaxIntervals = 1000 // of a timeline
	MaxEpisodes  = 1000 // of a timeline
)

// Timeline says which frames of a trial came back, by the time at which they
// were sent.
type Timeline struct {
	Resolution time.Duration `json:"resolution"` // the least sending time that was told apart
	Intervals  []Interval    `json:"intervals"`  // of the whole trial, equally long but for the last
	Episodes   []Episode     `json:"episodes,omitempty"`
	More       int           `json:"more,omitempty"` // episodes beyond MaxEpisodes, which were shorter
	LastLoss   time.Duration `json:"last_loss"`      // before when the last frame was sent that did not come back, by no more than Known; 0: none

	// Precision is how well LastLoss is known where that is better than to one
	// Resolution: LastLoss is then when the next frame of the same stream was
	// sent, which came back, and this the time between two of them. 0: it is
	// known to the Resolution.
	Precision time.Duration `json:"precision,omitempty"`
}

// Known is how well LastLoss is known.
func (t Timeline) Known() time.Duration { return cmp.Or(t.Precision, t.Resolution) }

// KnownEdges is how well an episode's edges are known.
func (t Timeline) KnownEdges(e Episode) time.Duration { return cmp.Or(e.Precision, t.Resolution) }

// Interval is what was sent from a time on, since the start of sending, until
// the next interval begins.
type Interval struct {
	From     time.Duration `json:"from"`
	Sent     uint64        `json:"sent"`
	Received uint64        `json:"received"`
}

// Episode is a span of sending time in which frames were lost in every step of
// the resolution that had any: from the first step with a loss to the end of
// the last one. Where a Precision says that they are known better, its edges
// are when the last frame before it was sent that came back, and the first one
// after it.
type Episode struct {
	From      time.Duration `json:"from"`
	Until     time.Duration `json:"until"`
	Lost      uint64        `json:"lost"`
	Precision time.Duration `json:"precision,omitempty"` // the time between two frames; 0: the edges are known to the Resolution
}

// NewTimeline makes a timeline of the frames that were sent in each step of
// the resolution and of those of them that came back. Both have the same
// length. Of more than MaxEpisodes the longest are kept.
func NewTimeline(resolution time.Duration, sent, received []uint32) Timeline {
	t := Timeline{Resolution: resolution}
	per := max(1, (len(sent)+MaxIntervals-1)/MaxIntervals)
	open := false // whether the last episode may go on
	for i := range sent {
		from := time.Duration(i) * resolution
		if i%per == 0 {
			t.Intervals = append(t.Intervals, Interval{From: from})
		}
		v := &t.Intervals[len(t.Intervals)-1]
		v.Sent += uint64(sent[i])
		v.Received += uint64(received[i])
		switch {
		case sent[i] > received[i]:
			t.LastLoss = from + resolution
			if !open {
				t.Episodes = append(t.Episodes, Episode{From: from})
				open = true
			}
			e := &t.Episodes[len(t.Episodes)-1]
			e.Until = from + resolution
			e.Lost += uint64(sent[i] - received[i])
		case sent[i] > 0:
			open = false
		}
	}
	t.bound()
	return t
}

// bound drops the shortest of too many episodes, the later ones of those that
// are as short.
func (t *Timeline) bound() {
	t.More = max(0, len(t.Episodes)-MaxEpisodes)
	if t.More == 0 {
		return
	}
	slices.SortStableFunc(t.Episodes, func(a, b Episode) int { return cmp.Compare(b.Until-b.From, a.Until-a.From) })
	t.Episodes = slices.Clone(t.Episodes[:MaxEpisodes])
	slices.SortFunc(t.Episodes, func(a, b Episode) int { return cmp.Compare(a.From, b.From) })
}

// Longest is the longest episode; the zero Episode when nothing was lost.
func (t Timeline) Longest() Episode {
	var longest Episode
	for _, e := range t.Episodes {
		if e.Until-e.From > longest.Until-longest.From {
			longest = e
		}
	}
	return longest
}
