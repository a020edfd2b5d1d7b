package main

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/campaign"
	"weir/internal/tester"
)

func simEvents(campaign.Plan) []string { return tester.SimEvents() }

// simLacks is nothing: a model needs no more than weir.
func simLacks(campaign.Plan) error { return nil }

// openSim makes a simulated router. A policer of the plan caps its capacity.
func openSim(_ context.Context, p campaign.Plan) (campaign.Lab, func() error, error) {
	s := p.Testbed.Sim
	if p.DUT.Policer.Kind != "" {
		ports := 1.0 // a policer works in each direction, the model on both together
		if p.Traffic[0].Bidirectional {
			ports = 2
		}
		s.Capacity = min(s.Capacity, p.DUT.Policer.Rate*ports)
	}
	sim, err := tester.NewSim(tester.SimConfig(s))
	if err != nil {
		return campaign.Lab{}, nil, err
	}
	return campaign.Lab{
		Measure: sim.Measure,
		Manifest: weir.Manifest{
			Platform: "simulated", Backend: "sim", Simulated: true,
			Settings: []weir.Setting{
				{Where: "dut", Name: "capacity", Value: fmt.Sprintf("%.0f frames/s", s.Capacity)},
				{Where: "dut", Name: "buffer", Value: fmt.Sprintf("%d frames", s.Buffer)},
				{Where: "dut", Name: "latency", Value: s.Latency.String()},
				{Where: "dut", Name: "jitter", Value: s.Jitter.String()},
				{Where: "dut", Name: "livelock", Value: fmt.Sprint(s.Livelock)},
				{Where: "dut", Name: "noise", Value: fmt.Sprint(s.Noise)},
				{Where: "dut", Name: "seed", Value: fmt.Sprint(s.Seed)},
				{Where: "dut", Name: "recovery", Value: s.Recovery.String()},
				{Where: "dut", Name: "reset", Value: s.Reset.String()},
				{Where: "dut", Name: "learning", Value: fmt.Sprintf("%.0f prefixes/s", s.Learning)},
				{Where: "dut", Name: "cost of routes", Value: fmt.Sprint(s.RouteCost)},
				{Where: "dut", Name: "cost of filters", Value: fmt.Sprint(s.FilterCost)},
			},
		},
		Events: tester.SimEvents(),
		Probe:  true,
		Apply: func(context.Context, weir.Condition) (func(context.Context) error, error) {
			return func(context.Context) error { return nil }, nil // trials say what it is
		},
		LinkRate: p.Testbed.Link,
		CPUs:     weir.CPUs{DUT: []int{0}}, // the model has one
		SelfTest: true,
	}, func() error { return nil }, nil
}
