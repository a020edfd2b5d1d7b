package stats

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// tails is the share of the distribution of t below the quantile that ministat
// takes for a level. Its "99.5 %" is 99.8 % in truth: the column of its table is
// that of 0.999, and whoever wants its output wants that too.
var tails = []struct{ level, below float64 }{
	{80, 0.9}, {90, 0.95}, {95, 0.975}, {98, 0.99}, {99, 0.995}, {99.5, 0.999},
}

// MinistatLevels are the confidence levels that ministat knows, in percent.
func MinistatLevels() []float64 {
	out := make([]float64, len(tails))
	for i, t := range tails {
		out[i] = t.level
	}
	return out
}

// normalFrom is the number of degrees of freedom beyond which ministat takes
// the quantiles of the normal distribution.
const normalFrom = 100

// misprints are the quantiles at which the printed table behind ministat is off
// in its last digits, by degrees of freedom. All are in the column of 0.999.
var misprints = map[int]float64{1: 318.313, 7: 4.782, 8: 4.499, 9: 4.296, 10: 4.143, 11: 4.024, 12: 3.929}

// misprinted is the level with that column.
const misprinted = 99.5

// printedT is the quantile of Student's t that ministat takes: with three
// decimals, as the printed table has them.
func printedT(level float64, degrees int) float64 {
	if t, ok := misprints[degrees]; ok && level == misprinted {
		return t
	}
	for _, t := range tails {
		if t.level != level {
			continue
		}
		if degrees > normalFrom {
			return thousandths(distuv.UnitNormal.Quantile(t.below))
		}
		return thousandths(distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile(t.below))
	}
	return math.NaN() // which check refuses before
}

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

// judged says whether a set differs from the first one.
func judged(b *strings.Builder, f, first figures, level float64) {
	degrees := f.n() + first.n() - 2
	t := printedT(level, len(f.sorted)+len(first.sorted)-2)
	ours, theirs := float64((f.n()-1)*f.variance), float64((first.n()-1)*first.variance)
	pooled := math.Sqrt((ours + theirs) / degrees)
	d := f.mean - first.mean
	e := float64(t * float64(pooled*math.Sqrt(1/f.n()+1/first.n())))
	if !(math.Abs(d) > e) {
		fmt.Fprintf(b, "No difference proven at %.1f%% confidence\n", level)
		return
	}
	// Of the ratio of the means: the first set's own scatter counts too.
	re := ours + theirs*float64(f.mean*f.mean)/float64(first.mean*first.mean)
	re *= (f.n() + first.n()) / (f.n() * first.n() * degrees)
	re = t * math.Sqrt(re)
	fmt.Fprintf(b, "Difference at %.1f%% confidence\n\t%s +/- %s\n\t%s%% +/- %s%%\n\t(Student's t, pooled s = %s)\n", level,
		general(d), general(e), general(d*100/first.mean), general(re*100/first.mean), general(pooled))
}

// general is a number as C's %g writes it, with six digits.
func general(v float64) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return fmt.Sprintf("%.6g", v)
}
