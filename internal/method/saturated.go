package method

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/warning"
	"weir/sweep"
)

// saturatedName is how results of other runs find those of this one.
const saturatedName = "saturated"

// saturated measures the rate that the DUT forwards when it is sent well more than
// that, in windows of milliseconds whose first millisecond does not count: FRMOL
// (RFC 2285 section 3.6.2) in windows, at a load of 1.5 times that rate. Then
// comes a trial at half of it, for the latency and the CPU time.
//
// DUTs that stand side by side (Env.Arms) have windows in turn, in blocks of one
// of each, and each its own result. The first has the median of its windows. The
// others have that times what they forward in terms of the first in the same
// blocks (Hodges and Lehmann), so that the ratio of two results is known far better
// than each of them: what slows the machine down is in both.
var saturated = Method{
	Name:     saturatedName,
	RFC:      "RFC 2285 section 3.6.2, in windows",
	Summary:  "rate that is forwarded under overload, in windows of milliseconds; DUTs side by side have them in turn",
	Kind:     Overfull,
	Title:    "saturated rate",
	Check:    claim.CheckSaturatedRate,
	Earns:    [][]string{{claim.SaturatedName}},
	Takes:    []string{"window", "trial", "maximum"},
	Defaults: saturatedDefaults,
	Quick:    Params{Trial: 100 * time.Millisecond, Windows: Windows{Time: 600 * time.Millisecond}},
	Timed:    true,
	Abreast:  true,
	Measure:  runSaturated,
}

var saturatedDefaults = Params{Trial: 150 * time.Millisecond, Trials: 1, Windows: Windows{Time: 3 * time.Second, Window: sweep.SideBySideWindow}}

// Arm is one of the DUTs that stand side by side.
type Arm struct {
	Name      string         // for people: "firewall stateful"
	Condition weir.Condition // how it is set; copied into the trials
	Factors   weir.Factors   // copied into its result
}

// overfilled is a run of the method.
type overfilled struct {
	*session
	goal sweep.SideBySide
}

func runSaturated(ctx context.Context, env Env, p Params) ([]weir.Result, error) {
	s := &overfilled{session: begin(env, p)}
	s.goal = sweep.SideBySide{Arms: max(1, len(env.Arms)), Window: s.params.Windows.Window, Ring: env.Ring, Seed: env.Traffic.Seed}
	out := make([]weir.Result, s.goal.Arms)
	err := s.run(ctx, out)
	if err != nil { // no build that was cut short is one
		for arm := range out {
			out[arm] = s.without(arm)
		}
	}
	return out, err
}

// run measures all DUTs.
func (s *overfilled) run(ctx context.Context, out []weir.Result) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	s.goal.Blocks = s.goal.BlocksIn(s.params.Windows.Time)
	t, found, err := s.overload(ctx)
	if err != nil {
		return err
	}
	if enough := s.goal.Load; s.wanting(found) { // the machine is faster than it was
		higher, again, err := s.overload(ctx)
		if err != nil {
			return err
		}
		if short := func(a sweep.Arm) bool { return 2*a.Short >= again.Blocks }; again.LeftOut <= mostLeftOut && !slices.ContainsFunc(again.Arms, short) {
			t, found = higher, again
		} else {
			s.goal.Load = enough
		}
	}
	calm := make([]*weir.TrialResult, s.goal.Arms)
	for _, arm := range rand.New(rand.NewPCG(s.goal.Seed, uint64(s.env.Build))).Perm(s.goal.Arms) {
		if rate := cmp.Or(found.Arms[arm].Rate, found.Arms[arm].Least); rate > 0 {
			half := weir.Window{Intended: rate / 2 / s.sending(), Duration: s.params.Trial, Side: arm + 1}
			t, err := s.send(ctx, weir.Trial{Windows: []weir.Window{half}, Timed: true})
			if err != nil {
				return err
			}
			calm[arm] = &t
		}
	}
	for arm := range out {
		out[arm] = s.of(arm, found, t, calm[arm])
	}
	return nil
}

// overload performs the windows in which more is sent than the DUTs forward.
func (s *overfilled) overload(ctx context.Context) (weir.TrialResult, sweep.BuildResult, error) {
	windows := s.goal.Windows(s.env.Build)
	t, err := s.send(ctx, weir.Trial{Windows: windows})
	if err != nil {
		return t, sweep.BuildResult{}, err
	}
	found, err := s.goal.JudgeBuild(windows, t.Windows)
	return t, found, err
}

// wanting reports whether a load was not well above what some DUT forwards, and
// raises it as far as the tester can.
func (s *overfilled) wanting(found sweep.BuildResult) bool {
	most, _ := s.limit()
	short := slices.ContainsFunc(found.Arms, func(a sweep.Arm) bool { return a.Unsaturated })
	if !short || s.goal.Load >= most {
		return false
	}
	s.goal.Load = min(sweep.Plenty*s.goal.Load, most)
	return true
}

