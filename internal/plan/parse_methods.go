package plan

import (
	"fmt"
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

// defaultMethods are what is measured when a plan does not say, and asks for no
// profile that does.
var defaultMethods = []string{"frmol", throughputName, "latency"}

// methods reads the steps of a plan, of which the rest is known.
func (r *reader) methods(n, profile node, p Plan) []Step {
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
	var steps []Step
	sound := len(r.mistakes) == 0 // otherwise not all levels are known
	r.list(n, "methods", func(n node) {
		step, ok := r.step(n, p.Profile)
		if !ok {
			return
		}
		if needs := step.Method.Needs; len(needs) > 0 && !slices.ContainsFunc(steps, func(s Step) bool { return meets(s, needs, step.Method.Lossy) }) {
			r.wrong(n, "%s refers to what %s finds: put %s before it", step.Method.Name, strings.Join(needs, " or "), wanted(needs))
		}
		r.early(n, step)
		r.taken(n, step)
		r.subscribed(n, step, p.Levels)
		r.roomy(n, step, p)
		r.windowed(n, step, p.Rounds)
		if sound {
			r.suits(n, step, p)
		}
		steps = append(steps, step)
	})
	if on, ok := r.profile(profile); ok && on && !slices.ContainsFunc(steps, func(s Step) bool { return s.Method.Name == profileName }) {
		m, _ := method.ByName(profileName)
		if !slices.ContainsFunc(steps, func(s Step) bool { return meets(s, m.Needs, m.Lossy) }) {
			r.wrong(profile, "a profile is taken at a share of what the DUT forwards: put throughput among the methods")
		}
		steps = append(steps, Step{Method: m, Params: m.Params(method.Params{}), At: r.place(profile)})
	}
	return steps
}

// profile reads whether a profile is asked for.
func (r *reader) profile(n node) (on, said bool) {
	if n.kind == empty {
		return false, false
	}
	scalarField("profile", &on, schema.Bool).read(r, n)
	return on, true
}

// meets reports whether a step finds what another one needs. A throughput with
// loss is none, but where it will do.
func meets(s Step, needs []string, lossy bool) bool {
	return slices.Contains(needs, s.Method.Name) && (lossy || s.Method.Name != throughputName || s.Params.Loss == 0)
}

// wanted is how methods are written that others need.
func wanted(needs []string) string {
	var out []string
	for _, name := range needs {
		w := fmt.Sprintf("{method: %s}", name)
		if name == throughputName {
			w = "{method: throughput, loss: 0}"
		}
		out = append(out, w)
	}
	return strings.Join(out, " or ")
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

// windowed notes what a method that measures in windows has no room for, in a
// campaign of so many rounds.
func (r *reader) windowed(n node, s Step, rounds int) {
	p, w := s.Params, s.Params.Windows
	at := func(names ...string) node {
		for _, name := range names {
			if found, ok := n.find(name); ok {
				return found
			}
		}
		return n
	}
	switch {
	case s.Method.Defaults.Windows.Window == 0:
		return
	case s.Method.Abreast:
		if w.Time < fewestBlocks*w.Window {
			r.wrong(at("within", "window"), "within %v there is no room for windows of %v: at least %d of them, so %v, or windows of at most %v",
				w.Time, w.Window, fewestBlocks, fewestBlocks*w.Window, (w.Time / fewestBlocks).Truncate(10*time.Microsecond))
		}
		return
	case !s.Method.Rounds: // its time is its own, and no field of a plan
		if w.Time < fewestOverload*w.Window {
			r.wrong(at("window"), "an overload has %v for windows, and no room for such of %v: at least %d of them, so windows of at most %v",
				w.Time, w.Window, fewestOverload, (w.Time / fewestOverload).Truncate(10*time.Microsecond))
		}
		return
	}
	if !(p.Loss > 0 && p.Loss < mostSweptLoss) {
		r.wrong(at("loss"), "a sweep looks for the load at a loss above 0 and below %.0f%%, and finds the one at no loss beside it: leave loss out, or give one such as 0.5%%", 100*mostSweptLoss)
	}
	trials, of := time.Duration(1), "the trial of a round"
	if rounds <= 1 { // its own rounds share the time
		trials, of = method.OwnRounds, fmt.Sprintf("%d trials", method.OwnRounds)
	}
	least, most := fewestWindows*w.Window, trials*weir.MaxWindows*(w.Window+method.WindowSilence)
	switch {
	case w.Time < least:
		r.wrong(at("within", "window"), "within %v there is no room for windows of %v: at least %d of them, so %v, or windows of at most %v",
			w.Time, w.Window, fewestWindows, least, (w.Time / fewestWindows).Truncate(10*time.Microsecond))
	case w.Time > most:
		r.wrong(at("within", "window"), "within %v there are more windows of %v, with %v after each, than the %d that %s can have: take longer windows, or at most %v",
			w.Time, w.Window, method.WindowSilence, trials*weir.MaxWindows, of, most)
	case p.Trial > w.Time/calmShare: // not beside those above, which change the time or the windows first
		shorter := ""
		if part := w.Time / calmShare; part >= shortest {
			shorter = fmt.Sprintf("trial: %v or less, or ", part)
		}
		r.wrong(at("trial", "within"), "the trial for the latency takes %v of %v, and may take a quarter: say %swithin: %v or more",
			p.Trial, w.Time, shorter, calmShare*p.Trial)
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
