package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// nothing is a difference of logarithms that is the rounding of the arithmetic.
const nothing = 1e-12

// estimate is a difference of logarithms with its standard error.
type estimate struct {
	value, err, freedom float64
}

// p is that of the estimate being 0, by Student's t. Where values do not differ at
// all nothing is known of chance, and nothing is proven: steps of a search or of a
// counter may hide all that there is.
func (e estimate) p() float64 {
	if e.err < nothing {
		return 1
	}
	return min(1, 2*e.tail(math.Abs(e.value)))
}

// tail is the probability that chance alone, in one direction, brings a value
// of at least v.
func (e estimate) tail(v float64) float64 {
	if e.err < nothing {
		switch {
		case math.Abs(v) < nothing:
			return 0.5
		case v > 0:
			return 0
		}
		return 1
	}
	return below(-v/e.err, e.freedom)
}

// half is half the width of the confidence interval.
func (e estimate) half(alpha float64) float64 {
	if e.err < nothing {
		return 0
	}
	return critical(alpha, e.freedom) * e.err
}

// change is the estimate as a relative change with its interval.
func (e estimate) change(alpha float64) Interval {
	if math.Abs(e.value) < nothing {
		e.value = 0
	}
	h := e.half(alpha)
	return Interval{Estimate: relative(e.value), Lower: relative(e.value - h), Upper: relative(e.value + h)}
}

// rate is the estimate of a logarithm as that of the value itself.
func (e estimate) rate(alpha float64) Interval {
	h := e.half(alpha)
	return Interval{Estimate: power(e.value), Lower: power(e.value - h), Upper: power(e.value + h)}
}

// relative is the relative change that a difference of logarithms is.
func relative(d float64) float64 { return min(math.Expm1(d), math.MaxFloat64) }

// power is the value with that logarithm.
func power(l float64) float64 { return min(math.Exp(l), math.MaxFloat64) }

// below is the probability that Student's t is at most x.
func below(x, freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.CDF(x)
}

// critical is what |t| exceeds in a share alpha of cases. Newton's steps from
// the normal distribution take a tenth of the time of the library's inverse,
// which is left what they do not reach: a handful of degrees of freedom.
func critical(alpha, freedom float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	want := alpha / 2
	if freedom < 3 || !(want > 1e-9) {
		return t.Quantile(1 - want)
	}
	z := -distuv.UnitNormal.Quantile(want)
	x := z + z*(z*z+1)/(4*freedom)
	for range 8 {
		// On the logarithm of the tail, which is nearly straight.
		tail := t.CDF(-x)
		step := tail / t.Prob(x) * math.Log(tail/want)
		x += step
		if math.Abs(step) < 1e-13*x {
			return x
		}
		if !(x > 0) || math.IsInf(x, 0) {
			break
		}
	}
	if math.Abs(t.CDF(-x)-want) < 1e-12*want {
		return x
	}
	return t.Quantile(1 - want)
}

// MeanChange is the mean of differences of logarithms as a relative change, with
// Student's interval; false where there are fewer than two.
func MeanChange(logs []float64, confidence float64) (Interval, bool) {
	n := float64(len(logs))
	if n < 2 {
		return Interval{}, false
	}
	mean, squares := 0., 0.
	for _, l := range logs {
		mean += l / n
	}
	for _, l := range logs {
		squares += (l - mean) * (l - mean)
	}
	return estimate{value: mean, err: math.Sqrt(squares / (n - 1) / n), freedom: n - 1}.change(1 - confidence), true
}
