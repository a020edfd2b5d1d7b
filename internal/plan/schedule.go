package plan

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"weir"
	"weir/internal/dut"
	"weir/internal/method"
)

// mostAbreast is how many DUTs are side by side at most: each has a pair of
// ports, and waits for the windows of all others.
const mostAbreast = 8

// schedule settles the order of the runs of an experiment, unless the plan says one:
// side by side where its arms can be, there and back where a person is asked for
// each change.
func (r *reader) schedule(d *draft) {
	e := d.plan.Experiment
	switch _, given := d.runs.find("order"); {
	case given:
	case d.plan.WhyNotSideBySide() == "":
		e.Schedule = weir.Abreast
	case d.plan.byHand():
		e.Schedule = weir.ABBA
	default:
		e.Schedule = weir.Blocks
	}
	if e.Schedule == weir.ABBA { // complete rounds
		e.Runs, e.Pilot, e.Most = Even(e.Runs), Even(e.Pilot), Even(e.Most)
	}
	r.checkRules(afterOrder, d)
	if e.Schedule == weir.Abreast {
		e.Reset = weir.Rebuild
	}
}

// refer makes plain forwarding an arm, unless the baseline is that.
func (p *Plan) refer() {
	first := p.Levels[0].Condition
	if first.Path() == weir.PathStack {
		first.Put(weir.Path(""))
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
		one.Condition, one.Arm, one.Of, one.Set = weir.Condition{}, weir.ReferenceArm, nil, maps.Clone(l.Set)
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

// WhyNotSideBySide says why the arms of an experiment cannot be side by side; "": they can.
func (p Plan) WhyNotSideBySide() string {
	if p.Testbed.Kind == Ports {
		return "there is one box behind the ports"
	}
	if p.Testbed.Kind == VM {
		return "each machine has this machine's ports for itself"
	}
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
			if why := c.whyNotSideBySide(b.cells[0]); why != "" {
				return why
			}
		}
	}
	return ""
}

// whyNotSideBySide says why an arm cannot be next to another one.
func (c Cell) whyNotSideBySide(o Cell) string {
	switch t := c.Traffic; {
	case c.Level.Testbed != nil:
		return "each has a testbed of its own"
	case TrafficKey(routeless(t)) != TrafficKey(routeless(o.Traffic)):
		return "they differ in what is sent to them, beside routes"
	case t.Bidirectional:
		return "frames are sent through each in one direction"
	case t.Pairs > 1:
		return "each has one pair of ports"
	case t.Application:
		return "programs of end hosts send in their trials"
	}
	return c.Level.Condition.WhyAlone(dut.Info)
}

// routeless is what of a traffic is the same for DUTs side by side: the frames to each
// go to the routes that it has, and how many flows there are follows from these
// unless the plan says it.
func routeless(t weir.Traffic) weir.Traffic {
	if t.Routes.Count > 0 && t.Flows == flowsOf(t) {
		t.Flows = 0
		t.Flows = flowsOf(Routed(t, weir.RouteSet{}))
	}
	return Routed(t, weir.RouteSet{})
}

// Routed is the traffic t to these routes.
func Routed(t weir.Traffic, routes weir.RouteSet) weir.Traffic {
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

// Together are the runs of a round that are made at once: one, or all of a block
// whose arms are side by side, in the order drawn for it: which of them is built
// first, and with which ports, makes no arm another one.
func (p Plan) Together(round int) [][]Cell {
	var out [][]Cell
	for _, c := range p.runs(round) {
		if n := len(out); p.Experiment.Schedule == weir.Abreast && n > 0 && out[n-1][0].Run.Block == c.Run.Block {
			out[n-1] = append(out[n-1], c)
			continue
		}
		out = append(out, []Cell{c})
	}
	return out
}

// Name is that of the arm, distinguished from its second one.
func (c Cell) Name() string {
	if c.Run.Again {
		return c.Run.Arm + " again"
	}
	return c.Run.Arm
}

// byHand reports whether a person has to set the DUT from level to level.
func (p Plan) byHand() bool {
	return slices.ContainsFunc(p.Levels, func(l Level) bool { return l.Condition.ByHand() != p.Levels[0].Condition.ByHand() })
}

// byHand is what a person sets the DUT to for a run; "": nobody has to.
func (c Cell) byHand() string { return c.Level.Condition.ByHand() }

// thereAndBack is the place of each level that is set by hand within the blocks of a
// plan that goes through them in turn, each block backwards after the one before it:
// no other order that has each level in each block asks for fewer changes. It is drawn
// once, as a block that began elsewhere would ask for one more. Nil: the order of each
// round is drawn for itself.
func (p Plan) thereAndBack() map[string]int {
	if p.Experiment.Schedule != weir.ABBA || !p.byHand() {
		return nil
	}
	var names []string
	for _, l := range p.Levels {
		if name := l.Condition.ByHand(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	order := rand.New(rand.NewPCG(p.Experiment.Seed, 0)) // rounds have the numbers from 1
	order.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	rank := make(map[string]int)
	for i, name := range names {
		rank[name] = i
	}
	return rank
}

// Questions is how often a person is asked to set the DUT by hand, at most: before the
// first run, as nobody knows how it is set, and before each of which it is to be set
// otherwise than before. Where no level is set by hand nobody is asked.
func (p Plan) Questions() int {
	questions, was, hands := 0, "", false
	next := func(l Level) {
		now := l.Condition.ByHand()
		if questions == 0 || now != was {
			questions, was = questions+1, now
		}
		hands = hands || now != ""
	}
	for _, part := range p.Parts() {
		switch {
		case !part.byHand():
			next(part.Levels[0])
		case part.Experiment != nil:
			for c := range part.all() {
				next(c.Level)
			}
		default:
			for range max(part.Rounds, 1) {
				for _, l := range part.Levels {
					next(l)
				}
			}
		}
	}
	if !hands {
		return 0
	}
	return questions
}
