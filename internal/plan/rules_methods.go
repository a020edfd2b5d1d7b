package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"weir"
	"weir/internal/claim"
	"weir/internal/method"
)

// methodRules are those of methods, in the plan that they are of.
var methodRules = []rule{
	{"a method comes after those that it needs", afterStep, func(d *draft) weir.Problems {
		m := d.step.Method
		found := len(m.Needs) == 0 || slices.ContainsFunc(d.plan.Steps, func(s Step) bool { return meets(s, m.Needs, m.Lossy) })
		return d.at.when(!found, "%s refers to what %s finds", m.Name, strings.Join(m.Needs, " or ")).Advise("put %s before it", wanted(m.Needs))
	}},
	{"what happens in a trial begins in it", afterStep, func(d *draft) weir.Problems {
		p, what := d.step.Params, awaited(d.step)
		return d.at.when(what != "" && p.Phases.Settled >= p.Trial, "%s would come %v after the start, when a trial of %v is over", what, p.Phases.Settled, p.Trial).Advise("give a shorter time (settled) or longer trials (trial)")
	}},
	{"a method takes what is said of it", afterStep, func(d *draft) (out weir.Problems) {
		for _, e := range d.at.entries {
			why := whyFieldUnsupported(e.key.text, d.step.Method)
			out = append(out, e.key.when(why != "", "%s", why).Advise("leave %s out", e.key.text)...)
		}
		return out
	}},
	{"a warm-up leaves something of a trial", afterStep, func(d *draft) weir.Problems {
		m, trial, warmUp := d.step.Method, d.step.Params.Trial, d.step.Params.Transfer.WarmUp
		return d.at.when(m.Application && slices.Contains(m.Takes, "trial") && warmUp >= trial, "a warm-up of %v leaves nothing of a trial of %v", warmUp, trial).Advise("make it shorter (warm_up), or the trial longer")
	}},
	{"a test is one of its program", afterStep, func(d *draft) weir.Problems {
		m := d.step.Method
		at, given := d.at.find("test")
		return at.when(given && len(m.Tests) > 0 && !d.step.knowsTest(), "%s has no test %s; it has %s", m.Name, d.step.Params.Transfer.Test, strings.Join(m.Tests, ", "))
	}},
	{"a rate is of datagrams", afterStep, func(d *draft) weir.Problems {
		m, datagrams := d.step.Method, d.step.datagrams()
		at, given := d.at.find("rate")
		return at.when(given && d.step.knowsTest() && datagrams != "" && !d.step.sendsDatagrams() && slices.Contains(m.Takes, "rate"), "TCP sends all it can, and a rate is of datagrams").Advise("leave rate out, or add test: %s", datagrams)
	}},
	{"a warm-up is of streams", afterStep, func(d *draft) weir.Problems {
		m := d.step.Method
		at, given := d.at.find("warm_up")
		return at.when(given && d.step.sendsDatagrams() && d.step.datagrams() != "" && slices.Contains(m.Takes, "warm_up"), "%s counts all of its datagrams, and has a warm-up for TCP alone", m.Name).Advise("leave warm_up out")
	}},
	{"a datagram says which it is", afterStep, func(d *draft) weir.Problems {
		at, given := d.at.find("payload")
		size := d.step.Params.Transfer.Payload
		return at.when(given && d.step.sendsDatagrams() && size > 0 && size < leastPayload, "payload: %d octets have no room for what says which datagram it is", size).Advise("%d to %d", leastPayload, mostPayload)
	}},
	{"an access line has a concentrator", afterStep, func(d *draft) weir.Problems {
		m := d.step.Method
		return d.at.when(m.Line && !slices.ContainsFunc(d.plan.Levels, Level.hasAccess), "%s needs a PPPoE concentrator", m.Name).Advise("give the end host access: {pppoe: %s} (dut: {access: {pppoe: %[1]s}})", weir.Userland)
	}},
	{"a goal fits the time of a search", afterStep, checkGoals},
	{"windows fit the time of a method", afterStep, checkWindows},
	{"a DUT can do what a method asks of it", afterStep, checkRequirements},
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

// ofEvery are the fields that all methods take.
var ofEvery = []string{"method", "trials", "within", "claim"}

// untaken says why a method does not take a field of methods; "" where it does, or
// there is no such field.
func whyFieldUnsupported(name string, m method.Method) string {
	var s Step
	switch {
	case slices.Contains(ofEvery, name), slices.Contains(m.Takes, name), !slices.Contains(names((&reader{}).methodFields(&s)), name):
		return ""
	case !m.Application && slices.Contains(names(transferFields(&s.Params.Transfer)), name):
		return fmt.Sprintf("%s is of transfers, and %s sends test frames", name, m.Name)
	case !m.Application:
		return fmt.Sprintf("%s has no use for %s: it takes %s", m.Name, name, strings.Join(append(slices.Clone(m.Takes), ofEvery[1:]...), ", "))
	case name == "trial", slices.Contains(names(streamFields(&s.Params.Transfer)), name):
		return untakenOfStream(name, m)
	case slices.Contains(names(fileFields(&s.Params.Transfer)), name):
		return fmt.Sprintf("%s moves no files, and %s is of these", m.Name, name)
	}
	return fmt.Sprintf("%s is of test frames, and %s sends none", name, m.Name)
}

// untakenOfStream says why a transfer does not take a field of streams.
func untakenOfStream(name string, m method.Method) string {
	files := slices.Contains(m.Takes, "files")
	switch {
	case files && name == "trial":
		return m.Name + " moves files, and lasts until all are where they belong"
	case files:
		return fmt.Sprintf("%s moves files, and %s is of streams", m.Name, name)
	case name == "warm_up":
		return m.Name + " has no warm-up, and all of its time counts"
	case name == "rate":
		return m.Name + " holds no rate (udp does)"
	case name == "test":
		return m.Name + " has one test only"
	}
	return fmt.Sprintf("%s has no %s", m.Name, name)
}

// knowsTest reports whether the test of a transfer is one that its program has.
func (s Step) knowsTest() bool {
	test := s.Params.Transfer.Test
	return test == "" || slices.Contains(s.Method.Tests, test)
}

// sendsDatagrams reports whether the transfer of a step is one of datagrams.
func (s Step) sendsDatagrams() bool {
	return s.Method.Application && s.knowsTest() && claim.Datagrams(cmp.Or(s.Params.Transfer.Test, s.Method.Name))
}

// datagrams is the first test of a method that is one of datagrams; "": none is.
func (s Step) datagrams() string {
	if i := slices.IndexFunc(s.Method.Tests, claim.Datagrams); i >= 0 {
		return s.Method.Tests[i]
	}
	return ""
}

// checkGoals looks for a search that has less time than the trials of a goal take at one load.
func checkGoals(d *draft) weir.Problems {
	s := d.step
	if s.Within == 0 {
		return nil
	}
	for _, g := range s.Params.MLR.Goals {
		if g.Final <= 0 {
			continue
		}
		// So much of the sum settles a lower bound at least: what must not exceed
		// the loss.
		least := time.Duration(float64(g.Sum) * (1 - g.Exceed))
		trials := max(1, (least+g.Final-1)/g.Final)
		if takes := trials * d.plan.TrialCost(g.Final); takes > s.Within {
			return d.at.first("within").wrong("within %v there is no room for a goal with a sum of %v: its trials at one load alone take %v, pauses included, and a search wants several loads", s.Within, g.Sum, takes)
		}
	}
	return nil
}

// checkWindows compares the windows of a method with its time, which has to have room for enough of
// them, and for no more than trials can have.
func checkWindows(d *draft) weir.Problems {
	m, p, w := d.step.Method, d.step.Params, d.step.Params.Windows
	tooFew := func(at node, least time.Duration) weir.Problems {
		return at.wrong("within %v there is no room for windows of %v", w.Time, w.Window).
			Advise("at least %d of them, so %v, or windows of at most %v", least, least*w.Window, (w.Time / least).Truncate(10*time.Microsecond))
	}
	switch {
	case m.Defaults.Windows.Window == 0:
		return nil
	case m.Abreast:
		if w.Time < fewestBlocks*w.Window {
			return tooFew(d.at.first("within", "window"), fewestBlocks)
		}
		return nil
	case !m.Rounds: // its time is its own, and no field of a plan
		if w.Time < fewestOverload*w.Window {
			return d.at.first("window").wrong("an overload has %v for windows, and no room for such of %v", w.Time, w.Window).
				Advise("at least %d of them, so windows of at most %v", fewestOverload, (w.Time / fewestOverload).Truncate(10*time.Microsecond))
		}
		return nil
	}
	var out weir.Problems
	if !(p.Loss > 0 && p.Loss < mostSweptLoss) {
		out = d.at.first("loss").wrong("a sweep looks for the load at a loss above 0 and below %.0f%%, and finds the one at no loss beside it", 100*mostSweptLoss).Advise("leave loss out, or give one such as 0.5%%")
	}
	trials, of := time.Duration(1), "the trial of a round"
	if d.plan.Rounds <= 1 { // its own rounds share the time
		trials, of = method.OwnRounds, fmt.Sprintf("%d trials", method.OwnRounds)
	}
	at, most := d.at.first("within", "window"), trials*weir.MaxWindows*(w.Window+method.WindowSilence)
	switch {
	case w.Time < fewestWindows*w.Window:
		out = append(out, tooFew(at, fewestWindows)...)
	case w.Time > most:
		out = append(out, at.wrong("within %v there are more windows of %v, with %v after each, than the %d that %s can have", w.Time, w.Window, method.WindowSilence, trials*weir.MaxWindows, of).
			Advise("take longer windows, or at most %v", most)...)
	case p.Trial > w.Time/calmShare: // not in addition to those above, which change the time or the windows first
		shorter := ""
		if part := w.Time / calmShare; part >= shortest {
			shorter = fmt.Sprintf("trial: %v or less, or ", part)
		}
		out = append(out, d.at.first("trial", "within").wrong("the trial for the latency takes %v of %v, and may take a quarter", p.Trial, w.Time).
			Advise("say %swithin: %v or more", shorter, calmShare*p.Trial)...)
	}
	return out
}

// The events that want something of a DUT's setup.
const (
	announceEvent = "announce"
	withdrawEvent = "withdraw"
	daemonEvent   = "reset daemon"
	hookEvent     = "reset hook"
)

// checkRequirements looks for what a method wants of the DUT and does not get at some level.
func checkRequirements(d *draft) (out weir.Problems) {
	does := d.step.Method.Does
	if does == nil || !d.sound {
		return nil
	}
	name, event := d.step.Method.Name, d.step.Params.Phases.Event
	if event == hookEvent && len(d.plan.DUT.ResetHook) == 0 {
		out = d.at.wrong("%s: there is no command for the event %q", name, hookEvent).Advise("give dut.reset_hook")
	}
	for _, l := range d.plan.Levels {
		at, routes := "", l.Condition.Routes()
		if len(d.plan.Levels) > 1 {
			at = fmt.Sprintf(" at the level %q", l.Name)
		}
		switch {
		case l.hasSessions() && strings.HasPrefix(cmp.Or(event, does.Event), "reset"):
			return append(out, d.at.wrong("%s ends the PPPoE sessions of the DUT, and nobody opens them again within a trial%s", name, at).Advise("take a plan without traffic.sessions for it")...)
		case routes.Count == 0 && (does.Routes || event == announceEvent || event == withdrawEvent):
			return append(out, d.at.wrong("%s needs routes, and there are none%s", cmp.Or(event, name), at).Advise("put {routes: 10k} among the modifiers instead, or dut.routes")...)
		case does.BGP && routes.Via != weir.ViaBGP:
			return append(out, d.at.wrong("%s needs routes that are learnt through BGP, and these are not%s", name, at).Advise("say {count: %d, via: bgp}", routes.Count)...)
		case event == daemonEvent && routes.Via != weir.ViaBGP && !l.Condition.Updates():
			return append(out, d.at.wrong("%s needs a routing daemon in the DUT, and there is none%s", event, at).Advise("give it routes {via: bgp}, or updates")...)
		}
	}
	return out
}
