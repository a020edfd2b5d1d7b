package proof

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/result"
)

// goal is what tells the results of one run apart. Where a result has no goal
// its loss is what was found, and tells nothing apart.
type goal struct {
	method        string
	unit          string
	loss, exceed  float64
	trial, sum    float64
	next          int // number of the results of one run that are alike so far
	transfer      weir.Transfer
	figure, place string // what is compared, and the levels that tell comparisons apart
}

// goalOf is that of a result. Only a search that was given a width has a goal, and
// a sweep.
func goalOf(r *weir.Result) goal {
	g := goal{method: r.Method, unit: r.Unit, transfer: r.Transfer.Kind()}
	if r.Width > 0 {
		g.loss, g.exceed, g.trial, g.sum = r.LossRatio, r.ExceedRatio, r.TrialSeconds, r.Sum
	} else if method.KindOf(r.Method) == method.Knee {
		g.loss = r.LossRatio
	}
	return g
}

// compared sorts the runs of a campaign into comparisons of their arms, in the
// order of the methods and then of the levels of what is sent. Those of figures
// are behind those of the values.
func compared(results []weir.Result, e weir.Experiment) []Comparison {
	var out []*Comparison
	at := map[goal]*Comparison{}
	tells := telling(results, e)
	doubted := doubtOf
	if e.Schedule == weir.Abreast {
		doubted = doubtOfArm
	}
	place := func(g goal, r *weir.Result, value float64, missing string) {
		if r.Unmeasured != "" {
			value = 0
		}
		c := at[g]
		if c == nil {
			c = &Comparison{Method: g.method, LossRatio: g.loss, ExceedRatio: g.exceed, Unit: g.unit, Figure: g.figure, Transfer: g.transfer,
				Traffic: result.Level(r.Factors["frame_size"]), Factors: maps.Clone(r.Factors)}
			at[g] = c
			out = append(out, c)
		}
		s := Sample{Run: r.Run, Arm: r.Run.Arm, Value: value, Result: r, Doubt: doubted(r)}
		if s.Doubt == "" && lowerBound(r) {
			s.Slow = r.Sweep != nil && r.Limited == weir.LimitedBySpeed
			if s.AtLeast = g.figure == ""; !s.AtLeast {
				s.Doubt = AtLeastRate
			}
		}
		if r.Run.Again {
			s.Arm += Again
		}
		if s.Doubt == "" && !(value > 0) {
			s.Doubt = missing
		}
		maps.DeleteFunc(c.Factors, func(k string, v any) bool { return result.Level(r.Factors[k]) != result.Level(v) })
		c.Runs = append(c.Runs, s)
	}
	own := goals(results, tells)
	for i := range results {
		r, g := &results[i], own[i]
		place(g, r, r.Value, nothing(r.Value))
		for m := range result.ComparedByRuns(r) {
			v, _ := m.Of(r)
			g.figure, g.unit = m.ID, m.Compared.Unit
			place(g, r, v.Value, m.Compared.Missing)
		}
	}
	out = slices.DeleteFunc(out, func(c *Comparison) bool {
		return c.Figure != "" && !slices.ContainsFunc(c.Runs, func(s Sample) bool { return s.Value > 0 })
	})
	sortPlan(out, e)
	sorted := make([]Comparison, len(out))
	for i, c := range out {
		slices.SortStableFunc(c.Runs, func(a, b Sample) int { return cmp.Compare(a.Run.Number, b.Run.Number) })
		sorted[i] = *c
	}
	return sorted
}

// telling are the levels that tell comparisons apart: those that differ between
// runs of one arm. A level that is the same in all runs of each arm belongs to
// what is compared, whatever its name.
func telling(results []weir.Result, e weir.Experiment) []string {
	of := map[string]weir.Factors{} // what an arm began with
	found := map[string]bool{}
	for i := range results {
		r := &results[i]
		first, known := of[r.Run.Arm]
		if !known {
			of[r.Run.Arm] = r.Factors
			continue
		}
		for _, f := range []weir.Factors{first, r.Factors} {
			for k := range f {
				if !found[k] && result.Level(first[k]) != result.Level(r.Factors[k]) {
					found[k] = true
				}
			}
		}
	}
	for _, f := range e.Factors {
		if !f.Traffic {
			delete(found, f.Name)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// placeOf are the levels of those names.
func placeOf(f weir.Factors, names []string) string {
	var s strings.Builder
	for _, k := range names {
		s.WriteString(k + "=" + result.Level(f[k]) + "\n")
	}
	return s.String()
}

// sortPlan sorts comparisons as the plan has them: blocks are measured in random
// order.
func sortPlan(all []*Comparison, e weir.Experiment) {
	order := map[string]int{}
	for _, c := range all {
		if _, known := order[c.Method]; !known {
			order[c.Method] = len(order)
		}
	}
	slices.SortStableFunc(all, func(a, b *Comparison) int {
		if d := cmp.Compare(order[a.Method], order[b.Method]); d != 0 {
			return d
		}
		for _, f := range e.Factors {
			if d := cmp.Compare(slices.Index(f.Levels, result.Level(a.Factors[f.Name])), slices.Index(f.Levels, result.Level(b.Factors[f.Name]))); f.Traffic && d != 0 {
				return d
			}
		}
		if d := cmp.Compare(number(a.Traffic), number(b.Traffic)); d != 0 {
			return d
		}
		return 0
	})
}

// number is a size, or behind all sizes the name of a mix.
func number(traffic string) int {
	if n, err := strconv.Atoi(traffic); err == nil {
		return n
	}
	return 1 << 30
}
