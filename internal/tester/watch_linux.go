package tester

import (
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
	"weir/internal/xdp"
)

// watch is what a trial wants to know besides how many frames came back.
type watch struct {
	grid      xdp.Grid // of its timeline, without a start
	tags      xdp.Tags
	tagged    int // frames of each stream
	variation bool
	windows   int             // that are counted apart at most; 0: none
	begins    []time.Duration // of these, once they are ordered
	ahead     time.Duration   // of the clock here, from that of a sender at another machine
	back      uint32          // of how many frames of a stream one is sent back; 0: of none
}

// watching is what a trial asks for. It is an error when its tagged frames
// would be sent after its end.
func (t *XDP) watching(trial weir.Trial) (watch, error) {
	w := watch{grid: grid(trial), variation: trial.Variation}
	if len(trial.Windows) > 0 {
		w.windows = room(len(loads(trial)))
	}
	if trial.Tags.Count == 0 {
		return w, nil
	}
	load := loads(trial)[0]
	streams := uint64(threads([]xdp.Load{load}, len(t.config.CPUs.Generator)) * sides(trial))
	each := load.Frames / streams
	w.tags.First = uint64(math.Ceil(trial.Tags.After.Seconds() * load.Rate / float64(streams)))
	if w.tags.First >= each {
		return w, fmt.Errorf("frames are to be tagged from %v on, but sending ends after %v: take a longer trial", trial.Tags.After, sending(trial))
	}
	if w.tags.Step = max((each-w.tags.First)/uint64(trial.Tags.Count), 1); trial.Tags.Fates {
		w.tags.Step = 1
	}
	w.tagged = int(min(uint64(trial.Tags.Count), each-w.tags.First))
	return w, nil
}

// grid is that of a trial's timeline, without a start.
func grid(trial weir.Trial) xdp.Grid {
	if trial.Resolution <= 0 {
		return xdp.Grid{}
	}
	return xdp.NewGrid(trial.Resolution, sending(trial))
}

// watch makes the receivers of a trial keep what it wants to know.
func (t *XDP) watch(trial weir.Trial, w watch) error {
	all := t.listening(trial)
	sessions, err := t.sessions(trial)
	if err != nil {
		return err
	}
	return atOnce(len(all), func(i int) error {
		o := all[i].Options()
		o.Seldom = w.windows > 0 // or the receiver would keep the generator from its CPU where they share one
		o.Variation, o.Tags, o.Steps, o.Windows, o.Elsewhere = w.variation, w.tagged, w.grid.Steps, w.windows, 0
		if o.Sessions = nil; t.comesInside(trial, all[i]) {
			o.Sessions = sessions
		}
		if w.variation || w.grid.Steps > 0 || w.windows > 0 {
			o.Elsewhere = max(trial.Traffic.Pairs, 1) - 1
		}
		return all[i].Change(o)
	})
}

// saw adds what the receivers of the trial kept for it.
func saw(r *weir.TrialResult, w watch, sent []xdp.Sent, a Arrival) {
	sawWindows(r, w.begins, sent, a)
	grid := w.grid
	if r.Trial.Tags.Fates {
		r.Fates = append(r.Fates, fates(r.Trial, w, sent, a.Tagged)...)
	} else {
		r.Tagged = slices.DeleteFunc(together(r.Tagged, a.Tagged), func(d time.Duration) bool { return d < 0 })
	}
	r.Variation = a.Variation
	if grid.Steps > 0 {
		received := make([]uint32, grid.Steps)
		addSteps(received, a.Steps)
		length := sending(r.Trial)
		if r.Trial.Maximum {
			length = r.Sending
		}
		r.Timeline = timeline(grid, sent, received, length)
		refine(r, grid, sent, a)
	}
}

// fates are which of the first frames of each stream came back.
func fates(trial weir.Trial, w watch, sent []xdp.Sent, tagged []time.Duration) (all []weir.Fate) {
	for side := range sides(trial) {
		for thread, s := range sent {
			f := weir.NewFate(source(trial, side), int(min(uint64(w.tagged), s.Sides[side])))
			own := tagged[identity(trial, side, thread)*w.tagged:]
			for i := range f.Sent {
				if own[i] >= 0 {
					f.Return(i)
				}
			}
			all = append(all, f)
		}
	}
	return all
}

// refine makes the timeline as exact as the frames beside the lost ones are.
func refine(r *weir.TrialResult, grid xdp.Grid, sent []xdp.Sent, a Arrival) {
	first, some := began(sent)
	if !some {
		return
	}
	if e, known := edgesOf(r.Trial, grid, len(sent), first, a); known {
		e.refine(r.Timeline)
	}
}

// together are the tagged frames of one more receiver among those of others: a
// stream's frames arrive at several of them.
func together(all, tagged []time.Duration) []time.Duration {
	if all == nil {
		return tagged
	}
	for i, d := range tagged {
		all[i] = max(all[i], d)
	}
	return all
}

// timeline is that of all threads, from the first frame on.
func timeline(grid xdp.Grid, sent []xdp.Sent, received []uint32, length time.Duration) *weir.Timeline {
	all := make([]uint32, grid.Steps)
	for _, s := range sent {
		addSteps(all, s.Steps)
	}
	first, some := began(sent)
	if !some {
		return &weir.Timeline{Resolution: grid.Resolution()}
	}
	begin, end := grid.Step(first), grid.Step(first+max(length, 1)-1)+1
	for i := end; i < grid.Steps; i++ {
		if all[i]+received[i] > 0 {
			end = i + 1 // of a thread that began late
		}
	}
	t := weir.NewTimeline(grid.Resolution(), all[begin:end], received[begin:end])
	return &t
}

// began is when the first frame of all threads was sent, if there is one.
func began(sent []xdp.Sent) (first time.Duration, some bool) {
	for _, s := range sent {
		if s.Frames > 0 && (!some || s.First < first) {
			first, some = s.First, true
		}
	}
	return first, some
}

func addSteps(sum, steps []uint32) {
	for i, n := range steps {
		sum[i] += n
	}
}
