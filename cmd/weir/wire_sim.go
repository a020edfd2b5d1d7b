package main

import (
	"context"
	"fmt"

	"weir"
	"weir/internal/campaign"
	"weir/internal/tester"
)

// openSim makes a simulated router. A policer of the plan caps its capacity.
func openSim(_ context.Context, p campaign.Plan) (campaign.Lab, func() error, error) {
	s := p.Testbed.Sim
	if p.DUT.Policer.Kind != "" {
		s.Capacity = min(s.Capacity, p.DUT.Policer.Rate)
	}
	sim, err := tester.NewSim(tester.SimConfig{
		Capacity: s.Capacity, Buffer: s.Buffer, Latency: s.Latency, Livelock: s.Livelock, Noise: s.Noise, Seed: s.Seed,
	})
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
				{Where: "dut", Name: "livelock", Value: fmt.Sprint(s.Livelock)},
				{Where: "dut", Name: "noise", Value: fmt.Sprint(s.Noise)},
				{Where: "dut", Name: "seed", Value: fmt.Sprint(s.Seed)},
			},
		},
		LinkRate: p.Testbed.Link,
		SelfTest: true,
	}, func() error { return nil }, nil
}
