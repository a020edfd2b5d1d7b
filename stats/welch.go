package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Welch is the relative change from a to b with its confidence interval, and
// the probability of no difference, by Welch's t on the logarithms of the
// values: neither the numbers nor the variances have to be alike. Confidence 0
// is 0.95. It is an error when a side has fewer than two values, or one that is
// not above 0.
func Welch(a, b []float64, confidence float64) (Interval, float64, error) {
	o := Options{Confidence: confidence}
	if err := o.check(); err != nil {
		return Interval{}, 0, err
	}
	la, err := logarithms(a)
	if err != nil {
		return Interval{}, 0, err
	}
	lb, err := logarithms(b)
	if err != nil {
		return Interval{}, 0, err
	}
	e := welch(la, lb)
	return e.change(o.alpha()), e.p(), nil
}

// logarithms of at least two values.
func logarithms(values []float64) ([]float64, error) {
	if len(values) < 2 {
		return nil, errors.New("one value alone does not say how much values differ: each side takes at least two")
	}
	logs := make([]float64, len(values))
	for i, v := range values {
		if !positive(v) {
			return nil, &ValueError{Observation{Arm: "a side", Order: i + 1, Value: v}}
		}
		logs[i] = math.Log(v)
	}
	return logs, nil
}

// welch is the difference of the means of b and a.
func welch(a, b []float64) estimate {
	ma, va := stat.MeanVariance(a, nil)
	mb, vb := stat.MeanVariance(b, nil)
	na, nb := float64(len(a)), float64(len(b))
	va, vb = va/na, vb/nb
	freedom := na + nb - 2
	if sum := va + vb; math.Sqrt(sum) >= nothing {
		// Ratios first: squares of tiny variances would be 0.
		ra, rb := va/sum, vb/sum
		freedom = 1 / (ra*ra/(na-1) + rb*rb/(nb-1))
	}
	return estimate{value: mb - ma, err: math.Sqrt(va + vb), freedom: freedom}
}

// paired is the mean of differences.
func paired(d []float64) estimate {
	mean, variance := stat.MeanVariance(d, nil)
	n := float64(len(d))
	return estimate{value: mean, err: math.Sqrt(variance / n), freedom: n - 1}
}
