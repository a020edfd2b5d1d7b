package plan

import (
	"slices"

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

// defaultMethods are what is measured when a plan does not say, and asks for no
// profile that does.
var defaultMethods = []string{"frmol", throughputName, "latency"}

// methods reads the steps of a plan, of which the rest is known.
func (r *reader) methods(d *draft) {
	n, p := d.methods, d.plan
	if n.kind == empty {
		n = node{kind: list, line: 1, column: 1}
		usual := defaultMethods
		if p.Profile == RFC2544 {
			usual = claim.SixTests()
		}
		for _, name := range usual {
			n.items = append(n.items, node{kind: scalar, text: name, line: 1, column: 1})
		}
	}
	d.sound = len(r.mistakes) == 0
	r.list(n, "methods", func(n node) {
		step, ok := r.step(n, p.Profile)
		if !ok {
			return
		}
		d.at, d.step = n, step
		r.hold(afterStep, d)
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
func (r *reader) profile(n node) (on, said bool) {
	if n.kind == empty {
		return false, false
	}
	scalarField("profile", &on, schema.Bool).read(r, n)
	return on, true
}

// step reads one method, a bare name or an object with parameters.
func (r *reader) step(n node, profile string) (Step, bool) {
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
	if profile == RFC2544 {
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
