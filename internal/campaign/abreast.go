package campaign

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"weir"
	"weir/internal/method"
)

// mostAbreast is how many DUTs stand side by side at most: each has a pair of
// ports, and waits for the windows of all others.
const mostAbreast = 8

// shared are settings of the DUT's kernel that all its namespaces have in common,
// or that change where their threads run.
var shared = []string{"cpus", "irq", "conntrack"}

// ownSysctls are where the settings lie that each network namespace has for itself.
var ownSysctls = []string{sysctlPrefix + "net.ipv4.", sysctlPrefix + "net.ipv6.", sysctlPrefix + "net.mpls."}

// schedule settles the order of the runs of an experiment: side by side where its
// arms can stand so, unless the plan says another one.
func (r *reader) schedule(runs node, p *Plan) {
	e := p.Experiment
	if e == nil || len(r.mistakes) > 0 {
		return
	}
	why := p.Apart()
	at, said := runs.find("order")
	switch {
	case said && e.Schedule == weir.Abreast && why != "":
		r.wrong(at, "the arms cannot stand side by side: %s; leave order out, or say order: %s", why, weir.Blocks)
	case !said && why == "":
		e.Schedule = weir.Abreast
	case !said:
		e.Schedule = weir.Blocks
	}
	if at, _ := runs.find("reference"); e.refers && e.Schedule != weir.Abreast {
		r.wrong(at, "a reference stands beside all other arms, and these cannot stand side by side: %s; leave reference out", cmp.Or(why, "the plan says order: "+string(e.Schedule)))
	}
	if reset, said := runs.find("reset"); e.Schedule == weir.Abreast && said && e.Reset != weir.Rebuild {
		r.wrong(reset, "arms that stand side by side are built anew for each run: leave reset out, or say order: %s", weir.Blocks)
	}
	if e.Schedule == weir.Abreast {
		e.Reset = weir.Rebuild
	}
}

// refer makes plain forwarding an arm, unless the baseline is that.
func (p *Plan) refer() {
	first := p.Levels[0].Condition
	if first.Path == weir.PathStack {
		first.Path = ""
	}
	if p.Experiment.Reference = p.Levels[0].Arm; first.IsZero() {
		return
	}
	p.Experiment.Reference = weir.ReferenceArm
	var strata []string
	for _, l := range p.Levels {
		if slices.Contains(strata, l.Stratum) {
			continue
		}
		strata = append(strata, l.Stratum)
		one := l
		one.Condition, one.Arm, one.Set = weir.Condition{}, weir.ReferenceArm, maps.Clone(l.Set)
		one.Name = strings.TrimPrefix(l.Stratum+", "+weir.ReferenceArm, ", ")
		for _, f := range p.Experiment.Factors {
			if !f.Traffic {
				one.Set[f.Name] = weir.ReferenceArm
			}
		}
		one.Traffic = nil
		for _, t := range l.Traffic {
			one.Traffic = append(one.Traffic, routeless(t))
		}
		p.Levels = append(p.Levels, one)
	}
}

// Apart says why the arms of an experiment cannot stand side by side; "": they can.
func (p Plan) Apart() string {
	for _, s := range p.Steps {
		if !s.Method.Abreast {
			return fmt.Sprintf("%s measures one DUT at a time, %s several", s.Method.Name, strings.Join(abreast(), ", "))
		}
	}
	for _, b := range p.blocks() {
		switch n := len(b.cells); {
		case n < 2:
			return "there is one arm"
		case n > mostAbreast:
			return fmt.Sprintf("there are %d of them, the baseline twice, and %d can", n, mostAbreast)
		}
		for _, c := range b.cells {
			if why := c.apart(b.cells[0]); why != "" {
				return why
			}
		}
	}
	return ""
}

// apart says why an arm cannot stand beside another one.
func (c cell) apart(o cell) string {
	t, condition := c.traffic, c.level.Condition
	switch {
	case c.level.Testbed != nil:
		return "each has a testbed of its own"
	case trafficKey(routeless(t)) != trafficKey(routeless(o.traffic)):
		return "they differ in what is sent to them, beside routes"
	case t.Bidirectional:
		return "frames are sent through each in one direction"
	case t.Pairs > 1:
		return "each has one pair of ports"
	case t.Application:
		return "programs of end hosts send in their trials"
	case condition.Management || condition.Updates || condition.Routes.Via == weir.ViaBGP:
		return "they have no control plane that is asked or told anything"
	case condition.NAPI != "":
		return "how frames are taken from the ports is a matter of the CPUs that they share"
	}
	for _, t := range condition.Tunings {
		own := slices.ContainsFunc(ownSysctls, func(prefix string) bool { return strings.HasPrefix(t.Name, prefix) })
		if slices.Contains(shared, t.Name) || strings.HasPrefix(t.Name, sysctlPrefix) && !own {
			return t.Name + " is the whole machine's"
		}
	}
	return ""
}

