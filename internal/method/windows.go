package method

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"weir"
	"weir/internal/warning"
	"weir/sweep"
)

// Windows are the parameters of methods that measure in windows: sweep, saturated,
// overload.
type Windows struct {
	Window time.Duration // length of one
	Time   time.Duration // for all of them, or for each round of a campaign that goes round
}

// or is w with the zero fields filled in from d.
func (w Windows) or(d Windows) Windows {
	fill(&w.Window, d.Window)
	fill(&w.Time, d.Time)
	return w
}

// quicker is w cut down to what q allows.
func (w Windows) quicker(q Windows) Windows {
	shorten(&w.Time, q.Time)
	return w
}

// windowed is the part of a method that measures in windows: the passes of a
// sweep, and what they amount to.
type windowed struct {
	*session
	goal   sweep.Goal
	passes []sweep.Pass // until now
	began  time.Time    // when the first one did
}

// pass performs a trial of windows. Of one that was interrupted there are the
// windows that were over by then: sending ended with the last one that has frames,
// and perhaps within it.
func (w *windowed) pass(ctx context.Context, p sweep.Pass) (sweep.Pass, weir.TrialResult, error) {
	t, err := w.measure(ctx, weir.Trial{Windows: p.Windows})
	w.put(&p, t)
	if err != nil {
		n := len(p.Results)
		for n > 0 && p.Results[n-1].Sent == 0 {
			n--
		}
		p.Results = p.Results[:max(n-1, 0)]
	}
	return p, t, err
}

// put completes a pass with what came of it, and when.
func (w *windowed) put(p *sweep.Pass, t weir.TrialResult) {
	p.Results = t.Windows
	if w.began.IsZero() {
		w.began = t.Start
	}
	p.Start = t.Start.Sub(w.began)
}

// neighbours returns what other sweeps of the campaign had shown of the machine before a
// trial, each with its last result until then.
func (w *windowed) neighbours(trial int) []sweep.Neighbour {
	var out []sweep.Neighbour
	at := map[string]int{}
	for _, r := range w.env.Others {
		name := fmt.Sprint(r.Method, r.Factors)
		if r.Last >= trial || r.Round > 0 && name == fmt.Sprint(w.env.Method.Name, w.env.Factors) {
			continue
		}
		if _, ok := at[name]; !ok {
			at[name] = len(out)
			out = append(out, sweep.Neighbour{})
		}
		out[at[name]] = w.neighbour(r)
	}
	return out
}

// neighbour returns what a result shows of the machine, at times since the first pass.
func (w *windowed) neighbour(r weir.Result) (n sweep.Neighbour) {
	ports := w.ports()
	for _, v := range r.Speeds {
		n.Speeds = append(n.Speeds, sweep.Speed{Capacity: v.Capacity / ports, Share: v.Share, Lead: v.Lead, Inferred: v.Inferred})
	}
	for _, m := range r.Track {
		at := func(s float64) time.Duration {
			return r.TrackBegan.Add(time.Duration(s * float64(time.Second))).Sub(w.began)
		}
		n.Track = append(n.Track, sweep.Moment{At: at(m.From), Until: at(m.Until), Capacity: m.Capacity / ports, AtLeast: m.AtLeast})
	}
	return n
}

