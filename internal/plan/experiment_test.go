package plan

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestParseExperiment(t *testing.T) {
	p := parsed(t, `
traffic: {sizes: [64, imix]}
dut: {gro: on}
factors:
  firewall: [none, {kind: stateful, rules: 25, with: iptables}]
  direction: [forward, both]
  gro: [default, off]
  sysctl net.core.netdev_budget: [300, 600]
runs: {count: 4, order: abba, seed: 9, reset: rebuild, detect: 1%, equivalent: 2%, confidence: 99%}
`)
	want := weir.Experiment{
		Factors: []weir.Factor{
			{Name: "firewall", Levels: []string{"none", "kind stateful, rules 25, with iptables"}},
			{Name: "direction", Levels: []string{"forward", "both"}, Traffic: true},
			{Name: "gro", Levels: []string{"default", "off"}},
			{Name: "sysctl net.core.netdev_budget", Levels: []string{"300", "600"}},
		},
		Schedule: weir.ABBA, Seed: 9, Reset: weir.Rebuild, Same: true, Runs: 4, Detect: 0.01, Margin: 0.02, Confidence: 0.99,
	}
	got := p.Experiment.Experiment
	if len(got.Arms) != 8 || got.Arms[0] != "firewall none, gro default, sysctl net.core.netdev_budget 300" {
		t.Errorf("arms %q", got.Arms)
	}
	wantArm := []weir.ArmLevel{
		{Factor: "firewall", Name: "kind stateful, rules 25, with iptables", Set: weir.ConditionOf(weir.Firewall{Kind: weir.Stateful, Rules: 25, With: weir.IPTables})},
		{Factor: "gro", Name: "default"},
		{Factor: "sysctl net.core.netdev_budget", Name: "600", Set: weir.ConditionOf(weir.Tuning{Name: "sysctl net.core.netdev_budget", Value: "600"})},
	}
	if diff := cmp.Diff(wantArm, got.Levels["firewall kind stateful, rules 25, with iptables, gro default, sysctl net.core.netdev_budget 600"]); diff != "" || len(got.Levels) != 8 {
		t.Errorf("levels of %d arms, of one (-want +got):\n%s", len(got.Levels), diff)
	}
	got.Arms, got.Levels = nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("experiment (-want +got):\n%s", diff)
	}
	if len(p.Levels) != 16 || len(p.Traffic) != 4 {
		t.Fatalf("%d levels, %d traffics", len(p.Levels), len(p.Traffic))
	}
	last := p.Levels[slices.IndexFunc(p.Levels, func(l Level) bool {
		return strings.HasPrefix(l.Arm, "firewall kind") && l.Stratum == "direction both" && strings.HasSuffix(l.Arm, "gro off, sysctl net.core.netdev_budget 600")
	})]
	if diff := cmp.Diff(weir.ConditionOf(weir.Firewall{Kind: weir.Stateful, Rules: 25, With: weir.IPTables}, weir.Tuning{Name: "gro", Value: "off"}, weir.Tuning{Name: "sysctl net.core.netdev_budget", Value: "600"}), last.Condition); diff != "" {
		t.Errorf("condition (-want +got):\n%s", diff)
	}
	wantLevels := `{"direction":"both","firewall":"kind stateful, rules 25, with iptables","frame_size":64,"gro":"off","sysctl net.core.netdev_budget":600}`
	if got := levelsOf(t, last.Factors(last.Traffic[0])); got != wantLevels {
		t.Errorf("levels %s, want %s", got, wantLevels)
	}
	first := p.Levels[0].Factors(p.Levels[0].Traffic[0])
	if first["firewall"] != "none" || first["direction"] != "forward" || first["gro"] != "default" || len(p.Levels[0].Condition.Tunings()) != 1 {
		t.Errorf("the first level: %v, %v", first, p.Levels[0].Condition)
	}
}

