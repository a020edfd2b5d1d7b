package method

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/losses"
)

// A DUT with a bucket of tokens or a long queue takes more than it forwards for a while,
// and a trial that is not much longer than that finds a rate that is too high. One that
// begins while the queue of the trial before is full finds one that is too low. So a search
// ends with an overload, of which the last part is what leaves in the long run.
const (
	holding               = "long run"            // what its trials are for
	overloadBy            = 2.5                   // times the rate that was found
	leastOver             = 1.2                   // or the overload says nothing
	clearlyOver           = 2.                    // times the rate, of an overload that stalls do not make one
	holdLength            = time.Second           // of an overload
	restLength            = time.Second           // before it
	leastLate             = 20 * time.Millisecond // that half of the frames take, from which on they may come after the wait for them
	grownBy               = .1                    // of the time of a trial without loss, that a tenth of its frames waits, where a queue grows throughout
	nearBy                = 1.1                   // the bounds differ by where it is looked again
	mostLooked            = 2                     // times in a search
	mostHolding           = 16 * time.Second      // that frames are waited for
	longerBy              = 4
	holdSteps             = 100      // of its timeline
	leastHeld             = .5       // of the width that was asked for, that what is held makes of the rate
	leastWidth, mostWidth = .01, .05 // that are taken for that
	mostDiffering         = .03      // by which a load little above the rate may show less than an overload
	littleOver            = 1.15     // times the rate, of the load of these
	fillTries             = 3
	fullShare             = .8  // of the time at that load, the last part of it
	leastFilled           = .03 // of the frames of these are lost, or the load is not above the rate
)

// Figures of a DUT that holds more than passes in a trial.
const (
	HeldFrames    = "frames that are held" // in a queue or a bucket, above the rate
	LongRunOctets = "octets/s in the long run"
)

// held is what a search found of a DUT that holds frames.
type held struct {
	losses.Hold
	limit     losses.Limit
	perSecond float64 // of what the limit is one of; 0: that is not known
	tried     weir.Size
	overload  weir.TrialResult
	length    time.Duration // of the trials of the search
}

// errHeld ends a search for the rate of a DUT that holds more than passes in a trial.
var errHeld = errors.New("the DUT holds more than passes in a trial")

// inBetween looks, as soon as a search knows its rate within a factor of two, and again when
// it knows it better, whether the DUT holds more than passes in a trial of a length. It is
// errHeld where that is so.
func (s *session) inBetween(ctx context.Context, loss float64, length time.Duration) error {
	lower, upper := 0., math.Inf(1)
	for _, t := range s.trials {
		switch met := s.lossOf(t) <= loss; {
		case t.Trial.Maximum || t.Inconclusive(loss):
		case met:
			lower = max(lower, t.Trial.Intended)
		default:
			upper = min(upper, t.Trial.Intended)
		}
	}
	last, near := s.trials[len(s.trials)-1], []float64{2, nearBy}
	grows := s.lossOf(last) <= loss && last.Latency.Quantile(.9)-float64(last.Latency.Min)/1e9 > grownBy*last.Trial.Duration.Seconds()
	switch {
	case s.looked == mostLooked || upper > near[s.looked]*lower && !grows:
		return nil
	case grows:
		upper = last.Trial.Intended // which a queue has taken
	}
	s.looked++
	var err error
	width := min(max(s.params.Width, leastWidth), mostWidth)
	s.held, err = s.longRun(ctx, upper, time.Duration(leastHeld*width*float64(length)), length)
	if h := s.held; grows && h != nil && !(h.Waits && h.Frames > grownBy/2*length.Seconds()*h.Rate) {
		s.held = nil // it is none that the frames have waited in
	}
	if err == nil && s.held != nil {
		err = errHeld
	}
	return err
}

