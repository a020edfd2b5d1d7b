package proof

import (
	"math"
	"slices"

	"weir"
	"weir/internal/claim"
	"weir/internal/warning"
	"weir/stats"
)

// windowLimit is by how much of an effect windows of twice the length may differ
// before it is told.
const windowLimit = 0.003

// LoadTooLow is the doubt about a rate of which the tester may have been the limit.
const LoadTooLow = "its load was not well above what it forwards"

// doubtOfArm returns why the result of an arm side by side with others does not count;
// "": it does. What takes CPU time from all of them is in all of them, and windows
// that were disturbed more than others were left out. A rate of which the tester was
// the limit is a lower bound, and counts as one.
func doubtOfArm(r *weir.Result) string {
	switch {
	case r.Unmeasured != "":
		return r.Unmeasured
	case r.Value == 0 && warned(r, weir.BusyMachine):
		return "too many of its windows were disturbed"
	case warned(r, weir.TesterLimited) && !lowerBound(r):
		return LoadTooLow
	}
	for _, code := range []weir.WarningCode{weir.MachineChanged, weir.Interrupted, weir.NothingForwarded} {
		if warned(r, code) {
			return warning.Of(code).Brief
		}
	}
	return ""
}

// unevenlyReceived moves the bounds of arms side by side out by what the tester's
// receiver dropped of one and not of the other, in the middle build: it had forwarded
// that. Windows in which the receiver stood still now and then are in all arms
// alike, and outvoted; a receiver that is too slow cuts the fastest arm in each.
func (c *Comparison) unevenlyReceived() {
	if c.Figure != "" {
		return
	}
	lost := map[int]map[string]float64{}
	for _, s := range c.Runs {
		if l := s.Result.Ledger; s.Doubt == "" && l.Received > 0 {
			if lost[s.Run.Block] == nil {
				lost[s.Run.Block] = map[string]float64{}
			}
			lost[s.Run.Block][s.Arm] = math.Log1p(float64(l.LostByTester()) / float64(l.Received))
		}
	}
	for i := range c.Effects {
		e := &c.Effects[i]
		var more []float64 // of the arm than of the baseline
		for _, of := range lost {
			arm, there := of[e.Arm]
			if base, both := of[c.Baseline]; there && both {
				more = append(more, arm-base)
			}
		}
		if len(more) == 0 {
			continue
		}
		slices.Sort(more)
		by := (more[(len(more)-1)/2] + more[len(more)/2]) / 2
		e.Below, e.Above = max(0, -by), max(0, by)
		if math.Abs(by) > receiverLimit {
			c.warn(weir.ReceiverSaturated, "the tester's receiver dropped %.2g %% %s of what %s had forwarded than of %s, by which the bounds of their difference are wider: give it a CPU of its own",
				100*math.Abs(by), map[bool]string{true: "more", false: "less"}[by > 0], e.Arm, c.Baseline)
		}
	}
}

// longerWindows warns where windows of twice the length show another effect of an arm.
func (c *Comparison) longerWindows() {
	if c.Figure != "" {
		return
	}
	moved := map[string][]float64{}
	for _, s := range c.Runs {
		if f, there := s.Result.Figure(claim.InLongerWindows); s.Doubt == "" && there && f > 0 {
			moved[s.Arm] = append(moved[s.Arm], math.Log(f))
		}
	}
	for _, e := range c.Effects {
		by, known := stats.MeanChange(moved[e.Arm], 0.99)
		if known && math.Abs(by.Estimate) > windowLimit && (by.Lower > 0 || by.Upper < 0) {
			c.warn(weir.ShortWindows, "in windows of twice the length %s forwards %+.2g %% in terms of %s beside what it does in these: part of the difference is how cold an arm finds the caches when its turn comes; take longer windows (window: 20ms, say)",
				e.Arm, 100*by.Estimate, c.Baseline)
		}
	}
}
