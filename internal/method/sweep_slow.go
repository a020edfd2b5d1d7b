package method

import (
	"context"
	"errors"
	"slices"
	"time"

	"weir"
	"weir/search"
	"weir/sweep"
)

// A queue or bucket that lasts longer than a window lets windows of higher loads through
// without loss. That is so of slow DUTs, and where frames are seen to wait for so long: the
// last round then makes room for overloads, which take half of the time at most.
const (
	slowKnee    = 30_000.               // frames/s per port, below which a sweep looks for it
	leastHidden = 50 * time.Millisecond // that what is held takes to leave, or windows show it
)

// hides reports whether the DUT may hold more than the windows show.
func (s *swept) hides() bool {
	e := s.goal.Estimate(s.passes)
	knee := max(e.Knee.Value, e.Saturated.Value)
	return e.Limited != sweep.ByTester && e.MFR > 0 && (e.Has(sweep.Hidden) || knee < slowKnee) && s.env.Build == 0
}

// longer looks after the last pass at what the DUT forwards in the long run, where it may
// hold more than the windows show. Where there is no time for it, nothing is found.
func (s *swept) longer(ctx context.Context) error {
	if s.env.Round < s.env.Rounds || !s.hides() {
		return nil
	}
	e := s.goal.Estimate(s.passes)
	measure := s.env.Measure
	defer func() { s.env.Measure = measure }()
	s.env.Measure = s.inTime(s.params.Windows.Time/2, measure)
	var err error
	if s.held, err = s.longRun(ctx, max(e.Knee.Value, e.MFR), leastHidden, e.Window); ctx.Err() != nil {
		return err
	}
	return nil
}

// inTime performs trials for as long as they end within a time.
func (s *swept) inTime(left time.Duration, measure weir.Measurer) weir.Measurer {
	return func(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
		if left -= t.Length() + s.pauses(); left < 0 {
			return weir.TrialResult{}, errNoTime
		}
		return measure(ctx, t)
	}
}

const othersWidth = .03 // of the bounds of the rate of the other frames

var errNoTime = errors.New("the time of the sweep is over")

// others searches for the rate of the frames that are not lost at every load, up to a load in
// frames/s per port, in the time that the sweep has left.
func (s *swept) others(ctx context.Context, maximum float64) (search.Outcome, error) {
	left := s.params.Windows.Time
	for _, t := range slices.Concat(s.trials, s.trickles) {
		left -= t.Trial.Length() + s.pauses()
	}
	s.env.Measure = s.inTime(left, s.env.Measure)
	goal := search.Goal{LossRatio: s.params.Loss, Width: othersWidth, Trial: s.params.Trial, Trials: 1, Minimum: s.params.Minimum, Maximum: maximum}
	found, err := search.Run(ctx, goal, func(ctx context.Context, load float64) (search.Observation, error) {
		if s.farBelow(load) {
			return search.Observation{}, errNoTime
		}
		t, err := s.measure(ctx, weir.Trial{Intended: load})
		return s.observation(t), err
	})
	if errors.Is(err, errNoTime) {
		err = nil
	}
	return found, err
}