// Where combinations are listed, or no setting of the DUT is varied, each of
// them is an arm.
func TestParseCombinations(t *testing.T) {
	for text, want := range map[string][]string{
		"factors: {napi: [softirq, threaded], flows: [1, 1000]}\ncombinations: one-at-a-time\n":                                    {"baseline", "napi threaded", "flows 1000"},
		"factors: {napi: [softirq, threaded], flows: [1, 1000]}\ncombinations: [{napi: threaded}, {napi: softirq, flows: 1000}]\n": {"napi threaded, flows 1", "napi softirq, flows 1000"},
		"factors: {flows: [1, 10k]}\n": {"flows 1", "flows 10k"},
		"runs: 3\n":                    {"plain"},
		"factors: {command: [none, {name: quick, do: date, undo: date}, {do: 'date -u', undo: x}]}\n": {"command none", "command quick", "command do date -u, undo x"},
		"testbed: {kind: sim}\nfactors: {latency: [20us, 1ms], capacity: [1M, 1.1M]}\ncombinations: one-at-a-time\n": {
			"baseline", "latency 1ms", "capacity 1.1M"},
	} {
		p := parsed(t, text)
		if diff := cmp.Diff(want, p.Experiment.Arms); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		for _, l := range p.Levels {
			if l.Stratum != "" {
				t.Errorf("%s: the stratum %s", text, l.Stratum)
			}
		}
	}
	p := parsed(t, "testbed: {kind: sim}\nfactors: {latency: [20us, 1ms], route_cost: [0, 5%]}\n")
	if diff := cmp.Diff([]weir.Tuning{{Name: "latency", Value: "1000000"}, {Name: "route_cost", Value: "0.05"}}, p.Levels[3].Condition.Tunings()); diff != "" {
		t.Errorf("tunings (-want +got):\n%s", diff)
	}
}

// A replicate has each arm once with each traffic, and the baseline twice; its
// order is another one in each replicate, and the same whenever it is asked for.
func TestSchedule(t *testing.T) {
	for _, order := range []weir.Schedule{weir.Blocks, weir.ABBA} {
		p := parsed(t, threeArms)
		p.Experiment.Schedule = order
		blocks, runs := p.Schedule()
		if len(blocks) != 4*4 || runs != 16*4 {
			t.Fatalf("%s: %d blocks, %d runs", order, len(blocks), runs)
		}
		orders := make(map[string]int)
		for i, b := range blocks {
			arms := slices.Sorted(slices.Values(b.Arms))
			if diff := cmp.Diff([]string{"firewall none", "firewall none again", "firewall stateful", "firewall stateless"}, arms); diff != "" {
				t.Errorf("%s, block %d (-want +got):\n%s", order, b.Block, diff)
			}
			if b.Block != i+1 {
				t.Errorf("%s: block %d is number %d", order, i+1, b.Block)
			}
			orders[strings.Join(b.Arms, "|")]++
			if back := slices.Clone(b.Arms); order == weir.ABBA && i%2 == 0 {
				slices.Reverse(back)
				if diff := cmp.Diff(back, blocks[i+1].Arms); diff != "" || b.Traffic != blocks[i+1].Traffic || b.Stratum != blocks[i+1].Stratum {
					t.Errorf("block %d is not followed by its mirror: %v, %v", b.Block, b, blocks[i+1])
				}
			}
		}
		if len(orders) < 6 {
			t.Errorf("%s: only %d different orders", order, len(orders))
		}
		again, _ := p.Schedule()
		if diff := cmp.Diff(blocks, again); diff != "" {
			t.Errorf("%s: another order (-first +then):\n%s", order, diff)
		}
		p.Experiment.Seed++
		other, _ := p.Schedule()
		if cmp.Equal(blocks, other) {
			t.Errorf("%s: another seed gives the same order", order)
		}
	}
}

// Levels that are numbers are in the manifest as they are in results, however
// they were written, and no two are the same.
func TestLevelsAsInResults(t *testing.T) {
	p := parsed(t, "factors: {flows: [1k, 10k], firewall: [none, stateful]}\n")
	want := []weir.Factor{{Name: "flows", Levels: []string{"1000", "10000"}, Traffic: true}, {Name: "firewall", Levels: []string{"none", "stateful"}}}
	if diff := cmp.Diff(want, p.Experiment.Factors); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{"factors: {}\n", "factors: {flows: [1k, 1000]}\n"} {
		if _, err := Parse("x.yaml", []byte(text)); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

const threeArms = `
testbed: {kind: sim}
traffic: {sizes: [64, 512]}
factors: {firewall: [none, stateless, stateful], direction: [forward, reverse]}
methods: [{method: throughput, trial: 100ms, loss: 1%}]
runs: {count: 4, seed: 2}
`
