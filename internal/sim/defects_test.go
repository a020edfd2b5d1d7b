package sim

import (
	"math"
	"testing"
	"time"

	"weir"
	"weir/frame"
)

// defective is traffic of so many flows whose headers are complete.
func defective(flows int, sizes ...weir.Size) weir.Traffic {
	t := weir.Traffic{Name: "64", Sizes: sizes, Family: weir.IPv4, Protocol: weir.UDP, Flows: flows, Seed: 7}
	t.Forward, t.Reverse = frame.DefaultStreams(weir.IPv4)
	return t
}

// What a DUT loses whatever the load is the share that it was given, at a low load and at
// a high one, and the fates of frames, the streams and the ledger agree.
func TestDefectsTakeTheirShare(t *testing.T) {
	for name, c := range map[string]struct {
		dut    Config
		share  float64
		within float64
		sizes  []weir.Size
	}{
		"flows":          {dut: Config{DropFlows: .02}, share: .02, within: .002},
		"half the flows": {dut: Config{DropFlows: .5}, share: .5, within: .002},
		"ports":          {dut: Config{DropPorts: [2]int{2000, 2999}}, share: 1000. / 49151, within: .01},
		"table":          {dut: Config{FlowTable: 1500}, share: .25, within: .001},
		"frames":         {dut: Config{FlowFrames: 3}, share: .25, within: .001},
		"sizes":          {dut: Config{LargestFrame: 600}, share: 1. / 3, within: .001, sizes: []weir.Size{64, 594, 1518}},
		"random":         {dut: Config{RandomLoss: .03}, share: .03, within: .006},
		"damage":         {dut: Config{Damage: .03}, share: .03, within: .006},
	} {
		t.Run(name, func(t *testing.T) {
			c.dut.Capacity, c.dut.Buffer = 1e6, 256
			router, err := New(c.dut)
			if err != nil {
				t.Fatal(err)
			}
			sizes := c.sizes
			if sizes == nil {
				sizes = []weir.Size{64}
			}
			for _, both := range []bool{false, true} {
				trial := weir.Trial{Number: 1, Traffic: defective(2000, sizes...), Intended: 8000, Duration: time.Second, Tags: weir.Tags{Count: 8000, Fates: true}}
				trial.Traffic.Bidirectional = both
				r, err := router.Measure(t.Context(), trial)
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(r.LossRatio()-c.share) > c.within {
					t.Errorf("both ways %v: loss %v, want %v", both, r.LossRatio(), c.share)
				}
				var back, received uint64
				for _, f := range r.Fates {
					for i := range f.Sent {
						if f.Returned(i) {
							back++
						}
					}
				}
				for _, s := range r.Streams {
					received += s.Received
				}
				if back != r.Received || received != r.Received || len(r.Fates) != trial.Traffic.Ports() {
					t.Errorf("both ways %v: %d streams; %d frames came back by their fates, %d by the streams, %d in all", both, len(r.Fates), back, received, r.Received)
				}
				if corrupt := r.Streams[0].Corrupt > 0; corrupt != (name == "damage") {
					t.Errorf("%d damaged frames", r.Streams[0].Corrupt)
				}
			}
		})
	}
}

// Windows lose the same share each, beside what an overload loses.
func TestDefectsInWindows(t *testing.T) {
	router, err := New(Config{Capacity: 1e5, Buffer: 16, DropFlows: .25})
	if err != nil {
		t.Fatal(err)
	}
	trial := weir.Trial{Number: 1, Traffic: defective(100, 64)}
	for _, load := range []float64{2e5, 1e4, 1e3} {
		trial.Windows = append(trial.Windows, weir.Window{Intended: load, Duration: time.Second, Silence: 10 * time.Millisecond})
	}
	r, err := router.Measure(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1 - .5*.75, .25, .25} {
		if got := float64(r.Windows[i].Lost()) / float64(r.Windows[i].Sent); math.Abs(got-want) > .02 {
			t.Errorf("window %d: loss %v, want %v", i, got, want)
		}
	}
}