// longRun overloads a DUT, of which a load in frames/s per port is more than it forwards, to
// see what it holds beyond what trials of a length show; nil where that takes less than a
// time to leave, or where nothing is known.
func (s *session) longRun(ctx context.Context, upper float64, least, length time.Duration) (*held, error) {
	most, _ := s.limit()
	load := min(overloadBy*upper, most)
	if load < leastOver*upper || s.env.Traffic.Burst > 0 || s.speeds.blind {
		return nil, nil
	}
	h, t, err := s.hold(ctx, s.env.Traffic, load, holdLength)
	mild := func() bool { // it was no overload: disturbed trials have lost more
		return h == nil && t.DUTLoss() < leastFilled || h != nil && load*s.ports() < clearlyOver*h.Rate
	}
	for err == nil && mild() && load < most {
		load = min(overloadBy*load, most)
		h, t, err = s.hold(ctx, s.env.Traffic, load, holdLength)
	}
	if err != nil || h == nil || load*s.ports() < leastOver*h.Rate {
		return nil, err
	}
	if s.leastHold == nil || h.Frames < s.leastHold.Frames {
		s.leastHold = h
	}
	if h.Frames < h.Rate*least.Seconds() {
		s.looked = mostLooked // it is known
		return nil, nil
	}
	rough := h.Rate
	s.unproven = nil
	ok, err := s.filled(ctx, h, t)
	if err == nil && !ok {
		return nil, nil
	}
	out := &held{Hold: *h, overload: t, length: length}
	if err == nil {
		s.bySize(ctx, out, rough, load)
	}
	return out, ctx.Err() // without the time for more trials, that is what is known
}

// filled measures the rate of a hold again at a load that is little above it, right after an
// overload that has filled all that the DUT holds: a high overload may cost it something. It
// is false where the DUT takes such loads: then there was no such hold. Where neither shows,
// it notes the hold as unproven.
func (s *session) filled(ctx context.Context, h *losses.Hold, overload weir.TrialResult) (bool, error) {
	waits := overload.Trial.Waits
	rest := time.Duration(h.Frames / h.Rate * float64(time.Second)) // that is held
	waits.Residual = max(waits.Residual, min(2*rest, mostHolding))
	high, before := overload.Trial.Then.Intended, max(holdLength, 2*h.After)
	for load, tries := littleOver*h.Rate/s.ports(), 0; tries < fillTries && load < high; load, tries = load*littleOver, tries+1 {
		t := weir.Trial{Purpose: holding, Traffic: s.env.Traffic, Waits: waits, Intended: high, Duration: before,
			Then: &weir.Phase{Intended: load, Duration: holdLength}, Resolution: holdLength / holdSteps}
		r, err := s.perform(ctx, t)
		if err != nil {
			return false, err
		}
		s.trickles = append(s.trickles, r)
		rate, off, loss := losses.Leaving(r, before, fullShare)
		switch {
		case rate > 0 && loss < leastFilled:
			continue
		case rate == 0 || rate < h.Rate*(1-mostDiffering-h.Error-off):
			s.unproven = h
			return false, nil
		}
		h.Rate, h.Error = rate, max(off, min(h.Error, math.Abs(rate/h.Rate-1)))
		return true, nil
	}
	return false, nil
}

// hold performs an overload, again and longer while the DUT takes all of it; nil where that
// has no end. A trickle goes before it, in which a queue drains and a bucket fills.
func (s *session) hold(ctx context.Context, traffic weir.Traffic, load float64, length time.Duration) (*losses.Hold, weir.TrialResult, error) {
	waits, rest := s.env.Waits, restLength
	for {
		t := weir.Trial{Purpose: holding, Traffic: traffic, Waits: waits, Intended: max(load/holdSteps, 1/rest.Seconds()), Duration: rest,
			Then: &weir.Phase{Intended: load, Duration: length}, Resolution: length / holdSteps}
		r, err := s.perform(ctx, t)
		if err != nil {
			return nil, r, err
		}
		s.trickles = append(s.trickles, r)
		late := time.Duration(r.Latency.Quantile(.5) * float64(time.Second))
		if late > waits.Residual*3/4 && late > leastLate && waits.Residual < mostHolding {
			waits.Residual, rest = min(max(2*late, longerBy*waits.Residual), mostHolding), max(rest, 2*late) // frames may have come after it
			continue
		}
		if h, ok := losses.Held(r, rest); ok {
			return &h, r, nil
		}
		if length *= longerBy; length > longerBy*holdLength || r.Timeline == nil || r.Offered == 0 {
			return nil, r, nil
		}
	}
}

