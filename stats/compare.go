package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"weir"
)

// Compare analyses the runs of several arms as they were measured. Within blocks
// each effect is the paired t of the logarithms: of the arm against the baseline in
// each block, against the mean of the two where it was measured twice. No effect
// borrows the spread of other arms, which may be noisier or quieter: a test
// whether they are alike would miss it in a few blocks. Without blocks each effect
// is by Welch's t.
//
// Runs of different blocks and, without blocks, all runs are taken to be
// independent. Verdicts are not given: see Judge.
//
// It is an error, a *TooFewError, when an arm has fewer than FewestRuns runs
// that count, a *ValueError when one found what has no logarithm, and also when
// there is nothing to compare or the options contradict themselves.
func Compare(obs []Observation, o Options) (Comparison, error) {
	if err := o.check(); err != nil {
		return Comparison{}, err
	}
	s, err := gather(obs, o)
	if err != nil {
		return Comparison{}, err
	}
	if len(s.arms) < 2 {
		return Comparison{}, errors.New("there is nothing to compare: all runs have the same arm")
	}
	c := Comparison{Baseline: s.arms[0], Blocks: s.blocks, LeftOut: s.left}
	a := analysis{s: s, alpha: o.alpha(), logs: s.logs()}
	if err := a.solve(); err != nil {
		return Comparison{}, err
	}
	for arm, name := range s.arms {
		c.Arms = append(c.Arms, summary(name, s.values(arm), a.level(arm).rate(a.alpha)))
		if arm == 0 {
			continue
		}
		e := a.effect(arm)
		if s.again && arm == 1 {
			c.Same = &e
		} else {
			c.Effects = append(c.Effects, e)
		}
	}
	c.Deviation, c.Freedom = a.deviation()
	c.Warnings = a.warnings(c)
	c.Drift, c.DriftP = a.drift()
	c.Stretch = a.stretch()
	return c, nil
}

// analysis is a sample with its fit.
type analysis struct {
	s     sample
	alpha float64
	logs  [][]float64 // of each arm
	m     *model
}

// solve fits the model. Without blocks it is used for what it leaves alone.
func (a *analysis) solve() error {
	var err error
	if a.m, err = fit(a.s); err != nil {
		return err
	}
	if a.s.blocks > 0 && a.m.freedom < 1 {
		return fmt.Errorf("%d runs in %d blocks say nothing of how much runs differ: measure all arms in at least %d blocks", len(a.s.runs), a.s.blocks, FewestRuns)
	}
	return nil
}

// effect is that of an arm, not the baseline.
func (a *analysis) effect(arm int) Effect {
	plain := welch(a.logs[0], a.logs[arm])
	e, rank := plain, 0.0
	if a.s.blocks > 0 {
		d := a.s.pairs(arm)
		e, rank = paired(d), flips(d)
		if len(d) < FewestRuns { // a chain of blocks with other arms joins the two
			e = a.m.effect(arm)
		}
	} else {
		rank = MannWhitney(a.logs[0], a.logs[arm])
	}
	p := e.p()
	return Effect{Arm: a.s.arms[arm], Change: e.change(a.alpha), P: p, Adjusted: p, RankP: rank,
		Welch: plain.change(a.alpha), Error: e.err, Freedom: e.freedom}
}

// level is the logarithm of the rate of an arm.
func (a *analysis) level(arm int) estimate {
	if a.s.blocks > 0 {
		return a.m.level(arm)
	}
	mean, variance := stat.MeanVariance(a.logs[arm], nil)
	n := float64(len(a.logs[arm]))
	return estimate{value: mean, err: math.Sqrt(variance / n), freedom: n - 1}
}

// deviation is the relative one between runs of one arm, with its degrees of
// freedom: that of a log-normal value.
func (a *analysis) deviation() (float64, float64) {
	s := a.m.deviation()
	if s < nothing {
		s = 0
	}
	return min(math.Sqrt(math.Expm1(s*s)), math.MaxFloat64), a.m.freedom
}

// warnings are what a reader has to know beside the figures.
func (a *analysis) warnings(c Comparison) []weir.Warning {
	var out []weir.Warning
	for _, w := range []struct {
		code weir.WarningCode
		text string
	}{
		{UnequalRuns, a.unequalRuns(c)},
		{UnequalSpread, a.unequalSpread(c)},
		{NoSpread, noSpread(c)},
		{RunsInWaves, a.waves()},
		{BlocksLeftOut, leftOut(c)},
	} {
		if w.text != "" {
			out = append(out, weir.Warn(w.code, "%s", w.text))
		}
	}
	return out
}

// leftOut says that not all counts.
func leftOut(c Comparison) string {
	switch {
	case c.LeftOut == 0:
		return ""
	case c.Blocks == 0:
		return fmt.Sprintf("%d runs are in doubt and do not count", c.LeftOut)
	}
	return fmt.Sprintf("%d of %d blocks have a run that is in doubt, or one arm alone, and do not count", c.LeftOut, c.Blocks+c.LeftOut)
}
