package plan

import (
	"slices"

	"weir"
)

// rule is something that fields of a plan have to be together, where each of them may be so by
// itself. A new one is an entry of one of the lists.
type rule struct {
	name  string
	asked stage
	check func(*draft) weir.Problems // what breaks it, where, and what to do
}

// rules are all of them. Of several about one place, what the first says comes first.
var rules = slices.Concat(testbedRules, trafficRules, methodRules, orderRules)

// stage is how far a plan was read.
type stage int

// The stages. Those from afterTraffic on are also of what is compared then.
const (
	afterAccess  stage = iota // how an end host is connected, wherever that stands
	afterPorts                // a testbed of kind ports, wherever that stands
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

// hold notes what breaks the rules that are asked at a stage.
func (r *reader) hold(now stage, d *draft) {
	d.r = r
	for _, rule := range rules {
		if rule.asked == now {
			r.note(rule.check(d))
		}
	}
}
