package stats

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The limits of what is said about numbers and spreads of runs.
const (
	runsRatio   = 3.0  // largest number of runs of an arm to the smallest
	spreadRatio = 3.0  // largest deviation of an arm to the smallest, without blocks
	falseRatio  = 2.0  // false alarms of a test with a pooled variance to those that it promises
	wavesAlpha  = 0.01 // of neighbours being no more alike than others
	wavesRuns   = 10   // that it takes at least to see that
)

// unequalRuns warns of arms with very different numbers of runs.
func (a *analysis) unequalRuns(c Comparison) string {
	few, many := c.Arms[0], c.Arms[0]
	for _, s := range c.Arms {
		if s.N < few.N {
			few = s
		}
		if s.N > many.N {
			many = s
		}
	}
	if float64(many.N) < runsRatio*float64(few.N) {
		return ""
	}
	return fmt.Sprintf("%s has %d runs and %s has %d: the interval is about as wide as with %d of each", many.Arm, many.N, few.Arm, few.N,
		int(math.Round(2/(1/float64(few.N)+1/float64(many.N)))))
}

// deviation is the relative one of an arm's runs in percent, as tables have it.
func deviation(s Summary) string {
	percent := 100 * s.Deviation / s.Mean
	switch {
	case percent >= 9.5:
		return fmt.Sprintf("%.0f", percent)
	case percent >= .95:
		return fmt.Sprintf("%.1f", percent)
	}
	return fmt.Sprintf("%.2f", percent)
}

// unequalSpread warns of arms that vary very differently, where there are no
// blocks. Welch's interval allows for it; the pooled variance of ministat does
// not, and how often that fires falsely is said.
func (a *analysis) unequalSpread(c Comparison) string {
	if c.Blocks > 0 {
		return "" // each effect is judged by pairs of its own
	}
	var parts []string
	_, base := stat.MeanStdDev(a.logs[0], nil)
	for arm, logs := range a.logs[1:] {
		_, dev := stat.MeanStdDev(logs, nil)
		wide, narrow := max(dev, base), min(dev, base)
		if wide < spreadRatio*narrow || wide < nothing {
			continue
		}
		text := fmt.Sprintf("%s (%d runs) varies by %s %% and %s (%d runs) by %s %%", c.Arms[arm+1].Arm, len(logs), deviation(c.Arms[arm+1]), c.Arms[0].Arm, len(a.logs[0]), deviation(c.Arms[0]))
		if rate := pooledFalse(len(a.logs[0]), len(logs), base, dev, a.alpha); rate > falseRatio*a.alpha {
			text += fmt.Sprintf(": a test with a pooled variance, as ministat's, would see a difference that is not there in about %.0f %% of such cases", 100*rate)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "; the interval here is Welch's, which allows for that"
}

// pooledFalse is about how often Student's t with a pooled variance finds a
// difference between samples of na and nb values with deviations sa and sb that
// have the same mean: by the true variance of the difference against the one
// that the test believes in.
func pooledFalse(na, nb int, sa, sb, alpha float64) float64 {
	a, b := float64(na), float64(nb)
	// The larger is 1: squares of tiny deviations would be 0.
	top := max(sa, sb)
	sa, sb = sa/top, sb/top
	va, vb := sa*sa/a, sb*sb/b
	pooled := ((a-1)*sa*sa + (b-1)*sb*sb) / (a + b - 2) * (1/a + 1/b)
	freedom := (va + vb) * (va + vb) / (va*va/(a-1) + vb*vb/(b-1))
	return 2 * below(-critical(alpha, a+b-2)*math.Sqrt(pooled/(va+vb)), freedom)
}

// noSpread warns of values that noise did not decide.
func noSpread(c Comparison) string {
	var same []string
	for _, s := range c.Arms {
		if s.Max <= s.Min*(1+nothing) {
			same = append(same, s.Arm)
		}
	}
	if len(same) == 0 {
		return ""
	}
	return fmt.Sprintf("all runs of %s found the same: the steps of the search or of the reading decide, not noise, and an interval knows nothing of them", strings.Join(same, ", "))
}

// waves warns where there are no blocks and neighbouring runs are more alike
// than distant ones: then there is less in the runs than their number says.
func (a *analysis) waves() string {
	n := len(a.s.runs)
	if a.s.blocks > 0 || !a.s.ordered || n < wavesRuns || a.m.squares < nothing*nothing {
		return ""
	}
	steps, last := 0.0, 0.0
	for i, r := range a.s.runs {
		left := a.m.residual(r)
		if i > 0 {
			steps += (left - last) * (left - last)
		}
		last = left
	}
	// Von Neumann's ratio is 2 for independent values, with about this deviation.
	ratio := steps / a.m.squares
	z := (2 - ratio) / (2 * math.Sqrt(float64(n-2)/(float64(n)*float64(n)-1)))
	if distuv.UnitNormal.CDF(-z) > wavesAlpha {
		return ""
	}
	return fmt.Sprintf("neighbouring runs are more alike than distant ones (correlation %.2f): the interval is too narrow where the arms were not measured in turns; measure in blocks", 1-ratio/2)
}
