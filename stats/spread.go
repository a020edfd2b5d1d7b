package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// The limits of what is said about numbers and spreads of runs.
const (
	runsRatio   = 3.0  // largest number of runs of an arm to the smallest
	spreadRatio = 3.0  // largest deviation of an arm to the smallest, without blocks
	spreadAlpha = 0.1  // of spreads within blocks being equal: a false alarm costs a somewhat wider interval, a missed one a wrong verdict
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

// unequalSpread warns of arms that vary very differently. Welch's interval
// allows for it, and pairs of their own do; the pooled variance of ministat does
// not, and how often that fires falsely is said.
func (a *analysis) unequalSpread(c Comparison) string {
	if c.Blocks > 0 {
		arm, times, unequal := a.unequal()
		if !unequal {
			return ""
		}
		often := fmt.Sprintf("%.1f times", times)
		if times > 100 {
			often = "more than 100 times"
		}
		return fmt.Sprintf("%s varies %s as much within its blocks as the other arms do: each effect is judged by its own pairs of runs, not by a variance of all", a.s.arms[arm], often)
	}
	var parts []string
	_, base := stat.MeanStdDev(a.logs[0], nil)
	for arm, logs := range a.logs[1:] {
		_, dev := stat.MeanStdDev(logs, nil)
		wide, narrow := max(dev, base), min(dev, base)
		if wide < spreadRatio*narrow || wide < nothing {
			continue
		}
		text := fmt.Sprintf("%s (%d runs) varies by %.2g %% and %s (%d runs) by %.2g %%", c.Arms[arm+1].Arm, len(logs), 100*dev, c.Arms[0].Arm, len(a.logs[0]), 100*base)
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

// unequal is the arm that varies most within its blocks, how many times as much
// as the others, and whether that is more than chance brings. Held against each
// other are an arm's distance from the mean of the others in its block and the
// distances of these from that mean: where all arms vary alike the two are
// independent, and their ratio has the F distribution. Two arms cannot be told
// apart so. Blocks in which arms are missing are no part of it.
func (a *analysis) unequal() (arm int, times float64, is bool) {
	arms := len(a.s.arms)
	if a.s.blocks == 0 || arms < 3 || a.m.deviation() < nothing {
		return 0, 0, false
	}
	own, others, blocks := a.distances()
	if blocks < FewestRuns {
		return 0, 0, false
	}
	k := float64(arms - 1)
	f := 0.0
	for j := range own {
		// Of independent runs with a variance of 1 the first is 1 + 1/k.
		wild := own[j] / float64(blocks-1) / (1 + 1/k)
		quiet := others[j] / float64(blocks-1) / (k - 1)
		ratio := math.MaxFloat64
		if quiet > 0 {
			ratio = min(ratio, wild/quiet)
		}
		if ratio > f {
			arm, f = j, ratio
		}
	}
	limit := distuv.F{D1: float64(blocks - 1), D2: float64(blocks-1) * (k - 1)}.Quantile(1 - spreadAlpha/float64(arms))
	return arm, math.Sqrt(max(1, f*(1+1/k)-1/k)), f > limit
}

// distances are, for each arm, the squares of its distance from the mean of the
// others and those of the others from it, over the complete blocks, with what
// the arms differ by taken off.
func (a *analysis) distances() (own, others []float64, blocks int) {
	arms := len(a.s.arms)
	left := make([][]float64, a.s.blocks)
	for i := range left {
		left[i] = make([]float64, arms)
	}
	for _, r := range a.s.runs {
		left[r.block][r.arm] += a.m.residual(r) / a.m.weight[r.block][r.arm]
	}
	own, others = make([]float64, arms), make([]float64, arms)
	mean := make([]float64, arms)
	complete := left[:0]
	for i, block := range left {
		if !slices.Contains(a.m.weight[i], 0) {
			complete = append(complete, block)
			for j, v := range block {
				mean[j] += v
			}
		}
	}
	for _, block := range complete {
		sum, squares := 0.0, 0.0
		for j := range block {
			block[j] -= mean[j] / float64(len(complete))
			sum += block[j]
			squares += block[j] * block[j]
		}
		for j, v := range block {
			rest := (sum - v) / float64(arms-1)
			own[j] += (v - rest) * (v - rest)
			others[j] += max(0, squares-v*v-float64(arms-1)*rest*rest)
		}
	}
	return own, others, len(complete)
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
