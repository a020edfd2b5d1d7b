package plan

import (
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
	"weir/internal/schema"
)

// SelfTest is the method that a campaign runs by itself before all others,
// whether or not its plan names it, and throughputName the one that others refer
// to.
const (
	SelfTest       = "self-test"
	throughputName = "throughput"
	profileName    = "profile"
)

// defaultMethods are what is measured when a plan does not say, and names no
// defaults that do.
var defaultMethods = []string{"frmol", throughputName, "latency"}

// methods reads the steps of a plan, of which the rest is known.
func (r *reader) methods(d *draft) {
	n, p := d.methods, d.plan
	if n.kind == empty {
		n = node{kind: list, line: 1, column: 1}
		usual := defaultMethods
		if p.Defaults == RFC2544 {
			usual = claim.SixTests()
		}
		for _, name := range usual {
			n.items = append(n.items, node{kind: scalar, text: name, line: 1, column: 1})
		}
	}
	d.sound = len(r.mistakes) == 0
	r.list(n, "methods", func(n node) {
		step, ok := r.step(n, p.Defaults)
		if !ok {
			return
		}
		d.at, d.step = n, step
		r.checkRules(afterStep, d)
		p.Steps = append(p.Steps, step)
	})
	if on, ok := r.profile(d.profile); ok && on && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Method.Name == profileName }) {
		m, _ := method.ByName(profileName)
		if !slices.ContainsFunc(p.Steps, func(s Step) bool { return meets(s, m.Needs, m.Lossy) }) {
			r.wrong(d.profile, "a profile is taken at a share of what the DUT forwards: put throughput among the methods")
		}
		p.Steps = append(p.Steps, Step{Method: m, Params: m.Params(method.Params{}), At: r.place(d.profile)})
	}
}

// profile reads whether a profile is asked for.
func (r *reader) profile(n node) (on, given bool) {
	if n.kind == empty {
		return false, false
	}
	scalarField("profile", &on, schema.Bool).read(r, n)
	return on, true
}

// step reads one method, a bare name or an object with parameters.
func (r *reader) step(n node, defaults string) (Step, bool) {
	name := n
	if n.kind == object {
		var ok bool
		if name, ok = n.find("method"); !ok {
			r.wrong(n, "which method? {method: throughput}, say; weir list methods has them all")
			return Step{}, false
		}
	}
	var word string
	oneOf("method", &word, methodNames()...).read(r, name)
	m, ok := method.ByName(word) // an unknown one was noted, and its parameters are read for their mistakes
	s := Step{Method: m, Params: m.Params(method.Params{}), At: r.place(n)}
	if defaults == RFC2544 {
		s.Params = m.ByTheBook(method.Params{})
	}
	if n.kind == object {
		r.params(n, &s)
	}
	return s, ok
}

// params reads the parameters of a step, and what they mean together.
func (r *reader) params(n node, s *Step) {
	p := &s.Params
	r.object(n, "a method", r.methodFields(s)...)
	if s.Method.Timed { // it keeps to its time itself
		if s.Within > 0 {
			p.Windows.Time, s.Within = s.Within, 0
		}
	}
	if s.Within > 0 && s.Within < 2*p.Trial {
		r.wrong(n, "within %v there is no room for trials of %v: at least twice as much", s.Within, p.Trial)
	}
	if p.Maximum > 0 && p.Maximum <= p.Minimum {
		r.wrong(n, "the maximum of %.0f frames/s is not above the minimum of %.0f", p.Maximum, p.Minimum)
	}
}

// claim reads the name that results have to earn.
func (r *reader) claim(n node) string {
	name := r.word(n, "claim")
	if name != "" && !method.CanEarn(name) {
		r.wrong(n, "no result can earn the name %q%s", name, didYouMean(name, method.Names()))
	}
	return name
}

// methodFields are what a plan may say of a method: what all methods have, and the
// parameters of each group of them, which are in method.Params as they are here.
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
			scalarField("window", &p.Windows.Window, schema.Within(schema.Duration, shortestWindow, longestWindow)).means("sweep, saturated, overload: length of a window", ""),
			scalarField("within", &s.Within, length).means("no trial begins that would end after this time; a search that is cut short says so, with the bounds that it has; at least twice as long as a trial", ""),
			custom("claim", claimShape, func(r *reader, n node) { s.Claim = r.claim(n) }).
				means("the name that its results have to earn: `RFC 2544 throughput`; see [claims.md](claims.md)", ""),
		},
	)
}

// claimShape describes the name that results have to earn: a known one, or one with figures.
func claimShape() schema.Shape {
	return schema.Either(schema.Choice(slices.DeleteFunc(method.Names(), func(name string) bool { return strings.Contains(name, " %") })...), schema.Line.Shape)
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
		scalarField("settled", &p.Settled, length).means("latency: when tagged frames begin; recovery, overload: how long the second load lasts; reset, fib-learning, bgp-convergence: when that begins which is waited for", ""),
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

// transferFields are what a plan may say of a transfer.
func transferFields(t *weir.Transfer) []field { return append(streamFields(t), fileFields(t)...) }

// streamFields are those of transfers that are streams.
func streamFields(t *weir.Transfer) []field {
	return []field{
		scalarField("test", &t.Test, schema.Line).means("of transfers: one of those that a program has by name: `weir list programs`", ""),
		scalarField("streams", &t.Streams, schema.Within(schema.Int, 1, mostStreams)).means("of transfers: streams side by side, 1 to 128", ""),
		scalarField("warm_up", &t.WarmUp, warmUp).means("of transfers: what of a trial does not count; `0`: all of it does", ""),
		scalarField("rate", &t.Rate, schema.Rate).means("of UDP alone: bit/s of each stream; all it can where it is left out", ""),
		scalarField("payload", &t.Payload, schema.Within(schema.Int, 1, mostPayload)).means("of transfers: octets of each datagram, 16 to 65507; of TCP, what it is given at once; of `TCP_RR`, each request and response", ""),
		scalarField("sessions", &t.Sessions, schema.Within(schema.Count, 1, mostSessions)).means("PPPoE subscribers that come, 1 to 60000", ""),
		scalarField("flood", &t.Flood, schema.Within(schema.Rate, 1, mostPADIs)).means("PADIs in a second: `100k`", ""),
	}
}

// fileFields are those of transfers of files.
func fileFields(t *weir.Transfer) []field {
	return []field{
		scalarField("files", &t.Files, schema.Within(schema.Int, 1, mostFiles)).means("of a file transfer: how many", ""),
		scalarField("size", &t.FileSize, schema.Octets).means("of a file transfer: the size of each, `1.9 GB`; k is 1000, Ki 1024", ""),
		oneOf("storage", &t.Storage, weir.Memory, weir.Disk).means("of a file transfer: `memory` or `disk`, at both ends", ""),
	}
}

// warmUp is a duration, of which 0 is not: whatever is usual.
var warmUp = schema.Custom(schema.Span, func(s string) (time.Duration, error) {
	d, err := schema.Within(schema.Duration, 0, longest).Read(s)
	if err == nil && d == 0 {
		d = method.NoWarmUp
	}
	return d, err
})
