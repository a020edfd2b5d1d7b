package method

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/search"
)

// backToBack measures how many frames with the least gap between them the DUT
// takes without losing one (RFC 2544 section 26.4). Each trial is one burst,
// and a search by its length ends when the longest burst without loss and the
// shortest with loss are within Width. That is done Trials times from the
// start; the value is the mean of what was found, over all ports, and Lower and
// Upper are the least and the most. Trial is how long the longest burst lasts
// that is tried.
//
// Bursts are sent at the rate of the medium, or else as fast as the tester can;
// the rate of those that were found is a figure. A burst without loss that the
// tester was held up in says nothing: it is sent again, and where that does not
// help the tester ends the search. The ledger, the latency and the CPU time
// are those of a burst of the median length. Where frames are lost at low loads, too,
// that is found in place of a length.
var backToBack = Method{
	Name:     "back-to-back",
	RFC:      "RFC 2544 section 26.4",
	Summary:  "longest burst of frames with the least gap that loses nothing",
	Check:    claim.CheckBackToBack,
	Earns:    [][]string{{"back-to-back", "RFC 2544 back-to-back"}},
	Means:    "longest burst without loss",
	Takes:    []string{"trial", "width", "maximum"},
	Defaults: backToBackDefaults,
	Quick:    Params{Trial: 200 * time.Millisecond, Trials: 1, Width: .05},
	Book:     Params{Trial: claim.FullBurst, Trials: claim.FullRepetitions},
	Measure:  single(runBackToBack),
}

var backToBackDefaults = Params{Trial: claim.FullBurst, Trials: 5, Width: .005}

func runBackToBack(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := begin(env, p)
	b, err := s.bursts(ctx)
	r := b.result()
	if errors.Is(err, errAnyLoad) {
		s.withFinding(&r)
		return r, ctx.Err()
	}
	if len(s.trials) > 0 {
		s.claim(&r)
	}
	return r, err
}

// bursting is a measurement of bursts under way.
type bursting struct {
	*session
	longest  []weir.TrialResult // without loss, of each repetition; one that lost frames where none lost none
	lossless int                // repetitions in which the longest burst that was tried lost nothing
	limited  int                // repetitions that the tester ended, as it could not send a longer burst
}

// bursts searches for the longest burst without loss, as often as there are to
// be repetitions. Those that were completed can be used along with the error.
func (s *session) bursts(ctx context.Context) (*bursting, error) {
	b := &bursting{session: s}
	rate, _ := s.limit()
	if rate == 0 {
		return b, errNoTop
	}
	goal := search.Goal{
		Width: s.params.Width, Trial: time.Second, // a load of the search is a number of frames
		Maximum: max(1, math.Round(rate*s.params.Trial.Seconds())),
	}
	err := s.early(ctx, 0)
	if err == nil && s.env.Probed.DUTLoss() > 0 { // no trial of a burst says more of low loads
		err = s.examine(ctx, examined, 0)
	}
	if err != nil {
		return b, err
	}
	for range max(s.params.Trials, 1) {
		if err := b.repetition(ctx, goal); err != nil {
			return b, err
		}
		if b.longest[len(b.longest)-1].LossRatio() > 0 { // even the shortest one
			if err := s.examine(ctx, examined, 0); err != nil {
				return b, err
			}
		}
	}
	return b, nil
}

