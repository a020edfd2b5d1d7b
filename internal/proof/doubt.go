package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/warning"
)

// What forbids a verdict, beside the warnings of results.
const (
	TooFewRuns   weir.WarningCode = "too-few-runs"  // that count
	ClaimsDiffer weir.WarningCode = "claims-differ" // between arms
	Drifting     weir.WarningCode = "drift"         // of the values over the campaign
	Disturbed    weir.WarningCode = "disturbed"     // a stretch of runs differs from all others
	Elsewhere    weir.WarningCode = "other-machine" // campaigns were measured in different environments
	NoEffects    weir.WarningCode = "no-effects"    // of factors could be estimated
	MediumFull   weir.WarningCode = "medium-full"   // a rate is as much as the medium carries
)

// The limits beyond which there is no verdict.
const (
	// mostLeft is the share of blocks that may be left out. What disturbs more
	// than a quarter of a campaign is no incident, and the runs that look
	// undisturbed may only have been disturbed less.
	mostLeft = 0.25
	// driftLimit is the drift that matters where no blocks take it out: of 2,887
	// published sets of runs 17 % change by more from their first third to their
	// last, and it is about the smallest effect that anybody looks for.
	driftLimit = 0.005
	// stretchLimit is the ratio by which a stretch of a quarter to a half of the
	// runs may differ from the rest. The waves of a shared machine go 23 % deep and
	// last a few runs. A busy loop on the DUT's CPU takes about half for as long as
	// it runs: within blocks that would cancel, and nobody knows whether it took
	// the same from all arms.
	stretchLimit = 1.5
)

// The disturbances from which on a run does not count, as shares of the time of
// all CPUs. Below that they are a part of the noise, which the order of the runs
// spreads over the arms and which makes the intervals wide.
const (
	stolenLimit = 0.05
	busyLimit   = 0.10
)

// receiverLimit is the share of the frames that came back to all runs of an arm,
// from which on it matters that the tester's receiver dropped some: by so much
// the arm looks worse than it is, which is about the smallest effect that anybody
// looks for.
const receiverLimit = 0.005

// lineRate is the share of what a medium carries that is all of it.
const lineRate = 0.999

// doubtOf is why a result does not count; "": it does.
func doubtOf(r *weir.Result) string {
	if r.Unmeasured != "" {
		return r.Unmeasured
	}
	if r.Verdict == claim.NotEnded {
		return "its search had not ended"
	}
	if r.Verdict == claim.AnyLoad {
		return "it loses frames whatever the load"
	}
	if r.Machine == nil && len(r.Warnings) == 0 {
		return ""
	}
	for k := range warning.Kinds() {
		if k.Does == warning.Doubts && doubtful(r, k.Code) {
			return k.Brief
		}
	}
	return ""
}

// DoubtOf is why a result of an experiment does not count, if something disturbed
// its run; "": it counts, or what it found is of its own making.
func DoubtOf(r weir.Result, e weir.Experiment) string {
	switch {
	case warned(&r, weir.NothingForwarded):
		return ""
	case e.Schedule == weir.Abreast:
		return doubtOfArm(&r)
	case disturbed(&r):
		return doubtOf(&r)
	}
	return ""
}

// doubtful reports whether a warning of a result matters for a comparison. Its
// trials may have been disturbed less than it takes to matter; and a search
// measures again what was disturbed, and loads that were not sent are no loss.
func doubtful(r *weir.Result, code weir.WarningCode) bool {
	m := r.Machine
	switch {
	case code == weir.StealTime && m != nil:
		return m.Stolen > stolenLimit
	case code == weir.BusyMachine && m != nil:
		return m.Busy > busyLimit
	case (code == weir.OfferedShort || code == weir.GeneratorStalled) && r.Width > 0:
		return false
	case code == weir.TesterLimited && (r.Width > 0 || method.AtLeast(r)):
		return false // some load that was tried is beyond it; where that is the result, it is a lower bound
	case code == weir.SearchLimit && method.AtLeast(r):
		return false // it counts as a lower bound, or is as much as there is
	case code == weir.ReceiverSaturated && r.Ledger.Received > 0:
		return false // that is a matter of the arm: see received
	}
	return warned(r, code)
}

// warned reports whether a result has a warning.
func warned(r *weir.Result, code weir.WarningCode) bool { return weir.HasWarning(r.Warnings, code) }

// veto forbids a verdict.
func (c *Comparison) veto(code weir.WarningCode, why weir.Sentence) {
	c.Vetoes = weir.AddWarning(c.Vetoes, weir.Warning{Code: code, Sentence: why})
}

// warn tells the reader.
func (c *Comparison) warn(code weir.WarningCode, format string, args ...any) {
	c.Warnings = weir.AddWarning(c.Warnings, weir.Warn(code, format, args...))
}

