package plan

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"weir"
)

// The events that want something of a DUT's setup.
const (
	announceEvent = "announce"
	withdrawEvent = "withdraw"
	daemonEvent   = "reset daemon"
	hookEvent     = "reset hook"
)

// Impossible says what of the plan a testbed cannot do that has these events;
// nil where it can do all of it.
func (p Plan) Impossible(events []string) error {
	var errs []error
	for _, s := range p.Steps {
		if s.Method.Does == nil {
			continue
		}
		if _, err := s.Method.Event(s.Params, events); err != nil {
			errs = append(errs, s.wrong("%v", err))
		}
	}
	return errors.Join(errs...)
}

// wrong is a mistake at the place of a step, where that is known.
func (s Step) wrong(format string, args ...any) error {
	m := s.At
	if m.Message = fmt.Sprintf(format, args...); m.Line == 0 {
		return errors.New(m.Message)
	}
	return m
}

// suits notes what a step wants of the DUT and does not get at some level of
// the plan, on whatever testbed it is.
func (r *reader) suits(n node, s Step, p Plan) {
	does := s.Method.Does
	if does == nil {
		return
	}
	name, event := s.Method.Name, s.Params.Phases.Event
	if event == hookEvent && len(p.DUT.ResetHook) == 0 {
		r.wrong(n, "%s: there is no command for the event %q: give dut.reset_hook", name, hookEvent)
	}
	for _, l := range p.Levels {
		at, routes := "", l.Condition.Routes
		if len(p.Levels) > 1 {
			at = fmt.Sprintf(" at the level %q", l.Name)
		}
		switch {
		case l.hasSessions() && strings.HasPrefix(cmp.Or(event, does.Event), "reset"):
			r.wrong(n, "%s ends the PPPoE sessions of the DUT, and nobody opens them again within a trial%s: take a plan without traffic.sessions for it", name, at)
		case routes.Count == 0 && (does.Routes || event == announceEvent || event == withdrawEvent):
			r.wrong(n, "%s needs routes, and there are none%s: put {routes: 10k} among the modifiers instead, or dut.routes", cmp.Or(event, name), at)
		case does.BGP && routes.Via != weir.ViaBGP:
			r.wrong(n, "%s needs routes that are learnt through BGP, and these are not%s: say {count: %d, via: bgp}", name, at, routes.Count)
		case event == daemonEvent && routes.Via != weir.ViaBGP && !l.Condition.Updates:
			r.wrong(n, "%s needs a routing daemon in the DUT, and there is none%s: give it routes {via: bgp}, or updates", event, at)
		default:
			continue
		}
		return // once
	}
}

// roomy notes a search that has less time than the trials of a goal take at one
// load. The rest of the plan is known.
func (r *reader) roomy(n node, s Step, p Plan) {
	if s.Within == 0 {
		return
	}
	at, _ := n.find("within")
	for _, g := range s.Params.MLR.Goals {
		if g.Final <= 0 {
			continue
		}
		// So much of the sum settles a lower bound at least: what must not exceed
		// the loss.
		least := time.Duration(float64(g.Sum) * (1 - g.Exceed))
		trials := max(1, (least+g.Final-1)/g.Final)
		if takes := trials * p.TrialCost(g.Final); takes > s.Within {
			r.wrong(at, "within %v there is no room for a goal with a sum of %v: its trials at one load alone take %v, pauses included, and a search wants several loads", s.Within, g.Sum, takes)
			return // once
		}
	}
}

// early notes a step of which something is to happen after its trials.
func (r *reader) early(n node, s Step) {
	p := s.Params
	if what := awaited(s); what != "" && p.Phases.Settled >= p.Trial {
		r.wrong(n, "%s would come %v after the start, when a trial of %v is over: give a shorter time (settled) or longer trials (trial)", what, p.Phases.Settled, p.Trial)
	}
}

// awaited is what begins in each trial of a step after Settled; "": nothing.
func awaited(s Step) string {
	switch {
	case s.Method.Does != nil:
		return s.Method.Does.What
	case s.Params.Phases.Tags > 0:
		return "the first tagged frame"
	}
	return ""
}
