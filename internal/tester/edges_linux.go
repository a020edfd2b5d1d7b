package tester

import (
	"time"

	"weir"
	"weir/internal/xdp"
)

// edges are what the receivers noted of the frames beside those that were
// lost, which are closer to these than the steps of a timeline in a long trial.
type edges struct {
	gaps  []xdp.Gaps    // of all streams
	zero  time.Duration // from when on the timeline counts, on the clock of Now
	first time.Duration // when the first frame was sent, less than a step later
	apart time.Duration // from one frame of a stream to the next to the same port
}

// edgesOf are those of a trial whose threads sent the first frame then; known is
// false when frames were overtaken, or when nobody knows how far frames of a
// stream are apart.
func edgesOf(trial weir.Trial, grid xdp.Grid, threads int, first time.Duration, a Arrival) (e edges, known bool) {
	if trial.Maximum || !a.GapsKnown {
		return e, false
	}
	return edges{
		gaps: a.Gaps, zero: grid.Start + time.Duration(grid.Step(first))*grid.Resolution(),
		first: first, apart: spacing(trial, threads),
	}, true
}

// spacing is how far frames of one stream to one port are apart, in the slower
// phase of a trial.
func spacing(trial weir.Trial, threads int) time.Duration {
	slowest := trial.Intended
	if trial.Then != nil {
		slowest = min(slowest, trial.Then.Intended)
	}
	between := max(trial.Traffic.Burst, 1) * trial.Traffic.PortPairs() * threads
	return time.Duration(float64(between) / slowest * float64(time.Second))
}

// refine sets the time of the last loss, and the edges of episodes that are one
// gap in each stream, to those of the frames beside them. What does not agree
// with the steps of the timeline stays as it is: all of it when other frames
// are missing than were lost, as where some were lost until the end.
func (e edges) refine(t *weir.Timeline) {
	var missing, lost uint64
	for _, g := range e.gaps {
		missing += g.Missing
	}
	for _, v := range t.Intervals {
		lost += v.Sent - v.Received
	}
	if missing != lost {
		return
	}
	for i := range t.Episodes {
		e.episode(&t.Episodes[i], t.Resolution)
	}
	var last xdp.Gap
	for _, g := range e.gaps {
		if g.Last.After > last.After {
			last = g.Last
		}
	}
	precision := e.precision(last)
	if last.Missing > 0 && ends(last.After-e.zero, t.LastLoss, t.Resolution, precision) {
		t.LastLoss, t.Precision = e.at(min(last.After-e.zero, t.LastLoss)), precision
	}
}

// episode refines one whose frames are those of the longest gaps within it.
func (e edges) episode(s *weir.Episode, step time.Duration) {
	var all xdp.Gap // of all streams
	precision := time.Duration(0)
	for _, g := range e.gaps {
		l := g.Longest
		if l.Missing == 0 || l.After-e.zero <= s.From || l.Before-e.zero >= s.Until {
			continue
		}
		if all.Missing == 0 || l.Before < all.Before {
			all.Before = l.Before
		}
		all.After = max(all.After, l.After)
		all.Missing += l.Missing
		precision = max(precision, e.precision(l))
	}
	from, until := all.Before-e.zero, all.After-e.zero
	if all.Missing != s.Lost || !begins(from, s.From, step, precision) || !ends(until, s.Until, step, precision) {
		return
	}
	s.From, s.Until, s.Precision = e.at(max(from, s.From)), e.at(min(until, s.Until)), precision
}

// precision is how far a lost frame was from the one beside its gap: as far as
// frames are apart, or more where the sender was late.
func (e edges) precision(g xdp.Gap) time.Duration {
	g.Before = max(g.Before, e.first)
	return max(e.apart, g.Distance())
}

// at is a time of the timeline since the first frame.
func (e edges) at(t time.Duration) time.Duration { return max(0, t+e.zero-e.first) }

// begins reports whether a frame was the last one before a loss in the step
// that begins at a time, with frames so far apart.
func begins(frame, from, step, apart time.Duration) bool {
	return apart < step && frame < from+step && frame+apart >= from
}

// ends reports whether a frame was the first one after a loss in the step that
// ends at a time, with frames so far apart.
func ends(frame, until, step, apart time.Duration) bool {
	return apart < step && frame > until-step && frame-apart < until
}
