package losses

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"weir"
	"weir/frame"
	"weir/internal/sim"
)

// looked are two trials of a simulated DUT, one at a tenth of the load of the other.
func looked(t *testing.T, c sim.Config, traffic weir.Traffic, number int) []weir.TrialResult {
	t.Helper()
	router, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	var out []weir.TrialResult
	for i, load := range []float64{20_000, 2000} {
		trial := weir.Trial{Number: number + i, Traffic: traffic, Intended: load, Tags: weir.Tags{Count: 8000, Fates: true}}
		trial.Duration = time.Duration(8000 / load * float64(time.Second))
		r, err := router.Measure(t.Context(), trial)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func traffic(flows int, bidirectional bool, sizes ...weir.Size) weir.Traffic {
	t := weir.Traffic{Name: "64", Sizes: sizes, Family: weir.IPv4, Protocol: weir.UDP, Flows: flows, Seed: 7, Bidirectional: bidirectional}
	t.Forward, t.Reverse = frame.DefaultStreams(weir.IPv4)
	return t
}

// Each kind is found with its share, at shares from 0.5 to 50 %, in one direction and in
// both, and the words say what it looks like.
func TestFind(t *testing.T) {
	type asked struct {
		name  string
		dut   sim.Config
		sizes []weir.Size
		kind  weir.FindingKind
		share float64
		words string
	}
	var all []asked
	for _, share := range []float64{.005, .01, .0215, .05, .1, .25, .5} {
		all = append(all,
			asked{fmt.Sprintf("flows %v", share), sim.Config{DropFlows: share}, nil, weir.LosesFlows, share, "lose every frame"},
			asked{fmt.Sprintf("table %v", share), sim.Config{FlowTable: int(2000 * (1 - share))}, nil, weir.LosesFlows, share, "full table"},
			asked{fmt.Sprintf("random %v", share), sim.Config{RandomLoss: share}, nil, weir.LosesEvenly, share, "bad cable"},
			asked{fmt.Sprintf("damage %v", share), sim.Config{Damage: share}, nil, weir.DamagesSome, share, "come back changed"},
			asked{fmt.Sprintf("ports %v", share), sim.Config{DropPorts: [2]int{2000, 1999 + int(49151*share)}}, nil, weir.LosesFlows, share, "filter of ports"})
	}
	all = append(all,
		asked{"sizes", sim.Config{LargestFrame: 600}, []weir.Size{64, 594, 1518}, weir.LosesSizes, 1. / 3, "an MTU"},
		asked{"imix", sim.Config{LargestFrame: 1500}, []weir.Size{64, 594, 64, 64, 594, 64, 1518, 64, 594, 64, 594, 64}, weir.LosesSizes, 1. / 12, "1518 octets"},
		asked{"frames", sim.Config{FlowFrames: 2}, nil, weir.EndsFlows, .5, "first 2 frames"},
		asked{"half", sim.Config{DropFlows: .5}, nil, weir.LosesFlows, .5, "1 of 2 next hops"})
	for _, a := range all {
		for _, both := range []bool{false, true} {
			t.Run(fmt.Sprint(a.name, " ", both), func(t *testing.T) {
				a.dut.Capacity, a.dut.Buffer, a.dut.Latency = 5e5, 256, 20*time.Microsecond
				sizes := a.sizes
				if sizes == nil {
					sizes = []weir.Size{64}
				}
				trials := looked(t, a.dut, traffic(2000, both, sizes...), 1)
				found := Find(trials)
				if found == nil {
					t.Fatalf("asked %s, share %v; found nothing", a.kind, a.share)
				}
				f := found.Finding
				for _, trial := range trials {
					if n, known := found.Takes(trial); known && n != trial.Offered-trial.Received {
						t.Errorf("%d frames are lost so, want %d", n, trial.Offered-trial.Received)
					}
				}
				within := 3*math.Sqrt(a.share*(1-a.share)/16000) + .003 // the flows of a range of ports are drawn
				if f.Kind != a.kind || math.Abs(f.Share-a.share) > within+.1*a.share || !strings.Contains(Sentence(f).Text, a.words) {
					t.Errorf("asked %s, share %v; found %+v\n%s", a.kind, a.share, f, Sentence(f))
				}
				t.Log(Sentence(f))
			})
		}
	}
}

// A DUT that loses frames for other reasons is never told to have one of these: one that
// is overloaded, one that stands still again and again, one whose ring is small, a policer.
func TestFindsNothingWhereThereIsNone(t *testing.T) {
	for name, c := range map[string]sim.Config{
		"healthy":       {Capacity: 5e5, Buffer: 256},
		"overloaded":    {Capacity: 1500, Buffer: 64},
		"between":       {Capacity: 15_000, Buffer: 16},
		"shaper":        {Capacity: 1500, Buffer: 250},
		"policer":       {Capacity: 1500, Bucket: 1000},
		"shared":        {Capacity: 5e5, Buffer: 256, SharedWave: .08, Interruptions: 8, WindowNoise: .02},
		"stalls":        {Capacity: 5e5, Buffer: 8, Interruptions: 30, Interruption: [2]time.Duration{time.Millisecond, 50 * time.Millisecond}, Stalls: 5},
		"short stalls":  {Capacity: 5e5, Interruptions: 300, Interruption: [2]time.Duration{100 * time.Microsecond, 300 * time.Microsecond}},
		"no buffer":     {Capacity: 25_000, Buffer: 0, SharedWave: .3, WaveTime: 100 * time.Millisecond},
		"no buffer low": {Capacity: 2200, Buffer: 1, SharedWave: .3, WaveTime: 100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			for number := range 5 {
				for _, flows := range []int{1, 16, 2000} {
					c.Seed = uint64(100*number + flows)
					if found := Find(looked(t, c, traffic(flows, number%2 == 1, 64), 10*number+1)); found != nil {
						t.Errorf("seed %d, %d flows: found %s", c.Seed, flows, Sentence(found.Finding))
					}
				}
			}
		})
	}
}
