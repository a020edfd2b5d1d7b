// Package lab opens what a plan is measured on: its testbed, with a DUT that is
// set up, what sends and receives, and all that happens to the DUT meanwhile.
package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weir/internal/campaign"
	"weir/internal/plan"
)

// Kind is a kind of testbed and how to open one.
type Kind struct {
	Name    string
	Summary string
	events  func(plan.Plan) []string // what a testbed of a plan can do to its DUT during a trial
	lacks   func(plan.Plan) error    // what this machine does not have that a testbed of a plan needs; nil: nothing
	refuses func() error             // why this user or system cannot open one; nil: they can
	// open sets the testbed of a plan up; close undoes all of it.
	open func(context.Context, plan.Plan) (lab campaign.Lab, close func() error, err error)
}

// Kinds is the table of what a plan may ask for.
var Kinds = []Kind{
	{plan.NetNS, "network namespaces of this machine, the kernel forwards", netnsEvents, netnsLacks, NeedRoot, openNetNS},
	{plan.Ports, "ports of this machine or of two others, with a box behind them that weir knows nothing of", portsEvents, portsLacks, NeedRoot, openPorts},
	{plan.VM, "a machine that QEMU runs, with a kernel of Debian's or an image of yours", portsEvents, machineLacks, NeedRoot, openVM},
	{plan.Sim, "a simulated router in simulated time, no root needed", simEvents, simLacks, func() error { return nil }, openSim},
}

// Names are those of all kinds.
func Names() []string {
	var out []string
	for _, k := range Kinds {
		out = append(out, k.Name)
	}
	return out
}

// ByName is a kind of testbed.
func ByName(name string) (Kind, error) {
	if i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name }); i >= 0 {
		return Kinds[i], nil
	}
	return Kind{}, fmt.Errorf("unknown testbed %q: one of %s", name, strings.Join(Names(), ", "))
}

// Check says what of a plan cannot be done on its testbed, or not earned by it,
// before anything is touched.
func Check(p plan.Plan) error {
	kind, err := ByName(p.Testbed.Kind)
	if err != nil {
		return err
	}
	if err := p.Impossible(kind.events(p)); err != nil {
		return err
	}
	if err := kind.lacks(p); err != nil {
		return err
	}
	return p.Unearnable()
}

// Open sets up the testbed of a plan that Check has nothing against; close undoes
// all of it. The lab can be taken down and set up anew meanwhile (Lab.Rebuild).
func Open(ctx context.Context, p plan.Plan) (lab campaign.Lab, close func() error, err error) {
	kind, err := ByName(p.Testbed.Kind)
	if err != nil {
		return lab, nil, err
	}
	if lab, close, err = renewed(ctx, kind, p); err != nil {
		return lab, nil, fmt.Errorf("open the testbed %s: %w", kind.Name, err)
	}
	return lab, close, nil
}

// TryLevels sets up the testbed of a plan, and says which of its levels cannot be
// set there. Where this user or system cannot open one, untried says why.
func TryLevels(ctx context.Context, p plan.Plan) (untried, err error) {
	kind, err := ByName(p.Testbed.Kind)
	if err != nil {
		return nil, err
	}
	if why := kind.refuses(); why != nil {
		return why, nil
	}
	lab, close, err := kind.open(ctx, p)
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(campaign.Refused(ctx, p, lab), close())
}
