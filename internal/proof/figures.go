package proof

import (
	"slices"

	"weir"
	"weir/internal/method"
	"weir/stats"
)

// figure is what is compared of a result beside its value.
type figure struct {
	name, unit string
	value      float64 // 0: not known
	missing    string  // why a run does not count that has none
}

// figuresOf are those of a result, in the order of their comparisons.
func figuresOf(r *weir.Result) []figure {
	var out []figure
	kind := method.KindOf(r.Method)
	if kind == method.Knee {
		rate := 0.0
		if r.Sweep != nil {
			rate = r.Saturated.Value
		}
		out = append(out, figure{Saturated, "frames/s", rate, "it found no saturated rate"})
	}
	if kind == method.Knee || kind == method.Overfull {
		median := 0.0
		if r.Latency != nil {
			median = r.Latency.P50
		}
		out = append(out, figure{LatencyP50, "s", median, "its latency is not known"})
	}
	return append(out, figure{CPUPerFrame, "s", r.CPUPerFrame, "the DUT's CPU time is not known"})
}

// families are the comparisons that are judged together: those of values first,
// then those of each figure. Those of runs in doubt have no verdict to give.
func families(all []*Comparison) [][]*stats.Comparison {
	names := []string{""}
	of := map[string][]*stats.Comparison{}
	for _, c := range all {
		if c.Doubted {
			continue
		}
		if !slices.Contains(names, c.Figure) {
			names = append(names, c.Figure)
		}
		of[c.Figure] = append(of[c.Figure], &c.Comparison)
	}
	out := make([][]*stats.Comparison, len(names))
	for i, name := range names {
		out[i] = of[name]
	}
	return out
}
