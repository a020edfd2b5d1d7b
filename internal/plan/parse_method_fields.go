package plan

import (
	"slices"

	"weir"
	"weir/internal/method"
	"weir/internal/schema"
)

// methodFields are what a plan may say of a method: what all methods have, and the
// parameters of each group of them, which stand in method.Params as they do here.
func (r *reader) methodFields(s *Step) []field {
	p := &s.Params
	return slices.Concat(
		transferFields(&p.Transfer),
		[]field{methodField()},
		sharedFields(p),
		ladderFields(&p.Ladder),
		phaseFields(&p.Phases),
		[]field{goalsField(&p.MLR), scalarField("interval", &p.Soak.Interval, length).means("soak: what one point of its curve stands for", "")},
		[]field{
			// The time of windows is the "within" of a step (params).
			scalarField("window", &p.Windows.Window, schema.Within(schema.Duration, shortestWindow, longestWindow)).means("sweep, overload: length of a window", ""),
			scalarField("within", &s.Within, length).means("no trial begins that would end after this time; a search that is cut short says so, with the bounds that it has; at least twice as long as a trial", ""),
			custom("claim", func() schema.Shape { return schema.Choice(method.Names()...) }, func(r *reader, n node) { s.Claim = r.claim(n) }).
				means("the name that its results have to earn: `RFC 2544 throughput`; see [claims.md](claims.md)", ""),
		},
	)
}

// methodField describes the name of a method, which step reads.
func methodField() field {
	return custom("method", func() schema.Shape { return schema.Choice(methodNames()...) }, func(*reader, node) {}).
		means("which: `weir list methods` has them", "").needed()
}

// methodNames are those of all methods.
func methodNames() (out []string) {
	for _, m := range method.All() {
		out = append(out, m.Name)
	}
	return out
}

// methodsShape describes the methods of a plan.
func methodsShape() schema.Shape {
	var r reader
	return schema.ListOf(schema.Either(schema.Choice(methodNames()...), objectOf("a method", r.methodFields(&Step{})...)).Call("step"))
}

// length is how long something of a method takes.
var length = schema.Within(schema.Duration, shortest, longest)

// sharedFields are the parameters that methods of all kinds have.
func sharedFields(p *method.Params) []field {
	return []field{
		scalarField("loss", &p.Loss, schema.Ratio).means("highest loss ratio at which a trial is good: `0`, `0.5%`", ""),
		scalarField("exceed", &p.Exceed, schema.Ratio).means("share of the trials at one load that may be bad; with `trials: 3` and `exceed: 50%` two of a kind decide", ""),
		scalarField("width", &p.Width, schema.Width).means("the search ends when its bounds are this near to one another, relative to the upper one; at least `0.01%`", ""),
		scalarField("trial", &p.Trial, length).means("duration of a trial; `10ms` to `24h`. Of a sweep that of its trial for the latency, at half of the knee: 300 ms unless the plan says otherwise, and at most a quarter of `within`", ""),
		scalarField("trials", &p.Trials, schema.Within(schema.Int, 1, mostTrials)).means("trials that may be spent at one load; 1 to 1000", ""),
		scalarField("load", &p.Load, overload).means("load as a share of the throughput: `50%`, and `110%` for a recovery; at most `1000%`", ""),
		scalarField("minimum", &p.Minimum, schema.Rate).means("lower bound of the search, frames/s for each port", ""),
		scalarField("maximum", &p.Maximum, schema.Rate).means("upper bound of the search, frames/s for each port", ""),
	}
}

// ladderFields are those of methods that go through loads step by step.
func ladderFields(l *method.Ladder) []field {
	return []field{scalarField("step", &l.Step, schema.Step).
		means("loss rate, MFR, overload: by how much the load changes, as a share of the maximum; `0.1%` to `50%`, of an overload at most 10 %", "")}
}

// phaseFields are those of methods whose trials have more than one phase.
func phaseFields(p *method.Phases) []field {
	return []field{
		scalarField("after", &p.After, schema.Load).means("recovery: the second load, as a share of the overload; overload: as one of the MLFRR", ""),
		scalarField("settled", &p.Settled, length).means("latency: when tagged frames begin; recovery, overload: how long the second load lasts; reset: when the reset comes", ""),
		scalarField("tags", &p.Tags, schema.Within(schema.Int, 0, weir.MaxTags)).means("tagged frames of each trial, whose latencies are kept one by one; at most 1000", ""),
		scalarField("event", &p.Event, schema.Line).means("reset: what is done to the DUT", ""),
	}
}

// goalsField describes the goals of an MLRsearch.
func goalsField(m *method.MLR) field {
	shape := func() schema.Shape { return schema.ListOf(objectOf("a goal", goalFields(&method.Goal{})...)) }
	return custom("goals", shape, func(r *reader, n node) { m.Goals = r.goals(n) }).
		means("mlrsearch: `[{loss: 0, exceed: 50%, initial: 1s, final: 1s, sum: 21s, width: 0.5%}]`, at most 16; see [methods](plans.md#methods)", "")
}

// goalFields are those of a goal.
func goalFields(g *method.Goal) []field {
	return []field{
		scalarField("loss", &g.Loss, schema.Ratio).means("highest loss ratio at which a trial is good", "0"),
		scalarField("exceed", &g.Exceed, schema.Ratio).means("share of the trials at one load that may be bad", "0"),
		scalarField("width", &g.Width, schema.Width).means("at which the search ends", ""),
		scalarField("initial", &g.Initial, length).means("duration of the first trials", "`final`"),
		scalarField("final", &g.Final, length).means("duration of the last trials", "").needed(),
		scalarField("sum", &g.Sum, length).means("how long trials at one load last together", "`final`"),
	}
}

// goals reads those of an MLRsearch (RFC 9971 section 4.6).
func (r *reader) goals(n node) []method.Goal {
	var out []method.Goal
	r.list(n, "goals", func(n node) {
		var g method.Goal
		r.object(n, "a goal", goalFields(&g)...)
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