// bySize finds out whether the limit is one of frames or of octets, by frames of a size far
// from that of the others, at a load of as many octets at least.
func (s *session) bySize(ctx context.Context, h *held, rate, load float64) {
	const small, large, headers = 256, 1518, 18 // octets
	t := s.env.Traffic
	if len(t.Sizes) != 1 || t.Replay != nil || t.Blend != nil || len(t.Extensions) > 0 || t.Sessions > 0 {
		return
	}
	size := t.Sizes[0]
	if h.tried = large; size > small {
		h.tried = frame.SmallestSize(t.Family, t.Protocol, len(t.VLANs))
	}
	t.Sizes = []weir.Size{h.tried}
	most, _ := s.limit()
	second, _, err := s.hold(ctx, t, min(most, load*math.Max(1, float64(size-headers)/float64(h.tried-headers))), holdLength)
	if err == nil && second != nil {
		h.limit, h.perSecond, _ = losses.LimitOf(rate, second.Rate, size, h.tried)
		h.perSecond *= h.Rate / rate
	}
}

// perhapsHeld warns of a result that is above what an overload let through in the long run,
// where it is not known whether that is so.
func (s *session) perhapsHeld(r *weir.Result) {
	if h := s.unproven; h != nil && r.Lower > h.Rate*(1+h.Error) {
		warn(r, weir.NoisyResult, "the rate may be %.0f %% too high: of an overload %.0f frames/s came through in the long run, after %.0f frames more, and a second overload neither showed that again nor ruled it out",
			100*(r.Lower/h.Rate-1), h.Rate, h.Frames)
	}
}

// inTheLongRun has a result say what leaves in the long run, in place of what short trials
// let through.
func (s *session) inTheLongRun(ctx context.Context, r *weir.Result, h *held) error {
	r.Verdict, r.Irregular = "", false
	r.Warnings = slices.DeleteFunc(r.Warnings, func(w weir.Warning) bool {
		return w.Code == weir.SearchLimit || w.Code == weir.NoisyResult || w.Code == weir.SeveralSpeeds
	})
	r.Value = h.Rate / (1 - r.LossRatio)
	r.Lower, r.Upper = r.Value*(1-h.Error), r.Value*(1+h.Error)
	if _, err := s.measure(ctx, weir.Trial{Intended: r.Lower / s.ports(), Duration: max(h.length, s.params.Trial)}); ctx.Err() != nil { // which shows that it is met, where there is time
		return err
	}
	after := s.result("")
	r.Trials, r.SearchTime, r.Last = after.Trials, after.SearchTime, after.Last
	s.represent(r, h.overload)
	for _, t := range s.at(r.Lower / s.ports()) {
		s.represent(r, t)
	}
	r.Figures = append(r.Figures, weir.Figure{Name: HeldFrames, Value: math.Round(h.Frames), Unit: "frames"})
	if h.perSecond > 0 && h.limit.Name != losses.Frames {
		r.Figures = append(r.Figures, weir.Figure{Name: LongRunOctets, Value: h.perSecond, Unit: "octets"})
	}
	r.Limit = &weir.Limit{By: weir.ByPolicer}
	what := weir.Say("a bucket of about %.0f frames, as that of a policer, lets more through for a while", h.Frames)
	if h.Waits {
		r.Limit.By = weir.ByShaper
		what = weir.Say("a queue of about %.0f frames, %.3g s of them, as that of a shaper, takes more for a while", h.Frames, h.Frames/h.Rate)
	}
	var by weir.Sentence
	switch {
	case h.perSecond > 0 && h.limit.Name == losses.Frames:
		by = weir.Say("; the limit is one of frames: those of %d octets are as many", h.tried)
	case h.perSecond > 0:
		digit := math.Pow(10, math.Floor(math.Log10(h.perSecond))-2) // the third one
		by = weir.Say("; the limit is about %.0f %s a second: frames of %d octets show the same", math.Round(h.perSecond/digit)*digit, h.limit.Name, h.tried)
	}
	warn(r, weir.HeldFrames, "%s: trials of %v would find up to %.0f frames/s; the rate is what leaves of an overload in the long run%s", what, h.length, h.Rate+h.Frames/h.length.Seconds(), by)
	s.claim(r)
	return nil
}
