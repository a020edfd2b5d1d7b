package plan

import (
	"slices"
	"time"

	"weir"
	"weir/internal/method"
	"weir/internal/schema"
)

// methodFields are what a plan may say of a method: what all methods have, and the
// parameters of each group of them, which stand in method.Params as they do here.
func methodFields(s *Step) []field {
	p := &s.Params
	return slices.Concat(
		transferFields(&p.Transfer),
		[]field{{"method", func(*reader, node) {}}}, // read by step
		sharedFields(p),
		ladderFields(&p.Ladder),
		phaseFields(&p.Phases),
		goalFields(&p.MLR),
		soakFields(&p.Soak),
		windowFields(&p.Windows),
		[]field{
			scalarField("within", &s.Within, parseLength),
			{"claim", func(r *reader, n node) { s.Claim = r.claim(n) }},
		},
	)
}

// parseLength reads how long something of a method takes.
func parseLength(s string) (time.Duration, error) {
	return schema.Within(schema.Duration, shortest, longest)(s)
}

// sharedFields are the parameters that methods of all kinds have.
func sharedFields(p *method.Params) []field {
	return []field{
		scalarField("loss", &p.Loss, schema.Ratio),
		scalarField("exceed", &p.Exceed, schema.Ratio),
		scalarField("width", &p.Width, schema.Width),
		scalarField("trial", &p.Trial, parseLength),
		scalarField("trials", &p.Trials, schema.Within(schema.Int, 1, mostTrials)),
		scalarField("load", &p.Load, parseOverload),
		scalarField("minimum", &p.Minimum, schema.Rate),
		scalarField("maximum", &p.Maximum, schema.Rate),
	}
}

// ladderFields are those of methods that go through loads step by step.
func ladderFields(l *method.Ladder) []field {
	return []field{scalarField("step", &l.Step, schema.Step)}
}

// phaseFields are those of methods whose trials have more than one phase.
func phaseFields(p *method.Phases) []field {
	return []field{
		scalarField("after", &p.After, schema.Load),
		scalarField("settled", &p.Settled, parseLength),
		scalarField("tags", &p.Tags, schema.Within(schema.Int, 0, weir.MaxTags)),
		scalarField("event", &p.Event, parseText),
	}
}

// goalFields are those of an MLRsearch.
func goalFields(m *method.MLR) []field {
	return []field{{"goals", func(r *reader, n node) { m.Goals = r.goals(n) }}}
}

// soakFields are those of a soak.
func soakFields(s *method.Soak) []field {
	return []field{scalarField("interval", &s.Interval, parseLength)}
}

// windowFields are those of methods that measure in windows. Their time is the
// "within" of a step (params).
func windowFields(w *method.Windows) []field {
	return []field{scalarField("window", &w.Window, schema.Within(schema.Duration, shortestWindow, longestWindow))}
}

// goals reads those of an MLRsearch (RFC 9971 section 4.6).
func (r *reader) goals(n node) []method.Goal {
	var out []method.Goal
	r.list(n, "goals", func(n node) {
		var g method.Goal
		r.object(n, "a goal",
			scalarField("loss", &g.Loss, schema.Ratio),
			scalarField("exceed", &g.Exceed, schema.Ratio),
			scalarField("width", &g.Width, schema.Width),
			scalarField("initial", &g.Initial, parseLength),
			scalarField("final", &g.Final, parseLength),
			scalarField("sum", &g.Sum, parseLength))
		if n.kind == object && g.Final == 0 {
			r.wrong(n, "a goal needs the duration of its final trials: {final: 1s, sum: 21s, loss: 0, exceed: 50%%}")
		}
		if g.Sum != 0 && g.Sum < g.Final {
			r.wrong(n, "the sum of %v is less than one final trial of %v", g.Sum, g.Final)
		}
		if g.Final != 0 && g.Initial > g.Final {
			r.wrong(n, "the initial trials of %v are longer than the final ones of %v", g.Initial, g.Final)
		}
		if g.Sum == 0 {
			g.Sum = g.Final
		}
		out = append(out, g)
	})
	if len(out) > mostGoals {
		r.wrong(n, "%d goals are too many for one search: at most %d", len(out), mostGoals)
	}
	return out
}
