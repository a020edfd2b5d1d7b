package plan

import (
	"cmp"
	"slices"

	"weir"
)

// rule is something that fields of a plan have to be together, where each of them may be so by
// itself. A new one is an entry of one of the lists.
type rule struct {
	name  string
	asked stage                      // at which it is asked
	check func(*draft) weir.Problems // what breaks it, where, and what to do
}

// rules are all of them. Of several about one place, what the first says comes first.
var rules = slices.Concat(testbedRules, trafficRules, methodRules, orderRules)

// stage is how far a plan was read.
type stage int

// The stages. All but afterDUT are also of what is compared then.
const (
	afterAccess  stage = iota // how an end host is connected, wherever that is
	afterPorts                // a testbed of kind ports, wherever that is
	afterDUT                  // the testbed and the DUT
	afterTraffic              // what is sent, but for its sizes
	afterLevels               // all but the methods
	afterStep                 // one method
	afterSteps                // all methods
	afterSound                // all methods, where nothing is wrong
	afterOrder                // the order of runs, likewise
	afterPlan                 // all of it
)

// draft is a plan as far as it was read, with the places of what was written.
type draft struct {
	r         *reader
	plan      *Plan
	dependent        // places of what is read last
	root      node   // of all that is in the file
	sizes     []size // frame sizes and mixes
	sound     bool   // whether nothing was wrong when the methods were read: otherwise not all levels are known

	// Of what is looked at in several places.
	at     node // of it
	access weir.Access
	bed    *Testbed
	given  int // networks of that, which has one for each port by now
	step   Step
}

// checkRules notes what breaks the rules that are asked at a stage.
func (r *reader) checkRules(now stage, d *draft) {
	d.r = r
	for _, rule := range rules {
		if rule.asked == now {
			r.note(rule.check(d))
		}
	}
}

// orderRules are those of the runs of an experiment, and of all of a plan.
var orderRules = []rule{
	{"arms are side by side where they can be", afterOrder, func(d *draft) weir.Problems {
		at, given := d.runs.find("order")
		why := d.plan.WhyNotSideBySide()
		return at.when(given && d.plan.Experiment.Schedule == weir.Abreast && why != "", "the arms cannot stand side by side: %s;", why).Advise("leave order out, or say order: %s", weir.Blocks)
	}},
	{"a reference is side by side with the arms", afterOrder, func(d *draft) weir.Problems {
		e, why := d.plan.Experiment, cmp.Or(d.plan.WhyNotSideBySide(), "the plan says order: "+string(d.plan.Experiment.Schedule))
		return d.runs.first("reference").when(e.refers && e.Schedule != weir.Abreast, "a reference stands beside all other arms, and these cannot stand side by side: %s;", why).Advise("leave reference out")
	}},
	{"arms side by side are built anew", afterOrder, func(d *draft) weir.Problems {
		e := d.plan.Experiment
		at, given := d.runs.find("reset")
		return at.when(given && e.Schedule == weir.Abreast && e.Reset != weir.Rebuild, "arms that stand side by side are built anew for each run").Advise("leave reset out, or say order: %s", weir.Blocks)
	}},
	{"a DUT can be started anew", afterPlan, func(d *draft) weir.Problems {
		at, given := d.runs.find("reset")
		if e := d.plan.Experiment; e == nil || !given || e.Reset != weir.Reboot && e.Reset != weir.Power {
			return nil
		}
		found := d.plan.checkRestart(at, d.plan.Testbed)
		for _, l := range d.plan.Levels {
			if l.Testbed != nil && len(found) == 0 {
				found = d.plan.checkRestart(at, *l.Testbed)
			}
		}
		return found
	}},
	{"tbf limits frames of one size", afterPlan, func(d *draft) weir.Problems {
		if len(d.plan.Levels) == 0 || len(d.sizes) == 0 || d.plan.DUT.Policer.Kind != "tbf" {
			return nil
		}
		at, n := d.root.first("dut").first("policer"), len(d.plan.Levels[0].Traffic)
		if slices.ContainsFunc(d.sizes, func(z size) bool { return z.application }) {
			return at.wrong("tbf limits octets, and packets of transfers have no one size").Advise("limit the link (testbed: {link: 100M}), or take nft")
		}
		return at.when(n > 1, "tbf limits octets, so that frames/s need a plan with a single size and not %d;", n).Advise("nft limits frames of any")
	}},
}

// checkRestart says why the DUT of a testbed cannot be started anew between runs.
func (p Plan) checkRestart(at node, t Testbed) weir.Problems {
	switch _, far := t.FarHosts(); {
	case t.Kind == Sim:
	case t.Kind == NetNS:
		return at.wrong("the DUT is in the kernel of this machine, which would end with weir").Advise("take %s, or a DUT that is a machine of its own (testbed: {kind: vm}, or kind ports)", weir.Rebuild)
	case far:
		return at.wrong("the DUT cannot be started anew between runs where the tester's ports are on other machines").Advise("take %s", weir.Reapply)
	case p.Experiment.Reset == weir.Reboot && !p.IsCommanded():
		return at.wrong("weir cannot have a DUT reboot that it cannot tell anything").
			Advise("take %s with a command that does it (dut: {reset_hook: [...]}), or say where it can be told things (dut: {host: \"ssh://root@r1\"})", weir.Power)
	case p.Experiment.Reset == weir.Power && t.Kind == Ports && len(p.DUT.ResetHook) == 0:
		return at.wrong("which command takes the power of the box away for 10 s, and gives it back?").Advise("dut: {reset_hook: [/usr/local/bin/power-cycle, port7]}, say")
	}
	return nil
}