// load finds a load that is well above what any of the DUTs forwards: by what they
// forwarded in the build before, or by windows of rising loads. A DUT that forwards all
// that the tester sends has the highest load that it sends evenly.
func (s *overfilled) load(ctx context.Context) error {
	most, _ := s.limit()
	if most == 0 {
		return fmt.Errorf("nobody knows how much the tester sends, and an overload would be a guess: give a maximum")
	}
	before := 0.
	for _, r := range s.env.Past {
		rate := r.Value / s.sending()
		if !claim.AtLeast(r.Claim) {
			rate *= sweep.Plenty
		}
		if r.Method == saturatedName {
			before = max(before, rate)
		}
	}
	if s.goal.Load = min(before, most); before > 0 {
		return nil
	}
	windows := s.goal.Probing(most)
	t, err := s.send(ctx, weir.Trial{Windows: windows})
	if err != nil {
		return err
	}
	s.goal.Load = cmp.Or(min(s.goal.Enough(windows, t.Windows)/s.sending(), most), most)
	if sendable := s.goal.Sendable(windows, t.Windows); sendable > 0 {
		s.goal.Load = min(s.goal.Load, sendable)
	}
	return nil
}

// sending is how many ports send at once: one of DUTs side by side, which have
// their turns.
func (s *overfilled) sending() float64 {
	if len(s.env.Arms) > 0 {
		return 1
	}
	return s.ports()
}

// send performs a trial of windows. A single DUT has all ports send.
func (s *overfilled) send(ctx context.Context, t weir.Trial) (weir.TrialResult, error) {
	if len(s.env.Arms) == 0 {
		t.Windows = slices.Clone(t.Windows)
		for i := range t.Windows {
			t.Windows[i].Side = 0
		}
	}
	return s.measure(ctx, t)
}

// mostLeftOut is the share of windows that may be left out of a number.
const mostLeftOut = .4

// without is the result of one of the DUTs, without a value.
func (s *overfilled) without(arm int) weir.Result {
	r := s.result("frames/s")
	if len(s.env.Arms) > 0 {
		r.Factors = maps.Clone(s.env.Arms[arm].Factors)
	}
	r.TrialSeconds = s.goal.Window.Seconds()
	return r
}

// of is the result of one of the DUTs.
func (s *overfilled) of(arm int, found sweep.BuildResult, overload weir.TrialResult, calm *weir.TrialResult) weir.Result {
	r := s.without(arm)
	a := found.Arms[arm]
	beyond := a.Windows == 0 && 2*a.Short >= found.Blocks // it forwards all that the tester sends
	counting := a.Windows
	if beyond {
		counting = a.Short
	}
	r.Figures = append(r.Figures, weir.Figure{Name: claim.Windows, Value: float64(found.Blocks), Unit: "windows"},
		weir.Figure{Name: claim.CountingWindows, Value: float64(counting), Unit: "windows"})
	if len(s.env.Arms) > 0 && !math.IsNaN(a.Longer) {
		r.Figures = append(r.Figures, weir.Figure{Name: claim.InLongerWindows, Value: math.Exp(a.Longer)})
	}
	load := s.goal.Load * s.sending()
	left := found.LeftOut
	for _, reason := range found.Reasons {
		if reason.Name == sweep.Unsent { // of an arm that is faster than the tester: it says nothing against the others
			left -= reason.Share
		}
	}
	if a.Windows == 0 {
		left = 1
	}
	switch {
	case beyond && a.Least > 0:
		r.Value = a.Least
		warn(&r, weir.TesterLimited, "the tester could not send %.0f frames/s, nor well more than the DUT forwards, which may be more: give the tester more CPUs", load)
	case beyond:
		warnOf(&r, weir.TesterLimited, weir.Say("the tester could not send %.0f frames/s, nor well more than the DUT forwards", load).Then("; give it more CPUs"))
	case left > mostLeftOut:
		warnOf(&r, weir.BusyMachine, weir.Say("%.0f %% of the windows had to be left out (%s)", 100*left, reasons(found.Reasons)).
			Then("; %s", s.mend()))
	case a.Rate == 0:
		overwhelmed(&r)
	case a.Pairs == 0 || found.Arms[0].Rate == 0: // what the others are measured in terms of is missing
		r.Value = a.Rate
	default:
		r.Value = found.Arms[0].Rate * math.Exp(a.Effect)
	}
	if r.Value > 0 && a.Unsaturated {
		warn(&r, weir.TesterLimited, "the load of %.0f frames/s was not well above what the DUT forwards, which may be more: give the tester more CPUs", load)
	}
	r.Lower, r.Upper = r.Value, r.Value
	if calm != nil {
		s.represent(&r, *calm)
	}
	for _, w := range overload.Warnings {
		if !warning.Of(w.Code).OfTrial {
			r.Warnings = weir.AddWarning(r.Warnings, w)
		}
	}
	r.LossRatio, r.Ledger = overload.LossRatio(), overload.Ledger
	if arm < len(overload.Arms) {
		r.Ledger = overload.Arms[arm]
		r.LossRatio = r.Ledger.LossRatio()
	}
	s.claim(&r)
	return r
}