// passing performs the passes that are left, as long as they are wanted.
func (w *windowed) passing(ctx context.Context, wanted func(sweep.Pass) bool) error {
	for {
		w.goal.Neighbours = w.neighbours(math.MaxInt)
		p, ok := w.goal.Next(w.passes)
		if !ok || !wanted(p) {
			return nil
		}
		p, _, err := w.pass(ctx, p)
		if err == nil || len(p.Results) > 0 {
			w.passes = append(w.passes, p)
		}
		if err == nil {
			err = w.lowLoss(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// What loads lose in windows that makes it worth a look whether they have a part in it.
const (
	leastLow     = .001 // share
	leastLowLost = 3    // frames
	leastLowWide = 4    // one load, relative to the other
)

// lowLoss looks once at what is lost at low loads, where the windows of two loads that are
// far from each other have lost the same share. It is errAnyLoad where that is a loss of every load.
func (w *windowed) lowLoss(ctx context.Context) error {
	if w.found != nil {
		return nil
	}
	if w.examinations > 0 {
		return nil
	}
	type count struct{ sent, lost float64 }
	counts := make(map[float64]count)
	for _, p := range w.passes {
		for i, r := range p.Results {
			load := p.Windows[i].Intended
			c := counts[load]
			counts[load] = count{c.sent + float64(r.Sent), c.lost + float64(r.Lost())}
		}
	}
	load := 0. // the lower one of two
	for low, a := range counts {
		for high, b := range counts {
			if high < leastLowWide*low || min(a.lost, b.lost) < leastLowLost || min(a.lost/a.sent, b.lost/b.sent) <= leastLow {
				continue
			}
			if sameShare(a.lost/a.sent, b.lost/b.sent, a.sent, b.sent) {
				load = max(load, low)
			}
		}
	}
	if load == 0 {
		return nil
	}
	return w.unlessAllowed(w.examine(ctx, load, leastLow))
}

// unlessAllowed is the error of an examination, or nil where the loss that it found is one
// that the goal allows: there is a knee at that, and none at no loss.
func (w *windowed) unlessAllowed(err error) error {
	if errors.Is(err, errAnyLoad) && w.found.Upper <= w.goal.Loss {
		return nil
	}
	return err
}

// over is an interval in frames/s per port as one over all ports.
func (w *windowed) over(i sweep.Interval) weir.Bounds {
	ports := w.ports()
	return weir.Bounds{Value: i.Value * ports, Lower: i.Lower * ports, Upper: i.Upper * ports}
}

// summary is what a result says of a sweep.
func (w *windowed) summary(e sweep.Estimate) *weir.Sweep {
	s := &weir.Sweep{
		KneeZero: w.over(e.KneeZero), Saturated: w.over(e.Saturated), WithStalls: w.over(e.KneeDisturbed), Conditional: e.Conditional * w.ports(),
		Interruptions: weir.Interruptions{PerSecond: e.Interruptions.Rate, P50: e.Interruptions.Median.Seconds(), Max: e.Interruptions.Longest.Seconds()},
		Windows:       e.Windows, LeftOutShare: e.LeftOutShare, Rounds: e.Rounds, Limited: e.Limited,
	}
	for _, v := range e.Speeds {
		s.Speeds = append(s.Speeds, weir.Speed{Capacity: v.Capacity * w.ports(), Share: v.Share, Lead: v.Lead, Inferred: v.Inferred})
	}
	if len(e.Track) > 0 {
		s.TrackBegan = w.began.UTC().Round(0)
	}
	for _, m := range e.Track {
		s.Track = append(s.Track, weir.Moment{From: m.At.Seconds(), Until: m.Until.Seconds(), Capacity: m.Capacity * w.ports(), AtLeast: m.AtLeast})
	}
	for _, l := range e.LeftOut {
		s.LeftOut = append(s.LeftOut, weir.LeftOut{Reason: l.Name, Windows: l.Windows, Share: l.Share})
	}
	return s
}

// windowPoint is a load of a curve with the windows behind it.
func (w *windowed) windowPoint(p sweep.Point) *weir.WindowPoint {
	return &weir.WindowPoint{Load: p.Load * w.ports(), Loss: p.Loss, Lower: p.Lower, Upper: p.Upper, Windows: p.Windows, LeftOut: p.LeftOut}
}

// warn adds a warning to a result.
func warn(r *weir.Result, code weir.WarningCode, text string, args ...any) {
	r.Warnings = weir.AddWarning(r.Warnings, weir.Warn(code, text, args...))
}

// warnOf adds a warning whose sentence has a first clause that is a sentence by itself.
func warnOf(r *weir.Result, code weir.WarningCode, sentence weir.Sentence) {
	r.Warnings = weir.AddWarning(r.Warnings, weir.Warning{Code: code, Sentence: sentence})
}

// cautions are what a reader of any result from windows has to know: why there
// is no number, and what the length of the windows hides.
func (w *windowed) cautions(r *weir.Result, e sweep.Estimate) {
	switch e.Limited {
	case sweep.ByOutside:
		warnOf(r, weir.BusyMachine, weir.Say("%.0f %% of the windows had to be left out (%s)", 100*e.LeftOutShare, reasons(e.LeftOut)).
			Then("; %s", w.mend()))
	case sweep.ByTime:
		if e.Has(sweep.Hidden) {
			break // time alone does not help
		}
		warnOf(r, weir.SearchLimit, weir.Say("the time was over before the knee was found").Then("; give it more time (within)"))
	case sweep.BySpeed:
		warn(r, weir.SearchLimit, "the DUT, or its machine, was faster than that while loads were too low to show how fast, for too short a time, or while another sweep of the campaign was measured: the result is what there is at least")
	}
	if e.Has(sweep.Drifts) {
		warn(r, weir.NoisyResult, "the capacity changed by more than a tenth while it was measured, and in one direction: the result is the middle of that")
	}
	switch {
	case e.Has(sweep.Hidden):
		warnOf(r, weir.ShortWindows, weir.Say("frames wait in the DUT for longer than a window of %v lasts, which then does not show how many of its frames are lost", e.Window.Round(10*time.Microsecond)).
			Then("; take longer windows (window), and more time for them (within)"))
	case e.Has(sweep.ShortWindows):
		holds := weir.Say("nobody knows how many frames the DUT holds, and they hide")
		if e.Buffer > 0 {
			holds = weir.Say("the DUT holds about %.0f frames, which hide", e.Buffer)
		}
		warn(r, weir.ShortWindows, "%s what windows of %v lose of a small overload: the knee may be too high; take longer windows (window)", holds, e.Window.Round(10*time.Microsecond))
	}
	if e.Has(sweep.Moved) {
		warn(r, weir.ShortWindows, "windows of %v gave another knee than shorter ones; the result is that of the longer ones", e.Window.Round(10*time.Microsecond))
	}
}

// reasons are why windows were left out, with their shares.
func reasons(all []sweep.Reason) (sentence weir.Sentence) {
	for i, r := range all {
		between := ", "
		if i == 0 {
			between = ""
		}
		sentence = weir.Say("%s%s%s: %.0f %%", sentence, between, r.Name, 100*r.Share)
	}
	return sentence
}

// GoodPart is the share of the trials from which on what disturbed them is named as the
// cause, and shown with results.
const GoodPart = .25

// mend is what to do about windows that had to be left out, by what trials say of the
// machine.
func (s *session) mend() string {
	all := slices.Concat(s.env.Earlier, s.trials)
	for k := range warning.Kinds() {
		if k.Mend == "" {
			continue
		}
		n := 0
		for _, t := range all {
			if weir.HasWarning(t.Warnings, k.Code) {
				n++
			}
		}
		if n > 0 && float64(n) >= GoodPart*float64(len(all)) {
			return k.Mend
		}
	}
	return "what kept them is not known"
}
