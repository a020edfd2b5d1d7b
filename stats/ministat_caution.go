package stats

import "fmt"

// How much the sizes and the deviations of two sets may differ, as ratios,
// before a test that takes their variances for one goes wrong. Alone neither
// does much harm; together, with the smaller set the wilder one, the test finds a
// difference where there is none far more often than its level says: 33 % of the
// time at 5 %, where 3 values have five times the deviation of 10.
const (
	unlikeSize   = 1.5
	unlikeSpread = 2.0
)

// MinistatCautions say of which sets ministat's verdict is not to be relied on:
// those that differ from the first one both in the number of values and in
// spread. There are none in most cases; Compare does not have this weakness.
func MinistatCautions(sets []Set) []string {
	if len(sets) == 0 {
		return nil
	}
	var out []string
	first := figuresOf(sets[0].Values)
	for _, s := range sets[1:] {
		f := figuresOf(s.Values)
		size, spread := ratio(f.n(), first.n()), ratio(f.deviation(), first.deviation())
		if !(size >= unlikeSize && spread >= unlikeSpread) {
			continue
		}
		out = append(out, fmt.Sprintf("%s has %d values and %s %d, and their deviations are %.3g and %.3g: "+
			"this test takes the two for equally wild, and its verdict is not to be relied on; measure as many of each",
			s.Name, len(s.Values), sets[0].Name, len(sets[0].Values), f.deviation(), first.deviation()))
	}
	return out
}

// ratio is the larger of two numbers over the smaller one.
func ratio(a, b float64) float64 { return max(a, b) / min(a, b) }
