package proof

import (
	"fmt"
	"slices"

	"weir"
	"weir/internal/result"
	"weir/stats"
)

// effects estimates those of the factors of each method, over all traffic, where
// there are several factors.
func (p *Proof) effects() {
	if len(p.Experiment.Factors) < 2 {
		return
	}
	var factors []stats.Factor
	for _, f := range p.Experiment.Factors {
		factors = append(factors, stats.Factor{Name: f.Name, Levels: f.Levels, Between: f.Traffic})
	}
	type kind struct {
		method       string
		unit, figure string
		loss, exceed float64
		number       int // of the comparisons alike in all levels
		transfer     weir.Transfer
	}
	var order []kind
	rows := map[kind][]stats.Row{}
	vetoed := map[kind][]weir.Warning{}
	seen := map[string]int{}
	for _, c := range p.Comparisons {
		if c.Figure != "" || c.Unmeasured() != "" {
			continue
		}
		k := kind{c.Method, c.Unit, c.Figure, c.LossRatio, c.ExceedRatio, 0, c.Transfer}
		place := fmt.Sprint(k, c.Factors)
		k.number = seen[place]
		seen[place]++
		if _, known := rows[k]; !known {
			order = append(order, k)
			rows[k] = nil
		}
		for _, w := range c.Vetoes {
			vetoed[k] = weir.AddWarning(vetoed[k], w)
		}
		for _, arm := range c.open {
			vetoed[k] = weir.AddWarning(vetoed[k], weir.Warn(weir.TesterLimited, "of %s it is only known what it does at least", arm))
		}
		for _, s := range c.Runs {
			if s.Doubt == "" && !s.Run.Again && s.Arm != weir.ReferenceArm {
				rows[k] = append(rows[k], stats.Row{Levels: levelsOf(s.Result, factors), Block: s.Run.Block, Replicate: s.Run.Replicate, Value: s.Value})
			}
		}
	}
	for _, k := range order {
		terms, err := stats.Factorial(rows[k], factors, stats.Options{Confidence: p.Experiment.Confidence})
		if err != nil {
			p.Warnings = weir.AddWarning(p.Warnings, weir.Warn(NoEffects, "the effects of the factors on %s are not told: %v", k.method, err))
			continue
		}
		if len(terms) == 0 {
			continue
		}
		e := Effects{Method: k.method, LossRatio: k.loss, Unit: k.unit, Transfer: k.transfer, Vetoes: vetoed[k]}
		for _, t := range terms {
			e.Terms = append(e.Terms, Term{Factors: t.Factors, Levels: t.Levels, Change: t.Change, P: t.P})
		}
		p.Effects = append(p.Effects, e)
	}
}

// levelsOf are the levels of a result in the order of the factors.
func levelsOf(r *weir.Result, factors []stats.Factor) []string {
	out := make([]string, len(factors))
	for i, f := range factors {
		out[i] = result.Level(r.Factors[f.Name])
		if v, ok := r.Factors[f.Name].(bool); ok && !slices.Contains(f.Levels, out[i]) {
			out[i] = map[bool]string{true: "on", false: "off"}[v]
		}
	}
	return out
}
