package method

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/losses"
)

// A search takes each loss for one that the load causes. Where the probe of its traffic has
// lost frames, or two of its trials lose the same share at different loads, that may be wrong,
// and it examines trials at low loads that keep the fate of each frame. These are no trials of
// the search. One that loses nothing takes a fraction of a second; there are two examinations
// at most, and one before the search.
const (
	examination     = "examination"   // what its trials are for
	examined        = 20_000.         // frames/s per port, at most
	examinedLonger  = 4 * time.Second // each of its trials, at most
	examinedFrames  = 4000            // of each port at least, where that time allows it, and
	examinedOfFlow  = 4               // of each flow
	mostExamined    = 2               // times in a search
	leastDifference = 1.25            // of two loads that lose the same share
	tolerance       = .1              // by which the shares may differ, relative to them and to what is left
)

// errAnyLoad ends a search that has found a loss of every load.
var errAnyLoad = errors.New("frames are lost whatever the load")

// searching performs a trial of a search for a loss ratio. It is errAnyLoad, along with the
// trial, where the loss turns out to be one of every load.
func (s *session) searching(ctx context.Context, t weir.Trial, loss float64) (weir.TrialResult, error) {
	if s.found != nil { // what was measured before that is as good as anew
		for i, done := range s.trials {
			if done.Trial.Intended == t.Intended && (t.Duration == 0 || done.Trial.Duration == t.Duration) && !s.reused[i] {
				s.reused[i] = true
				return done, nil
			}
		}
	}
	r, err := s.measureTimed(ctx, t)
	if err == nil && s.found == nil && s.suspicious(r, loss) {
		err = s.examine(ctx, r.Trial.Intended, loss)
	}
	if err == nil {
		err = s.inBetween(ctx, loss, r.Trial.Duration)
	}
	return r, err
}

// early looks before the first trial of a search for a loss ratio at what is lost at low
// loads, where the probe of the traffic has lost more than that. It is errAnyLoad where that
// is a loss of every load.
func (s *session) early(ctx context.Context, loss float64) error {
	p := s.env.Probed
	if p.Received == 0 || p.DUTLoss() <= loss {
		return nil
	}
	err := s.examine(ctx, p.Trial.Then.Intended, loss)
	s.examinations = 0 // the search may ask again
	return err
}

// seeking runs a search for a loss ratio, which reports whether it has ended at its lowest
// loads. A loss of every load is looked for before it, by its trials, and where it ends there;
// where it is known which frames are lost so, the search is run again for the others.
func (s *session) seeking(ctx context.Context, loss float64, run func(context.Context) (lowest bool, err error)) error {
	lowest, err := false, s.early(ctx, loss)
	if err == nil {
		lowest, err = run(ctx)
	}
	if s.found == nil && (errors.Is(err, errFarBelow) || lowest) {
		if looked := s.examine(ctx, s.lowest(), loss); looked != nil {
			err = looked
		}
	}
	if errors.Is(err, errAnyLoad) {
		if err = nil; s.knowsLost() {
			_, err = run(ctx)
		}
	}
	return err
}

// examineSuspicious looks at what is lost at low loads where a trial, the last one, lost the same
// share as another one at a different load, for a method whose result that does not spoil.
func (s *session) examineSuspicious(ctx context.Context, t weir.TrialResult) error {
	if s.found != nil || !s.suspicious(t, 0) {
		return nil
	}
	return ignoreAnyLoad(s.examine(ctx, cmp.Or(t.Trial.Intended, t.OfferedRate()/s.ports()), 0))
}

// ignoreAnyLoad returns the error of a look at low loads, or nil where that has found a loss of every
// load, which the result then names.
func ignoreAnyLoad(err error) error {
	if errors.Is(err, errAnyLoad) {
		return nil
	}
	return err
}

// suspicious reports whether a trial, the last one, lost the same share as another one at
// a different load, and more than a search allows.
func (s *session) suspicious(r weir.TrialResult, loss float64) bool {
	p := r.DUTLoss()
	if p <= loss || r.Received == 0 {
		return false
	}
	for _, o := range s.trials {
		q := o.DUTLoss()
		ratio := math.Max(o.OfferedRate()/r.OfferedRate(), r.OfferedRate()/o.OfferedRate())
		if q <= loss || o.Received == 0 || ratio < leastDifference {
			continue
		}
		if sameShare(p, q, float64(r.Offered), float64(o.Offered)) {
			return true
		}
	}
	return false
}

// sameShare reports whether two shares, each of so many frames, may be the same.
func sameShare(p, q, of, other float64) bool {
	chance := 3 * math.Sqrt(p*(1-p)/of+q*(1-q)/other)
	return math.Abs(p-q) <= tolerance*slices.Min([]float64{p, q, 1 - p, 1 - q})+chance
}

