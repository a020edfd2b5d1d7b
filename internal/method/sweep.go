package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/search"
	"weir/sweep"
)

// sweepName is how results of other methods find those of this one.
const sweepName = "sweep"

// sweeping mixes windows of some milliseconds at many loads in one trial, and
// finds from the medians of these at which load the DUT begins to lose frames,
// what it forwards of far more than that, and how often it stood still: numbers
// that a machine which is disturbed now and then has, too.
//
// The value is the knee: the highest load at which the median window loses no
// more than the loss ratio. Its other figures are the knee at no loss, the saturated
// rate and the curve. The latency, the ledger and the CPU time are those of
// trials at half of the knee.
//
// A campaign that goes round performs one round each time, and the result of
// each is that of all until then.
var sweeping = Method{
	Name:     sweepName,
	Summary:  "loss over load from windows of milliseconds: knee at a loss ratio and at none, saturated rate, interruptions",
	Kind:     Knee,
	Check:    claim.CheckWindows,
	Earns:    [][]string{{claim.WindowsName}},
	Takes:    []string{"loss", "window", "trial", "minimum", "maximum"},
	Defaults: sweepDefaults,
	Quick:    Params{Trial: 100 * time.Millisecond, Windows: Windows{Time: 1500 * time.Millisecond}},
	Rounds:   true,
	Timed:    true,
	Measure:  single(runSweep),
}

var sweepDefaults = Params{Loss: sweep.DefaultLoss, Trial: 300 * time.Millisecond, Trials: 1, Windows: Windows{Time: sweep.DefaultWithin, Window: sweep.DefaultWindow}}

// What the windows of a sweep share its time with, for those who check plans.
const (
	OwnRounds     = sweep.DefaultRounds  // of a sweep in a campaign that does not go round; each has a trial of windows
	WindowSilence = sweep.DefaultSilence // after each window
)

// passOverhead is what a trial of windows costs in addition to its windows and the
// waits of the plan: the lead of its threads, and reading what came of it.
const passOverhead = 100 * time.Millisecond