// claims doubts the runs that earned another name than the others, and vetoes
// where whole arms did: then different things were measured.
func (c *Comparison) claims() {
	byArm := map[string]map[string]int{}
	all := map[string]int{}
	for _, s := range c.Runs {
		if s.Doubt == "" {
			if byArm[s.Arm] == nil {
				byArm[s.Arm] = map[string]int{}
			}
			byArm[s.Arm][claim.Exactly(s.Result.Claim)]++
			all[claim.Exactly(s.Result.Claim)]++
		}
	}
	if c.Claim = most(all); len(all) < 2 {
		return
	}
	for _, s := range c.Runs {
		if of := byArm[s.Arm]; of != nil && most(of) != c.Claim {
			c.veto(ClaimsDiffer, weir.Say("the results of %s have earned the name %q, others %q", s.Arm, most(of), c.Claim).Then(": two different things are not compared"))
			c.Claim = ""
			return
		}
	}
	for i := range c.Runs {
		if s := &c.Runs[i]; s.Doubt == "" && claim.Exactly(s.Result.Claim) != c.Claim {
			s.Doubt = fmt.Sprintf("it has earned the name %q, the others %q", s.Result.Claim.Name, c.Claim)
		}
	}
}

// most is the most frequent name, the first by name of several.
func most(counts map[string]int) string {
	best := ""
	for name, n := range counts {
		if d := cmp.Compare(n, counts[best]); d > 0 || d == 0 && name < best {
			best = name
		}
	}
	return best
}

// leave marks the runs of blocks that are left out with the reason of the run
// that is in doubt. Those of silent arms are no reason.
func (c *Comparison) leave(silent []string) {
	why := map[int]string{}
	for _, s := range c.Runs {
		if s.Doubt != "" && s.Run.Block > 0 && !slices.Contains(silent, s.Arm) && why[s.Run.Block] == "" {
			why[s.Run.Block] = fmt.Sprintf("run %d of its block is in doubt: %s", s.Run.Number, s.Doubt)
		}
	}
	for i := range c.Runs {
		if s := &c.Runs[i]; s.Doubt == "" {
			s.Doubt = why[s.Run.Block]
			s.Beside = s.Doubt != ""
		}
	}
}

// measured vetoes for what the testbed could not do. Runs that do not count
// forbid nothing.
func (c *Comparison) measured(beside bool) {
	for kind := range warning.Kinds() {
		if kind.Does != warning.Vetoes {
			continue
		}
		n, counting := 0, 0
		var said weir.Sentence
		for _, s := range c.Runs {
			if s.Doubt != "" {
				continue
			}
			counting++
			if !doubtful(s.Result, kind.Code) {
				continue
			}
			n++
			for _, w := range s.Result.Warnings {
				if w.Code == kind.Code {
					if said.Text == "" {
						said = w.Sentence
					}
				}
			}
		}
		if n > 0 {
			c.veto(kind.Code, weir.Say("%s in %d of %d runs", kind.Brief, n, counting).Then(": %s", said))
		}
	}
	if !beside { // each build of those was looked at by itself
		c.received()
	}
	c.stored()
}

// received vetoes where the tester dropped too much of what an arm had forwarded.
func (c *Comparison) received() {
	dropped, came := map[string]uint64{}, map[string]uint64{}
	for _, s := range c.Runs {
		if l := s.Result.Ledger; s.Doubt == "" && l.Received > 0 { // nobody counts the frames of a stream, which are sent again
			dropped[s.Arm] += l.LostByTester()
			came[s.Arm] += l.Received
		}
	}
	for _, arm := range slices.Sorted(maps.Keys(dropped)) {
		if share := float64(dropped[arm]) / float64(came[arm]); dropped[arm] > 0 && share > receiverLimit {
			c.veto(weir.ReceiverSaturated, weir.Say("the tester's receiver dropped %.2g %% of what %s had forwarded", 100*share, arm).Then(": give it a CPU of its own"))
		}
	}
}

// armOf returns the arm of a run: of the A/A the baseline.
func (c *Comparison) armOf(s Sample) string {
	if s.Arm == c.Baseline+Again {
		return c.Baseline
	}
	return s.Arm
}

