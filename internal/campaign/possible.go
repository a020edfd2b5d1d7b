package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir"
)

// The methods that do something to the DUT during a trial, and what they do.
const (
	resetName       = "reset"
	learningName    = "fib-learning"
	convergenceName = "bgp-convergence"

	announceEvent = "announce"
	withdrawEvent = "withdraw"
	daemonEvent   = "reset daemon"
	hookEvent     = "reset hook"
)

// Impossible says what of the plan a testbed cannot do that has these events;
// nil where it can do all of it.
func (p Plan) Impossible(events []string) error {
	var errs []error
	can := cmp.Or(strings.Join(events, ", "), "nothing")
	for _, s := range p.Steps {
		switch name := s.Method.Name; {
		case name == resetName && s.Params.Event != "" && !slices.Contains(events, s.Params.Event):
			errs = append(errs, fmt.Errorf("%s: this testbed has no event %q; what it can do to the DUT: %s", name, s.Params.Event, can))
		case name == resetName && s.Params.Event == "" && !slices.ContainsFunc(events, isReset):
			errs = append(errs, fmt.Errorf("%s: this testbed cannot reset the DUT; what it can do to it: %s", name, can))
		case (name == learningName || name == convergenceName) && !slices.Contains(events, announceEvent):
			errs = append(errs, fmt.Errorf("%s: this testbed cannot announce routes during a trial; what it can do to the DUT: %s", name, can))
		}
	}
	return errors.Join(errs...)
}

func isReset(event string) bool { return strings.HasPrefix(event, resetName) }

// suits notes what a step wants of the DUT and does not get at some level of
// the plan, on whatever testbed it is.
func (r *reader) suits(n node, s Step, p Plan) {
	name, event := s.Method.Name, ""
	if name == resetName {
		event = s.Params.Event
	}
	if event == hookEvent && len(p.DUT.ResetHook) == 0 {
		r.wrong(n, "%s: there is no command for the event %q: give dut.reset_hook", name, hookEvent)
	}
	for _, l := range p.Levels {
		at, routes := "", l.Condition.Routes
		if len(p.Levels) > 1 {
			at = fmt.Sprintf(" at the level %q", l.Name)
		}
		switch {
		case routes.Count == 0 && (name == learningName || name == convergenceName || event == announceEvent || event == withdrawEvent):
			r.wrong(n, "%s needs routes, and there are none%s: put {routes: 10k} among the modifiers instead, or dut.routes", cmp.Or(event, name), at)
		case name == convergenceName && routes.Via != weir.ViaBGP:
			r.wrong(n, "%s needs routes that are learnt through BGP, and these are not%s: say {count: %d, via: bgp}", name, at, routes.Count)
		case event == daemonEvent && routes.Via != weir.ViaBGP && !l.Condition.Updates:
			r.wrong(n, "%s needs a routing daemon in the DUT, and there is none%s: give it routes {via: bgp}, or updates", event, at)
		default:
			continue
		}
		return // once
	}
}

// early notes a step of which something is to happen after its trials.
func (r *reader) early(n node, s Step) {
	p := s.Params
	if what := awaited(s); what != "" && p.Settled >= p.Trial {
		r.wrong(n, "%s would come %v after the start, when a trial of %v is over: give a shorter time (settled) or longer trials (trial)", what, p.Settled, p.Trial)
	}
}

// awaited is what begins in each trial of a step after Settled; "": nothing.
func awaited(s Step) string {
	switch {
	case s.Method.Name == resetName:
		return "the reset"
	case s.Method.Name == learningName, s.Method.Name == convergenceName:
		return "the announcement"
	case s.Params.Tags > 0:
		return "the first tagged frame"
	}
	return ""
}
