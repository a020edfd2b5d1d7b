package stats

import (
	"errors"
	"math"
)

// boundedFreedom is how well the width of an interval is taken to be known that
// comes with a value: as of a handful of rounds.
const boundedFreedom = 4

// Known is a value that comes with its 95 % interval, as one that was found in
// rounds does.
type Known struct {
	Arm    string
	Value  float64
	Lower  float64 // > 0
	Upper  float64
	Rounds int
}

// err is the standard error of the logarithm of the value, by the wider side of its
// interval.
func (k Known) err() float64 {
	return math.Max(math.Log(k.Upper/k.Value), math.Log(k.Value/k.Lower)) / critical(1-usualConfidence, boundedFreedom)
}

// CompareKnown says how two values differ of which each comes with its interval: by
// the ratio, whose error has those of both. It takes intervals that hold whatever lies
// between the two measurements.
func CompareKnown(baseline, other Known, o Options) (Comparison, error) {
	if err := o.check(); err != nil {
		return Comparison{}, err
	}
	for _, k := range []Known{baseline, other} {
		if !(k.Lower > 0 && k.Lower <= k.Value && k.Value <= k.Upper) || math.IsInf(k.Upper, 0) {
			return Comparison{}, errors.New(k.Arm + " has no interval")
		}
	}
	d := estimate{value: math.Log(other.Value / baseline.Value), err: math.Hypot(baseline.err(), other.err()), freedom: boundedFreedom}
	c := Comparison{Baseline: baseline.Arm, DriftP: 1}
	for _, k := range []Known{baseline, other} {
		c.Arms = append(c.Arms, Summary{Arm: k.Arm, N: k.Rounds, Min: k.Value, Max: k.Value, Median: k.Value, Mean: k.Value,
			Interval: Interval{Estimate: k.Value, Lower: k.Lower, Upper: k.Upper}})
	}
	change := d.change(o.alpha())
	c.Effects = []Effect{{Arm: other.Arm, Change: change, Welch: change, P: d.p(), Adjusted: d.p(), RankP: 1, Error: d.err, Freedom: d.freedom}}
	return c, nil
}
