package main

import (
	"context"
	"fmt"
	"strings"

	"weir/internal/campaign"
	"weir/internal/plan"
)

// bedKind is a kind of testbed and how to open one.
type bedKind struct {
	kind    string
	summary string
	events  func(plan.Plan) []string // what a testbed of a plan can do to its DUT during a trial
	lacks   func(plan.Plan) error    // what this machine does not have that a testbed of a plan needs; nil: nothing
	refuses func() error             // why this user or system cannot open one; nil: they can
	// open sets the testbed of a plan up; close undoes all of it.
	open func(context.Context, plan.Plan) (lab campaign.Lab, close func() error, err error)
}

// testbeds is the table of what a plan may ask for.
var testbeds = []bedKind{
	{plan.NetNS, "network namespaces of this machine, the kernel forwards", netnsEvents, netnsLacks, needRoot, openNetNS},
	{plan.Sim, "a simulated router in simulated time, no root needed", simEvents, simLacks, func() error { return nil }, openSim},
}

func findTestbed(kind string) (bedKind, error) {
	for _, t := range testbeds {
		if t.kind == kind {
			return t, nil
		}
	}
	return bedKind{}, fmt.Errorf("unknown testbed %q: one of %s", kind, kinds())
}

// refuse says what of a plan cannot be done on its testbed, or not earned by it,
// before anything is touched.
func refuse(p plan.Plan) error {
	bed, err := findTestbed(p.Testbed.Kind)
	if err != nil {
		return err
	}
	if err := p.Impossible(bed.events(p)); err != nil {
		return err
	}
	if err := bed.lacks(p); err != nil {
		return err
	}
	return p.Unearnable()
}

func testbedKinds() []string {
	var out []string
	for _, t := range testbeds {
		out = append(out, t.kind)
	}
	return out
}

func kinds() string { return strings.Join(testbedKinds(), ", ") }