// selected vetoes where doubts have an arm of their own: leaving its runs out
// would choose among them by what they found.
func (c *Comparison) selected(silent []string) {
	counts, all := map[string]int{}, map[string]int{}
	// The baseline may have twice as many runs: arms are held against each other by their shares, as runs
	// of as many as the one with fewer has.
	of := func(own func(Sample) bool) (worst, best string, more float64, n int) {
		share := func(arm string) float64 { return float64(counts[arm]) / float64(all[arm]) }
		clear(counts)
		clear(all)
		for _, s := range c.Runs {
			if slices.Contains(silent, s.Arm) {
				continue
			}
			arm := c.armOf(s)
			all[arm]++
			if own(s) {
				counts[arm]++
			}
		}
		for i, arm := range slices.Sorted(maps.Keys(all)) {
			if i == 0 || share(arm) > share(worst) {
				worst = arm
			}
			if i == 0 || share(arm) < share(best) {
				best = arm
			}
		}
		n = min(all[worst], all[best])
		return worst, best, float64(n) * (share(worst) - share(best)), n
	}
	few := 2. // by chance
	if c.Same != nil {
		few = 1.5 // as one of them has twice as many runs
	}
	arm, other, more, _ := of(func(s Sample) bool { return s.Doubt != "" && bounded(s.Result) })
	if more >= few {
		c.veto(weir.SearchLimit, weir.Say("the search of %s found no number in %d of %d runs, as it ended at the edge of its range or too early, that of %s in %d of %d", arm, counts[arm], all[arm], other, counts[other], all[other]).
			Then(": what is left of its runs is slower than it is; give the tester more CPUs, or the search more range and time"))
	}
	arm, _, _, _ = of(func(s Sample) bool { return failed(s) })
	if counts[arm] > 1 && c.Figure == "" {
		c.veto(weir.NothingForwarded, weir.Say("%s found nothing in %d of %d runs", arm, counts[arm], all[arm]).Then(": that is what it does, and the runs that are left do not show it"))
	}
	c.broke(silent, few)
	arm, other, more, n := of(func(s Sample) bool { return disturbed(s.Result) })
	if more >= max(few, float64(n)/4) {
		c.warn(Disturbed, "%s was disturbed in %d of %d runs, and %s in %d of %d: its own load may be what disturbs it, and the runs that are left may be its lucky ones", arm, counts[arm], all[arm], other, counts[other], all[other])
	}
	arm, _, _, _ = of(func(s Sample) bool { return s.Doubt == "" && full(s.Result) })
	if 2*counts[arm] > all[arm] {
		c.veto(MediumFull, weir.Say("%s fills the medium in %d of %d runs, and may do more", arm, counts[arm], all[arm]).Then(": take smaller frames or a faster medium, or compare the CPU time per frame"))
	}
}

// bounded reports whether a result is a bound of what there is: its search ended
// at the edge of its range, or before it had found it.
func bounded(r *weir.Result) bool {
	return r.Verdict == claim.NotEnded || doubtful(r, weir.SearchLimit)
}

// disturbed reports whether something beside a run disturbed it.
func disturbed(r *weir.Result) bool {
	return doubtful(r, weir.StealTime) || doubtful(r, weir.BusyMachine) || doubtful(r, weir.EventLate)
}

// failed reports whether a run found nothing, though nothing disturbed it and the
// tester was able to.
func failed(s Sample) bool {
	return !(s.Value > 0) && !disturbed(s.Result) && !bounded(s.Result) && !unmeasured(s) &&
		!warned(s.Result, weir.BusyMachine) && !warned(s.Result, weir.TesterLimited)
}

// full reports whether a search found as much as the medium carries.
func full(r *weir.Result) bool {
	most, known := r.Figure(claim.TheoreticalMaximum)
	return known && r.Width > 0 && r.Value > lineRate*most
}

// left vetoes where too little is left.
func (c *Comparison) left() {
	what, all := "blocks", c.Blocks+c.LeftOut
	if c.Blocks == 0 {
		what, all = "runs", len(c.Runs)
	}
	if arm, most, runs := c.leftOf(); c.Blocks == 0 && float64(most) > mostLeft*float64(runs) {
		c.veto(TooFewRuns, weir.Say("%d of %d runs of %s do not count (%s)", most, runs, arm, c.reasons()).Then(": the others may be a choice among what it does; find what it was, and measure again"))
	} else if float64(c.LeftOut) > mostLeft*float64(all) {
		c.veto(TooFewRuns, weir.Say("%d of %d %s were disturbed, and do not count (%s)", c.LeftOut, all, what, c.reasons()).
			Then(": what disturbs more than %.0f %% of a campaign may have touched all of it; find what it was, and measure again", 100*mostLeft))
	}
}

// leftOf is the arm of which most runs are left out.
func (c *Comparison) leftOf() (arm string, most, runs int) {
	left, all := map[string]int{}, map[string]int{}
	for _, s := range c.Runs {
		all[s.Arm]++
		if s.Doubt != "" {
			left[s.Arm]++
		}
	}
	for _, a := range slices.Sorted(maps.Keys(all)) {
		if n := left[a]; arm == "" || n*runs > most*all[a] {
			arm, most, runs = a, n, all[a]
		}
	}
	return arm, most, runs
}

// reasons are the doubts about runs, the most frequent first, each once.
func (c *Comparison) reasons() string {
	counts := map[string]int{}
	for _, s := range c.Runs {
		if s.Doubt != "" {
			counts[s.Doubt]++
		}
	}
	return most(counts)
}
