package proof

import (
	"fmt"
	"slices"

	"weir"
	"weir/internal/result"
	"weir/stats"
)

// Numbers says what plain numbers prove: each set is an arm of the experiment, and
// each number a run, in an order that nobody has said. It finds what Of does for a
// campaign with a result of each number, which takes a kilobyte, where there may be a
// million. Like is the result that they all would be, but for their values.
func Numbers(sets []stats.Set, like weir.Result, e weir.Experiment) Proof {
	c := Comparison{Method: like.Method, Unit: like.Unit, Traffic: result.Level(like.Factors["frame_size"]), Factors: like.Factors}
	for _, set := range sets {
		c.Runs = slices.Grow(c.Runs, len(set.Values))
		for _, v := range set.Values {
			s := Sample{Run: weir.Run{Number: len(c.Runs) + 1, Arm: set.Name}, Arm: set.Name, Value: v, Result: &like}
			if !(v > 0) {
				s.Doubt = nothing(v)
			}
			c.Runs = append(c.Runs, s)
		}
	}
	p := Proof{Experiment: e, Comparisons: []Comparison{c}}
	p.conclude(false)
	return p
}

// nothing is why a run does not count whose value is no rate or time.
func nothing(v float64) string { return fmt.Sprintf("a value of %v has no percentage", v) }
