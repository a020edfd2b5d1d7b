package campaign

import (
	"slices"

	"weir/internal/method"
)

// selfTest is the method that a campaign runs by itself before all others.
const selfTest = "self-test"

// Measurable are the methods that a plan may name.
func Measurable() []method.Method {
	var out []method.Method
	for _, m := range method.All() {
		if m.Name != selfTest {
			out = append(out, m)
		}
	}
	return out
}

// defaultMethods is what is measured when a plan does not say.
var defaultMethods = []string{"frmol", "throughput", "latency"}

// methods reads the steps of a plan.
func (r *reader) methods(n node) []Step {
	var known []string
	for _, m := range Measurable() {
		known = append(known, m.Name)
	}
	if n.kind == empty {
		n = node{kind: list, line: 1, column: 1}
		for _, name := range defaultMethods {
			n.items = append(n.items, node{kind: scalar, text: name, line: 1, column: 1})
		}
	}
	var steps []Step
	r.list(n, "methods", func(n node) {
		step, ok := r.step(n, known)
		if !ok {
			return
		}
		if step.Method.Name == "latency" && !slices.ContainsFunc(steps, isThroughput) {
			r.wrong(n, "latency is measured at a share of the throughput: put {method: throughput, loss: 0} before it")
		}
		steps = append(steps, step)
	})
	return steps
}

// isThroughput reports whether a step finds what the load of a latency refers to.
func isThroughput(s Step) bool { return s.Method.Name == "throughput" && s.Params.Loss == 0 }

// step reads one method, a bare name or an object with parameters.
func (r *reader) step(n node, known []string) (Step, bool) {
	name := n
	if n.kind == object {
		var ok bool
		if name, ok = n.find("method"); !ok {
			r.wrong(n, "which method? {method: throughput}, say; weir list methods has them all")
			return Step{}, false
		}
	}
	var word string
	oneOf("method", &word, known...).read(r, name)
	m, ok := method.ByName(word) // an unknown one was noted, and its parameters are read for their mistakes
	s := Step{Method: m, Params: m.Defaults}
	if n.kind == object {
		r.params(n, &s)
	}
	return s, ok
}

func (r *reader) params(n node, s *Step) {
	p := &s.Params
	r.object(n, "a method",
		field{"method", func(*reader, node) {}}, // read by step
		scalarField("loss", &p.Loss, parseRatio),
		scalarField("exceed", &p.Exceed, parseRatio),
		scalarField("width", &p.Width, parseWidth),
		scalarField("trial", &p.Trial, within(parseDuration, shortest, longest)),
		scalarField("trials", &p.Trials, within(parseInt, 1, mostTrials)),
		scalarField("load", &p.Load, parseLoad),
		scalarField("minimum", &p.Minimum, ParseRate),
		scalarField("maximum", &p.Maximum, ParseRate),
		scalarField("within", &s.Within, within(parseDuration, shortest, longest)),
	)
	if s.Within > 0 && s.Within < 2*p.Trial {
		r.wrong(n, "within %v there is no room for trials of %v: at least twice as much", s.Within, p.Trial)
	}
	if p.Maximum > 0 && p.Maximum <= p.Minimum {
		r.wrong(n, "the maximum of %.0f frames/s is not above the minimum of %.0f", p.Maximum, p.Minimum)
	}
}