func runSweep(ctx context.Context, env Env, p Params) (weir.Result, error) {
	s := &swept{windowed: &windowed{session: begin(env, p)}}
	maximum, limit := s.limit()
	if maximum == 0 {
		return weir.Result{}, errNoTop
	}
	if err := s.outOfRange(maximum, limit); err != nil {
		return weir.Result{}, err
	}
	if s.goal = s.sought(maximum); s.goal.Validate() != nil {
		return weir.Result{}, fmt.Errorf("sweep: %w", s.goal.Validate())
	}
	s.recall(env.Earlier)
	err := s.unlessAllowed(s.early(ctx, leastLow))
	if err == nil {
		err = s.rounds(ctx)
	}
	if err == nil {
		err = s.withoutKnee(ctx)
	}
	if err == nil {
		err = s.longer(ctx)
	}
	if err == nil {
		err = s.calm(ctx)
	}
	r := s.result(limit)
	switch {
	case errors.Is(err, errAnyLoad):
		if err = nil; s.knowsLost() && s.env.Round >= s.env.Rounds {
			var found search.Outcome
			found, err = s.others(ctx, maximum)
			r = s.result(limit)
			r.Lower, r.Upper = found.Lower*s.ports(), 0 // single trials of a disturbed machine show no more
		}
		s.withFinding(&r)
	case s.held != nil:
		err = cmp.Or(s.inTheLongRun(ctx, &r, s.held), err)
	case s.found != nil:
		s.addFinding(&r, "at no loss there is no knee: ")
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, err
}

// There is an interval from so many rounds on, or, where only one has a knee, from
// so many blocks: fewer do not show how far the wave that they lie in goes. Of a
// machine that is shared that is known beforehand.
const (
	leastRounds = 2
	leastBlocks = 10
	leastShared = 2 // blocks
)

// spanned reports whether there is an interval: rounds with a knee each, blocks, or
// so many rounds of which the best windows say something.
func (s *swept) spanned(e sweep.Estimate) bool {
	fine := 0
	for _, p := range s.passes {
		if p.Kind == sweep.Fine {
			fine++
		}
	}
	least := leastBlocks
	if s.goal.Shared {
		least = leastShared
	}
	return e.Rounds >= leastRounds || e.Rounds > 0 && e.Blocks >= least || e.Has(sweep.LeastDisturbed) && fine >= leastRounds
}

// without is a rate without its interval.
func without(b weir.Bounds) weir.Bounds { return weir.Bounds{Value: b.Value} }

// swept is a sweep under way.
type swept struct {
	*windowed
	rested []weir.TrialResult // the trials at half of the knee
	known  *sweep.Estimate    // of so many passes as there were then
	of     int
}

// estimate returns what all passes until now amount to, computed once for each number of them.
func (s *swept) estimate() sweep.Estimate {
	if s.known == nil || s.of != len(s.passes) {
		e := s.goal.Estimate(s.passes)
		s.known, s.of = &e, len(s.passes)
	}
	return *s.known
}

// sought is the goal of a sweep up to a load in frames/s per port: the time of
// one method, less what is no window of it, in as many rounds as the campaign
// goes, or three.
func (s *swept) sought(maximum float64) sweep.Goal {
	rounds := s.env.Rounds
	all := s.params.Windows.Time
	if rounds > 1 {
		all *= time.Duration(rounds) // each round has its time
	} else {
		rounds = OwnRounds
	}
	pauses := s.pauses()
	calm := s.params.Trial + pauses
	windows := all - time.Duration(rounds+2)*pauses - time.Duration(max(s.env.Rounds, 1))*calm
	return sweep.Goal{
		Loss: s.params.Loss, Window: s.params.Windows.Window, Silence: WindowSilence, Buffer: s.env.Ring, Ports: s.env.Traffic.Ports(),
		Minimum: s.params.Minimum, Maximum: maximum, Within: max(windows, all/4), Rounds: rounds,
		Seed: s.env.Traffic.Seed, Shared: s.env.Shared,
	}
}

// pauses are what a trial costs in addition to its length.
func (s *swept) pauses() time.Duration {
	w := s.env.Waits
	return w.Learning + w.Residual + w.Settle + passOverhead
}

// recall goes through the trials of earlier rounds. What each of them asked for
// follows from those before it.
func (s *swept) recall(earlier []weir.TrialResult) {
	for _, t := range earlier {
		if t.Trial.Purpose != sweepName {
			continue // nothing is from it
		}
		if len(t.Trial.Windows) == 0 {
			s.rested = append(s.rested, t)
			continue
		}
		s.goal.Neighbours = s.neighbours(t.Trial.Number)
		p, ok := s.goal.Next(s.passes)
		if !ok || len(p.Windows) != len(t.Trial.Windows) {
			continue // of another goal
		}
		s.put(&p, t)
		s.passes = append(s.passes, p)
	}
}

// rounds performs the passes that are left: all, or those of this round.
func (s *swept) rounds(ctx context.Context) error {
	return s.passing(ctx, func(p sweep.Pass) bool {
		if s.env.Rounds > 1 && s.env.Round < s.env.Rounds {
			return p.Round <= s.env.Round
		}
		return p.Round < s.goal.Rounds || !s.hides() // or the time is that of an overload
	})
}

// withoutKnee looks, where no load was without loss or none near the knee or near what
// is forwarded, at what is lost at low loads.
func (s *swept) withoutKnee(ctx context.Context) error {
	e := s.goal.Estimate(s.passes)
	forwarded := 0.
	for _, p := range e.Curve {
		forwarded = max(forwarded, p.Forwarded)
	}
	if s.examinations > 0 || e.KneeZero.Value > max(e.Knee.Value/2, leastShare*forwarded) || len(e.Curve) == 0 || e.Limited == sweep.ByTester || e.Limited == sweep.ByOutside {
		return nil
	}
	lowest := e.Curve[0].Load
	for _, p := range e.Curve {
		lowest = min(lowest, p.Load)
	}
	return s.unlessAllowed(s.examine(ctx, max(lowest, examined/10), leastLow))
}

// kneeOf returns the knee over all ports; where the tester could send no more, the highest load
// that lost no more than the goal allows.
func (s *swept) kneeOf(e sweep.Estimate) weir.Bounds {
	knee := s.over(e.Knee)
	if e.Limited != sweep.ByTester || knee.Value > 0 {
		return knee
	}
	for _, p := range e.Curve {
		if sent := p.Load * s.ports(); p.Windows > 0 && p.Loss <= s.params.Loss {
			knee = weir.Bounds{Value: sent, Lower: sent, Upper: sent}
		}
	}
	return knee
}

// calm performs a trial at half of the knee, for the latency: of several speeds at half
// of what the slowest one forwards, so that none overloads the DUT.
func (s *swept) calm(ctx context.Context) error {
	e := s.estimate()
	knee := s.kneeOf(e).Value / s.ports()
	for _, v := range e.Speeds {
		knee = min(knee, v.Capacity)
	}
	if s.held != nil {
		knee = s.held.Rate / s.ports()
	}
	if knee == 0 {
		return nil
	}
	t, err := s.measure(ctx, weir.Trial{Intended: knee / 2, Duration: s.params.Trial, Timed: true})
	if err == nil {
		s.rested = append(s.rested, t)
	}
	return err
}

// result is what all passes until now amount to.
func (s *swept) result(limit string) weir.Result {
	e := s.estimate()
	r := s.session.result("frames/s")
	ports := s.ports()
	knee := s.kneeOf(e)
	if e.Knee.Value > 0 && !s.spanned(e) {
		knee = without(knee)
	}
	r.Value, r.Lower, r.Upper = knee.Value, knee.Lower, knee.Upper
	r.LossRatio, r.ExceedRatio = s.params.Loss, claim.WindowExceed
	r.TrialSeconds, r.Round = e.Window.Seconds(), s.env.Round
	r.Sweep = s.summary(e)
	if r.Lower == 0 {
		r.KneeZero, r.Saturated, r.WithStalls = without(r.KneeZero), without(r.Saturated), without(r.WithStalls)
	}
	for _, p := range e.Curve {
		r.Curve = append(r.Curve, weir.Point{
			Branch: up, Intended: p.Load * ports, Offered: p.Load * ports, Forwarded: p.Forwarded * ports, LossRatio: p.Loss,
			WindowPoint: s.windowPoint(p),
		})
	}
	figure := func(name string, value float64, unit string) {
		if value > 0 {
			r.Figures = append(r.Figures, weir.Figure{Name: name, Value: value, Unit: unit})
		}
	}
	figure(kneeFigure(0), r.KneeZero.Value, "frames/s")
	figure("saturated rate", r.Saturated.Value, "frames/s")
	figure("MFR", e.MFR*ports, "frames/s")
	figure("saturated rate / MFR", e.Index, "")
	figure("FRMOL", e.FRMOL*ports, "frames/s") // which the verdict looks at as well
	figure("interruptions a second", e.Interruptions.Rate, "")
	r.Verdict = string(e.Verdict)
	s.rest(&r)
	s.warn(&r, e, limit)
	s.session.claim(&r)
	return r
}

// rest fills in what is known from the trials at half of the knee.
func (s *swept) rest(r *weir.Result) {
	if len(s.rested) == 0 {
		return
	}
	all := s.rested[len(s.rested)-1]
	all.Latency, all.RoundTrip = weir.Histogram{}, weir.Histogram{}
	all.Sending, all.DUTCPU, all.Received = 0, 0, 0
	for _, t := range s.rested {
		all.Latency.Merge(t.Latency)
		all.RoundTrip.Merge(t.RoundTrip)
		all.Sending, all.DUTCPU, all.Received = all.Sending+t.Trial.Length(), all.DUTCPU+t.DUTCPU, all.Received+t.Received
	}
	s.represent(r, all)
	r.Ledger = s.rested[len(s.rested)-1].Ledger
}

// warn says what a reader of the result has to know.
func (s *swept) warn(r *weir.Result, e sweep.Estimate, limit string) {
	addWarnings(r, s.rested...)
	if s.beyond(r, e, limit) {
		limit = limitTester
	}
	switch e.Limited {
	case sweep.ByMinimum:
		warnOf(r, weir.SearchLimit, weir.Say("even at the lowest load most windows lost more than the goal allows").
			Then("; raise the loss ratio, lower the minimum, or take longer windows"))
	case sweep.ByTester:
		warn(r, weir.SearchLimit, "even the highest load that was sent, which %s allows, lost no more than the goal allows: the DUT may do more", limit)
	}
	s.cautions(r, e)
	if e.Has(sweep.LeastDisturbed) {
		warn(r, weir.NoisyResult, "most windows of all loads lost frames: the machine was taken away half of the time, and the knee is that of the best quarter of the windows")
	}
	if e.Has(sweep.Unsaturated) {
		warn(r, weir.NoisyResult, "what is forwarded still grows with the load beyond the knee: there is no saturated rate of its own")
	}
	if e.Has(sweep.Sinking) {
		warn(r, weir.NoisyResult, "what is forwarded sinks as the load grows beyond the knee: the saturated rate is the middle of that, and of more load there is less")
	}
	if e.Has(sweep.FewFrames) {
		warn(r, weir.ShortWindows, "a window of %v has too few frames at the knee for one lost to be less than the loss ratio; take longer windows (window), or a greater loss", e.Window.Round(10*time.Microsecond))
	}
	if e.Has(sweep.Interrupted) {
		warn(r, weir.NoisyResult, "the DUT stood still %.1f times a second; with these windows the knee is %.0f frames/s", e.Interruptions.Rate, r.WithStalls.Value)
	}
}
