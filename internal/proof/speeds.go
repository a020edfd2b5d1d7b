package proof

import (
	"math"
	"slices"

	"weir"
)

// sameSpeed is how far the capacities of one speed in two campaigns lie apart, as a
// logarithm, at most: what a kernel or a rule changes is more than that, or is seen in
// all speeds.
const sameSpeed = .1

// slow marks results of sweeps that may be those of a slower speed of a machine than
// another campaign met: they are lower bounds of what compares with that. Where both met
// several speeds, these tell which is which, and a DUT that is slower at each is slower.
func (c *Comparison) slow() {
	for i := range c.Runs {
		s := &c.Runs[i]
		if s.Result.Sweep == nil || s.Doubt != "" || s.AtLeast {
			continue
		}
		met := slices.ContainsFunc(c.Runs, func(o Sample) bool {
			return o.Arm != s.Arm && o.Result.Sweep != nil && (slower(s.Result, o.Result) || faster(o.Result, s.Result))
		})
		switch {
		case met && c.Figure == "":
			s.AtLeast, s.Slow = true, true
		case met:
			s.Doubt = AtLeastRate
		}
	}
}

// slower reports whether a result is more likely one of a slower speed of another's
// machine than of the one that the other's rate is of.
func slower(r, other *weir.Result) bool {
	lead := leading(other)
	return lead >= 0 && isOf(r, other, lead, other.Speeds[lead+1:])
}

// faster is slower the other way round. One speed alone that is above the leading one of
// several may be any of the faster ones, or more or less than it.
func faster(r, other *weir.Result) bool {
	lead := leading(other)
	if lead > 0 && len(r.Speeds) == 0 && r.Value > other.Value {
		return true
	}
	return lead >= 0 && isOf(r, other, lead, other.Speeds[:lead])
}

// leading is the index of the speed that a result is of; -1: it had one.
func leading(r *weir.Result) int {
	return slices.IndexFunc(r.Speeds, func(s weir.Speed) bool { return s.Lead })
}

// isOf reports whether a result is more likely one of some speeds of another's machine
// than of the one that leads there: whether the speeds of both are alike then.
func isOf(r, other *weir.Result, lead int, speeds []weir.Speed) bool {
	if !(r.Value > 0) || !(other.Value > 0) {
		return false
	}
	own := []float64{r.Value}
	for _, s := range r.Speeds {
		if !s.Lead {
			own = append(own, s.Capacity)
		}
	}
	alike := func(of float64) (n int) { // of how many speeds, where the result is one of that capacity
		for _, v := range own {
			same := func(s weir.Speed) bool {
				return math.Abs(math.Log(v/r.Value)-math.Log(s.Capacity/of)) < sameSpeed
			}
			if slices.ContainsFunc(other.Speeds, same) {
				n++
			}
		}
		return n
	}
	leads := alike(other.Speeds[lead].Capacity)
	return slices.ContainsFunc(speeds, func(s weir.Speed) bool {
		n := alike(s.Capacity)
		return n > leads || n == leads && len(own) == 1 && math.Abs(math.Log(r.Value/s.Capacity)) < sameSpeed
	})
}
