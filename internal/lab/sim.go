package lab

import (
	"context"
	"errors"
	"slices"

	"weir"
	"weir/internal/campaign"
	"weir/internal/plan"
	"weir/internal/sim"
)

func simEvents(plan.Plan) []string { return sim.Events() }

// simLacks is nothing: a model needs no more than weir.
func simLacks(plan.Plan) error { return nil }

// openSim makes a simulated router. A policer of the plan caps its capacity.
func openSim(_ context.Context, p plan.Plan) (campaign.Lab, func() error, error) {
	s := p.Testbed.Sim
	s.Link = p.Testbed.Link
	if p.DUT.Policer.Kind != "" {
		ports := 1.0 // a policer works in each direction, the model on both together
		if p.Traffic[0].Bidirectional {
			ports = 2
		}
		s.Capacity = min(s.Capacity, p.DUT.Policer.Rate*ports)
	}
	router, err := sim.New(s)
	if err != nil {
		return campaign.Lab{}, nil, err
	}
	return campaign.Lab{
		Measure: router.Measure,
		Manifest: weir.Manifest{
			Platform: "simulated", Backend: "sim", Simulated: true,
			Settings: s.Settings(),
		},
		Events: sim.Events(),
		Probe:  true,
		Apply: func(context.Context, ...weir.Condition) (func(context.Context) error, error) {
			return func(context.Context) error { return nil }, nil // trials say what it is
		},
		Restart:  func(context.Context, weir.Reset) error { return nil }, // it remembers nothing
		Cannot:   simCannot(p, s),
		LinkRate: p.Testbed.Link,
		Ring:     s.Buffer,                 // the model says it
		CPUs:     weir.CPUs{DUT: []int{0}}, // the model has one
		SelfTest: true,
	}, func() error { return nil }, nil
}

// simCannot says what of a condition a simulated router cannot be set to.
func simCannot(p plan.Plan, s sim.Config) func(context.Context, weir.Condition) error {
	return func(_ context.Context, c weir.Condition) error {
		err := sim.Cannot(s, c)
		if p.DUT.Policer.Kind != "" && slices.ContainsFunc(c.Tunings(), func(t weir.Tuning) bool { return t.Name == "capacity" }) {
			err = errors.Join(err, weir.Wrong("capacity: the policer of the plan limits it already").Advise("leave one of the two out"))
		}
		return err
	}
}