// routeless is what of a traffic is the same for DUTs side by side: the frames to each
// go to the routes that it has, and how many flows there are follows from these
// unless the plan says it.
func routeless(t weir.Traffic) weir.Traffic {
	if t.Routes.Count > 0 && t.Flows == flowsOf(t) {
		t.Flows = 0
		t.Flows = flowsOf(routed(t, weir.RouteSet{}))
	}
	return routed(t, weir.RouteSet{})
}

func routed(t weir.Traffic, routes weir.RouteSet) weir.Traffic {
	t.Routes = routes
	return t
}

// abreast are the methods that measure DUTs side by side.
func abreast() (out []string) {
	for _, m := range method.All() {
		if m.Abreast {
			out = append(out, m.Name)
		}
	}
	return out
}

// together are the runs of a round that are made at once: one, or all of a block
// whose arms stand side by side, in the order drawn for it: which of them is built
// first, and with which ports, makes no arm another one.
func (p Plan) together(round int) [][]cell {
	var out [][]cell
	for _, c := range p.runs(round) {
		if n := len(out); p.Experiment.Schedule == weir.Abreast && n > 0 && out[n-1][0].run.Block == c.run.Block {
			out[n-1] = append(out[n-1], c)
			continue
		}
		out = append(out, []cell{c})
	}
	return out
}

// standing is the level that runs made at once are at: that of the first, named
// for all of them.
func standing(cells []cell) Level {
	l := cells[0].level
	if len(cells) > 1 {
		l.Name = strings.TrimPrefix(l.Stratum+", side by side", ", ")
	}
	return l
}

// besides is the traffic of DUTs that stand side by side: each has as many flows, to
// the routes of its own.
func (r *run) besides() weir.Traffic {
	t := routed(r.build[0].traffic, weir.RouteSet{})
	t.Arms = len(r.build)
	for _, c := range r.build {
		t.Flows = max(t.Flows, c.traffic.Flows)
	}
	return t
}

// arms are the DUTs that stand side by side; none where there is one.
func (r *run) arms() []method.Arm {
	if len(r.build) < 2 {
		return nil
	}
	var out []method.Arm
	for _, c := range r.build {
		out = append(out, method.Arm{Name: c.name(), Condition: c.level.Condition, Factors: c.level.factors(c.traffic)})
	}
	return out
}

// name is that of the arm, told from its second one.
func (c cell) name() string {
	if c.run.Again {
		return c.run.Arm + " again"
	}
	return c.run.Arm
}

// conditions are those of all DUTs that stand there.
func (r *run) conditions() []weir.Condition {
	if len(r.build) < 2 {
		return []weir.Condition{r.level.Condition}
	}
	var out []weir.Condition
	for _, c := range r.build {
		out = append(out, c.level.Condition)
	}
	return out
}

// eachForwards makes sure of DUTs side by side that each of them forwards.
func (r *run) eachForwards(ctx context.Context, t weir.Traffic) error {
	probe := weir.Trial{Purpose: "probe", Traffic: t, Waits: r.plan.Waits, Beside: r.conditions()}
	for i := range r.build {
		probe.Windows = append(probe.Windows, weir.Window{Intended: probeRate, Duration: probeDuration / 4, Side: i + 1})
	}
	var res weir.TrialResult
	var err error
	var silent []string
	for r.past.from(-1); ; r.past.again() {
		silent = nil
		if res, err = r.measure(ctx, probe); err != nil {
			break
		}
		for i, w := range res.Windows {
			if w.Received == 0 && w.Sent > 0 {
				silent = append(silent, r.build[i].name())
			}
		}
		if len(silent) == 0 || !r.past.recorded() {
			break
		}
	}
	r.past.leave()
	if err != nil {
		return r.named(fmt.Errorf("probe with frames of %s: %w", t.Name, err))
	}
	if len(silent) > 0 {
		return &silentError{fmt.Sprintf("%s forwards nothing: of frames of %s at %g frames/s none came back", strings.Join(silent, ", "), t.Name, probeRate), []string{dropped(res.Ledger)}}
	}
	r.forwarded = true
	return nil
}
