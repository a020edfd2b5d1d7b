package method

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/claim"
	"weir/internal/sim"
)

// flowing is an environment with traffic of so many flows, of one size or several.
func flowing(t *testing.T, c sim.Config, flows int, sizes ...weir.Size) Env {
	env := simulated(t, c)
	env.Traffic.Flows, env.Traffic.Seed, env.Traffic.Sizes = flows, 7, sizes
	env.Traffic.Forward, env.Traffic.Reverse = frame.DefaultStreams(weir.IPv4)
	return env
}

// probed is what a campaign has probed with the traffic of an environment.
func probed(t *testing.T, env Env) weir.TrialResult {
	r, err := env.Measure(t.Context(), weir.Trial{Traffic: env.Traffic, Intended: 1000, Duration: 100 * time.Millisecond,
		Then: &weir.Phase{Intended: 10_000, Duration: 200 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A search for a rate finds what is lost at every load in its place, and the rate of the
// other frames where it knows which these are. It has spent a few seconds by then.
func TestLossOfEveryLoad(t *testing.T) {
	const capacity = 400e3
	for _, c := range []struct {
		name   string
		dut    sim.Config
		sizes  []weir.Size
		kind   weir.FindingKind
		share  float64
		others bool // the rate of the other frames is found, too
	}{
		{"half a per cent of the flows", sim.Config{DropFlows: .005}, nil, weir.LosesFlows, .005, true},
		{"ports", sim.Config{DropPorts: [2]int{2000, 2999}}, nil, weir.LosesFlows, .02, true},
		{"half of the flows", sim.Config{DropFlows: .5}, nil, weir.LosesFlows, .5, true},
		{"a full table", sim.Config{FlowTable: 1500}, nil, weir.LosesFlows, .25, true},
		{"a size", sim.Config{LargestFrame: 600}, []weir.Size{64, 594, 1518}, weir.LosesSizes, 1. / 3, true},
		{"a cable", sim.Config{RandomLoss: .01}, nil, weir.LosesEvenly, .01, false},
		{"damage", sim.Config{Damage: .05}, nil, weir.DamagesSome, .05, false},
	} {
		for i, name := range []string{throughputName, mlrName, sweepName, lossRate.Name, backToBack.Name, mfrName, overload.Name} {
			beside := slices.Contains([]string{lossRate.Name, mfrName, overload.Name}, name) // the result is none the worse for it
			for _, both := range []bool{i%2 == len(c.name)%2} {
				t.Run(fmt.Sprint(c.name, " ", name, " ", both), func(t *testing.T) {
					c.dut.Capacity, c.dut.Buffer, c.dut.Latency = capacity, 64, 20*time.Microsecond
					sizes := c.sizes
					if sizes == nil {
						sizes = []weir.Size{64}
					}
					env := flowing(t, c.dut, 2000, sizes...)
					env.Traffic.Bidirectional = both
					if both || name == backToBack.Name { // so that it is found before the first trial
						env.Probed = probed(t, env)
					}
					r := run(t, name, env, Params{Trial: 300 * time.Millisecond, Width: .02, Maximum: 1e6, Ladder: Ladder{Step: .25},
						Windows: Windows{Time: 6 * time.Second}, MLR: MLR{Goals: []Goal{{Final: 300 * time.Millisecond, Sum: 900 * time.Millisecond, Width: .02}}}})
					if r.Finding == nil || r.Finding.Kind != c.kind || math.Abs(r.Finding.Share-c.share) > .25*c.share {
						t.Fatalf("found %+v, want %s, a share of %v; %v of %v, %v", r.Finding, c.kind, c.share, r.Value, r.Trials, r.Warnings)
					}
					if !beside && (name != sweepName || c.share > r.LossRatio) && (r.Value != 0 || r.Lower != 0 || r.Verdict != claim.AnyLoad || r.Claim.Name != claim.AnyLoad) {
						t.Errorf("%v, %q, claim %q: there is no rate", r.Value, r.Verdict, r.Claim.Name)
					}
					if name == mfrName && (r.Value < .9*(1-c.share)*capacity || r.Verdict == claim.AnyLoad) {
						t.Errorf("MFR %v, %q", r.Value, r.Verdict)
					}
					if len(r.Warnings) == 0 || r.Warnings[len(r.Warnings)-1].Code != weir.LoadIndependent {
						t.Errorf("warnings %v", r.Warnings)
					}
					rate, ok := r.Figure(OthersRate)
					if !beside && name != backToBack.Name && (name != sweepName || both && c.share > r.LossRatio) && (ok != c.others || ok && math.Abs(rate/((1-c.share)*capacity)-1) > .05) {
						t.Errorf("the others: %v, want %v", rate, (1-c.share)*capacity)
					}
				})
			}
		}
	}
}

var healthyCount = flag.Int("campaigns", 4, "campaigns of each healthy DUT with each method, of which nothing may be found")

// A DUT that loses nothing at low loads is never told to have such a loss, nor to hold more
// than a ring, whatever the machine does to it, and a loss that a goal allows is none to look at.
func TestNoLossOfEveryLoad(t *testing.T) {
	for name, c := range map[string]sim.Config{
		"quiet":  {Capacity: 7e5, Buffer: 256},
		"shared": {Capacity: 7e5, Buffer: 256, SharedWave: .08, Interruptions: 8, WindowNoise: .02, Noise: .05},
		"stalls": {Capacity: 7e5, Buffer: 256, Interruptions: 16, Interruption: [2]time.Duration{time.Millisecond, 60 * time.Millisecond}, Stalls: 4},
		"slow":   {Capacity: 900, Buffer: 16, Noise: .1},
		"bursts": {Capacity: 7e5, Interruptions: 200, Interruption: [2]time.Duration{100 * time.Microsecond, time.Millisecond}},
	} {
		for _, method := range []string{throughputName, mlrName, lossRate.Name, sweepName, backToBack.Name, mfrName, overload.Name} {
			t.Run(name+" "+method, func(t *testing.T) {
				for seed := range *healthyCount {
					c.Seed = uint64(seed + 1)
					env := flowing(t, c, 1+seed%16*200, 64)
					env.Probed = probed(t, env)
					env.Ring = c.Buffer
					env.Traffic.Bidirectional = seed%2 == 1
					r := run(t, method, env, Params{Trial: 100 * time.Millisecond, Width: .05, Maximum: 2e6, Windows: Windows{Time: 2 * time.Second},
						MLR: MLR{Goals: []Goal{{Final: 100 * time.Millisecond, Sum: 300 * time.Millisecond, Width: .05}}}})
					for _, w := range r.Warnings {
						if r.Finding != nil || w.Code == weir.LoadIndependent || w.Code == weir.HeldFrames && name != "slow" { // whose ring is long beside its trials
							t.Errorf("seed %d: %+v %s", seed, r.Finding, w.Text)
						}
					}
				}
			})
		}
	}
	r := run(t, throughputName, flowing(t, sim.Config{Capacity: 4e5, Buffer: 64, DropFlows: .01}, 2000, 64), Params{Loss: .02, Maximum: 1e6})
	if r.Finding != nil || math.Abs(r.Value/4e5-1) > .03 || strings.Contains(r.Verdict, "loss") {
		t.Errorf("at a loss that the goal allows: %v, %+v", r.Value, r.Finding)
	}
}

// A quota of frames of each flow shows in a search as what it is, whichever flows there are;
// where a look does not reach its end, it is no loss of low loads.
func TestQuotaOfFlows(t *testing.T) {
	for _, c := range []struct{ flows, quota int }{{1, 20}, {1, 1000}, {16, 5}, {16, 100}, {200, 3}} {
		for _, name := range []string{throughputName, mlrName, sweepName} {
			t.Run(fmt.Sprint(c, " ", name), func(t *testing.T) {
				env := flowing(t, sim.Config{Capacity: 4e5, Buffer: 64, FlowFrames: c.quota}, c.flows, 64)
				env.Probed = probed(t, env)
				r := run(t, name, env, Params{Trial: 300 * time.Millisecond, Maximum: 1e6, Windows: Windows{Time: 6 * time.Second},
					MLR: MLR{Goals: []Goal{{Final: 300 * time.Millisecond, Sum: 900 * time.Millisecond, Width: .02}}}})
				if r.Finding == nil || r.Finding.Kind != weir.EndsFlows || r.Finding.Frames != c.quota || r.Value != 0 {
					t.Errorf("%v, found %+v, %v", r.Value, r.Finding, r.Warnings)
				}
			})
		}
	}
}