func (b *bursting) repetition(ctx context.Context, goal search.Goal) error {
	first := len(b.trials)
	found, err := search.Run(ctx, goal, func(ctx context.Context, length float64) (search.Observation, error) {
		t, err := b.burst(ctx, length)
		o := search.Observation{Loss: t.LossRatio(), Unsent: t.Unsent(), Forwarded: float64(t.Received) / b.ports()}
		if err == nil && b.stretched(t) {
			o.Loss = max(0, 1-t.OfferedRate()/b.pace()) // what the least gap would have taken more
			o.Loss = max(o.Loss, goal.Width, 1e-9)
			o.Unsent = o.Loss
		}
		return o, err
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	}
	switch found.Limited {
	case search.ByMaximum:
		b.lossless++
	case search.ByTester:
		b.limited++
	}
	own := b.trials[first:]
	longest := slices.IndexFunc(own, func(t weir.TrialResult) bool {
		return t.Trial.Count == count(found.Lower) && t.LossRatio() <= 0 && !b.stretched(t)
	})
	b.longest = append(b.longest, own[max(longest, 0)])
	return nil
}

// stretched reports whether a burst lost nothing and left more slowly than
// bursts do.
func (b *bursting) stretched(t weir.TrialResult) bool {
	return t.LossRatio() <= 0 && claim.Stretched(t, b.pace())
}

// pace is the rate that bursts are held against, in frames/s over all ports:
// that of the medium, or that of the burst that took the longest.
func (b *bursting) pace() float64 {
	if rate, by := b.limit(); by == limitMedium {
		return rate * b.ports()
	}
	return b.tried().OfferedRate()
}

// burst sends frames with the least gap, a number of them from each port.
func (s *session) burst(ctx context.Context, length float64) (weir.TrialResult, error) {
	rate, by := s.limit()
	t := weir.Trial{Count: count(length), Intended: rate}
	if by == limitTester {
		t.Maximum, t.Intended = true, 0
	}
	t.Duration = max(1, time.Duration(float64(t.Count)/rate*float64(time.Second)))
	return s.measure(ctx, t)
}

// count is the number of frames that a search's load is.
func count(length float64) uint64 { return uint64(max(1, math.Round(length))) }

// burstFrames is how long the longest burst without loss was, over all ports; 0 if
// even the shortest one lost frames.
func burstFrames(t weir.TrialResult) float64 {
	if t.LossRatio() > 0 {
		return 0
	}
	return float64(t.Offered)
}

// result is what the repetitions amount to.
func (b *bursting) result() weir.Result {
	r := b.session.result("frames")
	r.Width = b.params.Width
	if len(b.longest) == 0 {
		if len(b.trials) > 0 {
			r.Verdict = claim.NotEnded
		}
		return r
	}
	lengths := each(b.longest, burstFrames)
	r.Value = mean(lengths)
	r.Lower, r.Upper = bounds(b.longest, burstFrames)
	tried := b.tried()
	r.Figures = []weir.Figure{
		{Name: claim.Repetitions, Value: float64(len(lengths))},
		{Name: claim.ShortestBurst, Value: r.Lower, Unit: "frames"},
		{Name: claim.LongestBurst, Value: r.Upper, Unit: "frames"},
		{Name: claim.BurstDeviation, Value: deviation(lengths), Unit: "frames"},
		{Name: burstRate, Value: b.rate(), Unit: "frames/s"},
		{Name: "longest burst tried", Value: float64(tried.Offered), Unit: "frames"},
	}
	b.represent(&r, median(b.longest, burstFrames))
	addWarnings(&r, b.longest...)
	switch medium := b.env.MediaRate * b.ports(); {
	case b.limited > 0:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "the tester was held up in each longer burst, in %d of %d repetitions: the DUT may take more; give the tester more CPUs, or a quieter machine", b.limited, len(b.longest)))
	case b.lossless > 0:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "the longest burst that was tried lost nothing: the DUT forwards at %.0f frames/s, or holds more; give a longer burst (trial)", tried.OfferedRate()))
	case r.Lower == 0:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.SearchLimit, "even a single frame was lost"))
	case tried.Trial.Maximum && medium > 0:
		r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(weir.TesterLimited, "the bursts left at %.0f frames/s, as fast as the tester can, and not at the %.0f of the medium", tried.OfferedRate(), medium))
	}
	return r
}

// rate is the rate of the bursts that were found, in frames/s over all ports; of
// all that were tried where these are too short.
func (b *bursting) rate() float64 {
	frames, sending := 0., time.Duration(0)
	for _, t := range b.longest {
		if t.Trial.Count > 1 && t.LossRatio() <= 0 {
			frames, sending = frames+float64(t.Offered), sending+t.Sending
		}
	}
	if sending <= 0 {
		return b.tried().OfferedRate()
	}
	rate := frames / sending.Seconds()
	if medium := b.env.MediaRate * b.ports(); medium > 0 {
		return min(rate, medium) // times are in ns
	}
	return rate
}

// burstRate is the rate in frames/s over all ports at which bursts left the
// tester.
const burstRate = "burst rate"

// tried is the longest burst that was sent, which shows the rate best.
func (b *bursting) tried() weir.TrialResult {
	return slices.MaxFunc(b.trials, func(x, y weir.TrialResult) int { return int(x.Sending - y.Sending) })
}