// examine looks at which frames are lost at low loads, up to one in frames/s per port. It
// is errAnyLoad where the loss is one of every load.
func (s *session) examine(ctx context.Context, load, loss float64) error {
	if s.examinations == mostExamined || s.env.Traffic.Burst > 0 { // of bursts the end may be lost, at any load
		return nil
	}
	s.examinations++
	high := min(load, examined)
	frames := float64(min(max(examinedFrames, examinedOfFlow*s.env.Traffic.Flows), weir.MaxFates))
	first, err := s.look(ctx, high, frames)
	if err != nil || first.DUTLoss() <= loss || first.Received == 0 {
		return err
	}
	second, err := s.look(ctx, max(high/10, min(high/2, frames/examinedLonger.Seconds())), frames)
	if err != nil {
		return err
	}
	if s.found = losses.Find(append(slices.Clone(s.trials), first, second)); s.found == nil { // the first may have been disturbed
		third, err := s.look(ctx, high, frames)
		if err != nil || third.DUTLoss() <= loss {
			return err
		}
		if s.found = losses.Find(append(slices.Clone(s.trials), second, third)); s.found == nil {
			s.found = losses.Find(append(slices.Clone(s.trials), first, second, third))
		}
	}
	if s.found == nil {
		return nil
	}
	s.reused = make(map[int]bool)
	return errAnyLoad
}

// lookLength is how long such a trial takes at most: a part of the time that a sweep has.
func (s *session) lookLength() time.Duration {
	const part = 5
	if all := s.params.Windows.Time; s.env.Method.Timed && all > 0 {
		return min(examinedLonger, all/part)
	}
	return examinedLonger
}

// look performs a trial that keeps the fates of its frames.
func (s *session) look(ctx context.Context, load, frames float64) (weir.TrialResult, error) {
	length := min(time.Duration(frames/load*float64(time.Second)), s.lookLength())
	r, err := s.perform(ctx, weir.Trial{Purpose: examination, Intended: load, Duration: length, Tags: weir.Tags{Count: weir.MaxFates, Fates: true}})
	if err == nil {
		s.trickles = append(s.trickles, r)
	}
	return r, err
}

// lossOf is the loss ratio of a trial without what is lost at every load, where it is
// known of single frames.
func (s *session) lossOf(t weir.TrialResult) float64 {
	if s.found == nil {
		return t.LossRatio()
	}
	taken, known := s.found.Takes(t)
	sent := float64(t.Trial.Frames())
	if !t.Short() {
		sent = float64(t.Offered)
	}
	if rest := sent - float64(taken)*sent/math.Max(1, float64(t.Offered)); known && rest > 0 {
		return math.Max(0, rest-float64(t.Received)) / rest
	}
	return t.LossRatio()
}

// knowsLost reports whether it is known which frames are lost at every load, so that the
// others can be searched for their rate.
func (s *session) knowsLost() bool {
	_, known := s.found.Takes(s.trickles[len(s.trickles)-1])
	return known
}

// lowest is the lowest load of the trials so far, in frames/s per port.
func (s *session) lowest() float64 {
	low := math.Inf(1)
	for _, t := range s.trials {
		low = min(low, cmp.Or(t.Trial.Intended, t.OfferedRate()/s.ports()))
	}
	return low
}

// OthersRate is the name of the figure that is the rate of the frames that are not lost at
// every load, without loss or within the loss ratio of the result, of all frames that are
// sent then.
const OthersRate = "rate of the other frames"

// withFinding makes a result that of a search that has found a loss of every load: it has no
// rate, but that of the other frames where that was found.
func (s *session) withFinding(r *weir.Result) {
	f := s.found.Finding
	share := 1 - f.Share
	if r.Upper <= r.Lower {
		s.othersAtLeast = "at least "
	}
	if others := r.Lower * share; others > 0 && s.knowsLost() {
		r.Figures = append([]weir.Figure{{Name: OthersRate, Value: others, Unit: "frames/s"}}, r.Figures...)
	}
	r.Finding, r.Verdict, r.Irregular = &f, claim.AnyLoad, false
	r.Value, r.Lower, r.Upper = 0, 0, 0
	r.Warnings = slices.DeleteFunc(r.Warnings, func(w weir.Warning) bool { return w.Code == weir.SearchLimit || w.Code == weir.NoisyResult })
	warnOf(r, weir.LoadIndependent, s.describeFinding(*r))
	s.claim(r)
}

// addFinding adds a loss of every load to a result that is none the worse for it.
func (s *session) addFinding(r *weir.Result, why string) {
	f := s.found.Finding
	r.Finding = &f
	warn(r, weir.LoadIndependent, "%s%s", why, losses.Sentence(f))
}

// describeFinding returns the sentence of what was found in place of a rate.
func (s *session) describeFinding(r weir.Result) weir.Sentence {
	sentence := losses.Sentence(*r.Finding)
	if others, ok := r.Figure(OthersRate); ok {
		sentence = sentence.Then("; of the other frames %s%.0f a second come through", s.othersAtLeast, others)
	}
	return sentence
}
