package campaign

import (
	"testing"
	"time"

	"weir"
	"weir/internal/plan"
	"weir/internal/sim"
)

// TestLossIsFoundFirst gives searches minutes for each trial. Where the load has no part in
// a loss, that is found before the first of these, and a DUT without such a loss pays a
// fifth of a second for each of its traffics.
func TestLossIsFoundFirst(t *testing.T) {
	const minute = "traffic: {sizes: [64], flows: 500}\nmethods: [{method: throughput, trial: 60s, maximum: 1M}, {method: mlrsearch, maximum: 1M, goals: [{final: 60s, sum: 60s}]}]\n"
	for name, c := range map[string]struct {
		dut  string
		kind weir.FindingKind
	}{
		"healthy": {"", ""}, "a cable": {"random_loss: 1%", weir.LosesEvenly}, "damage": {"damage: 5%", weir.DamagesSome},
		"ports": {"drop_ports: [2000, 2999]", weir.LosesFlows}, "half": {"drop_flows: 50%", weir.LosesFlows}, "a full table": {"flow_table: 300", weir.LosesFlows},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plan.Parse("plan.yaml", []byte("testbed: {kind: sim, capacity: 400k, "+c.dut+"}\n"+minute))
			if err != nil {
				t.Fatal(err)
			}
			router, err := sim.New(p.Testbed.Sim)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Run(t.Context(), p, Lab{Measure: router.Measure, Manifest: weir.Manifest{Simulated: true}}, &memory{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			before := time.Duration(0)
			for _, r := range got.Trials {
				if r.Trial.Purpose == "throughput" {
					break
				}
				before += r.Trial.Length()
			}
			for _, r := range got.Results {
				if found := r.Finding != nil; found != (c.kind != "") || found && r.Finding.Kind != c.kind {
					t.Errorf("%s found %+v, want %q", r.Method, r.Finding, c.kind)
				}
			}
			if most := 10 * time.Second; before > most || c.kind == "" && before > plan.ProbeDuration+plan.ProbeMore {
				t.Errorf("%v of frames were sent before the first trial of the search", before)
			}
		})
	}
}
