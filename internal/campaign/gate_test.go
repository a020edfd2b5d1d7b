package campaign

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/plan"
)

// healthy is a trial of 100,000 frames/s that gives no reason to doubt it.
func healthy() weir.TrialResult {
	return weir.TrialResult{
		Trial:   weir.Trial{Traffic: weir.Traffic{Name: "64"}, Intended: 100_000, Duration: time.Second},
		Sending: time.Second, Offered: 100_000, Received: 100_000,
		Streams: []weir.StreamResult{{Sent: 50_000, Received: 50_000}, {Sent: 50_000, Received: 50_000}},
		Ledger:  weir.Balance(100_000, 100_000, nil),
	}
}

func TestGate(t *testing.T) {
	apart := weir.CPUs{Generator: []int{0}, Receiver: []int{0}, DUT: []int{1}}
	lose := func(r *weir.TrialResult, received uint64, drops ...weir.Drop) {
		r.Received = received
		r.Ledger = weir.Balance(r.Offered, received, drops)
	}
	for name, c := range map[string]struct {
		spoil func(*weir.TrialResult, *gate)
		code  weir.WarningCode // "" for no warning
		says  string
	}{
		"healthy":          {func(*weir.TrialResult, *gate) {}, "", ""},
		"lossy, explained": {func(r *weir.TrialResult, _ *gate) { lose(r, 60_000, weir.Drop{Place: "dut ring", Count: 40_000}) }, "", ""},
		"nothing forwarded": {func(r *weir.TrialResult, _ *gate) { lose(r, 0, weir.Drop{Place: "dut ring", Count: 100_000}) },
			weir.NothingForwarded, "none of 100,000 frames"},
		"nothing sent": {func(r *weir.TrialResult, _ *gate) { r.Trial.Maximum, r.Offered = true, 0; lose(r, 0) }, "", ""},
		"more than sent": {func(r *weir.TrialResult, _ *gate) { lose(r, 100_001) },
			weir.NegativeLoss, "100,001 frames came back and 100,000 were sent"},
		"short": {func(r *weir.TrialResult, _ *gate) { r.Offered = 99_000; lose(r, 99_000) },
			weir.OfferedShort, "99,000 of the intended 100,000"},
		"a capture of more": {func(r *weir.TrialResult, _ *gate) {
			r.Trial.Traffic.Replay = &weir.Replay{File: "some.pcap", Frames: 3, Left: 5, Reasons: []weir.Unsent{{Reason: "fragments", Frames: 1}, {Reason: "not IP", Frames: 4}}}
		}, weir.FramesLeftOut, "5 of 8 frames of the capture some.pcap cannot be sent and were left out: 1 fragments, 4 not IP"},
		"a capture of an older record": {func(r *weir.TrialResult, _ *gate) {
			r.Trial.Traffic.Replay = &weir.Replay{File: "some.pcap", Frames: 3, Left: 5}
		}, weir.FramesLeftOut, "cannot be sent and were left out"},
		"short by a frame": {func(r *weir.TrialResult, _ *gate) { r.Offered = 99_999; lose(r, 99_999) }, "", ""},
		"near the ceiling": {func(_ *weir.TrialResult, g *gate) { g.ceiling["64"] = 110_000 },
			weir.TesterLimited, "91 % of the 110,000"},
		"below the ceiling":         {func(_ *weir.TrialResult, g *gate) { g.ceiling["64"] = 112_000 }, "", ""},
		"another size's ceiling":    {func(_ *weir.TrialResult, g *gate) { g.ceiling["1518"] = 100_000 }, "", ""},
		"at the ceiling, self-test": {func(r *weir.TrialResult, g *gate) { g.ceiling["64"], r.Trial.Bypass = 100_000, true }, "", ""},
		"at the ceiling, simulated": {func(r *weir.TrialResult, g *gate) { g.ceiling["64"], r.Simulated = 100_000, true }, "", ""},
		"maximum load, little comes back": {func(r *weir.TrialResult, g *gate) {
			g.ceiling["64"] = 100_000
			r.Trial.Maximum, r.Trial.Intended = true, 0
			lose(r, 50_000, weir.Drop{Place: "dut ring", Count: 50_000})
		}, "", ""},
		"maximum load, all of it comes": {func(r *weir.TrialResult, g *gate) {
			g.ceiling["64"] = 100_000
			r.Trial.Maximum, r.Trial.Intended = true, 0
		}, weir.TesterLimited, "100 %"},
		"maximum load, all of it comes, far below the ceiling": {func(r *weir.TrialResult, g *gate) {
			g.ceiling["64"] = 132_000 // packet sockets beside a DUT
			r.Trial.Maximum, r.Trial.Intended = true, 0
		}, weir.TesterLimited, "100,000 frames/s was all that the tester could send beside the DUT, and it came back, at 76 % of the 132,000"},
		"maximum load, all of it comes, as the medium carries no more": {func(r *weir.TrialResult, g *gate) {
			g.ceiling["64"], g.link = 132_000, 100_000*8*84
			r.Trial.Traffic.Sizes = []weir.Size{64}
			r.Trial.Maximum, r.Trial.Intended = true, 0
		}, "", ""},
		"maximum load, some of it is lost": {func(r *weir.TrialResult, g *gate) {
			g.ceiling["64"] = 132_000
			r.Trial.Maximum, r.Trial.Intended = true, 0
			lose(r, 99_800, weir.Drop{Place: "dut ring", Count: 200})
		}, "", ""},
		"half of it each way, the ceiling": {func(r *weir.TrialResult, g *gate) {
			g.ceiling["64"] = 100_000
			r.Trial.Traffic.Bidirectional = true
			r.Trial.Intended = 50_000
		}, weir.TesterLimited, "100 %"},
		"receiver": {func(r *weir.TrialResult, _ *gate) {
			lose(r, 99_000, weir.Drop{Place: "tester t1 rx ring full", Count: 1000, Kind: weir.DropTester})
		},
			weir.ReceiverSaturated, "1,000 frames were dropped at tester t1 rx ring full"},
		"steal":          {func(r *weir.TrialResult, _ *gate) { r.Host.Steal = 30 * time.Millisecond }, weir.StealTime, "1.5 %"},
		"a little steal": {func(r *weir.TrialResult, _ *gate) { r.Host.Steal = 20 * time.Millisecond }, "", ""},
		"busy":           {func(r *weir.TrialResult, _ *gate) { r.Host.Other = 300 * time.Millisecond }, weir.BusyMachine, "15.0 %"},
		"a little busy":  {func(r *weir.TrialResult, _ *gate) { r.Host.Other = 200 * time.Millisecond }, "", ""},
		"another weir": {func(r *weir.TrialResult, _ *gate) {
			r.Host.OtherWeirs = []weir.OtherWeir{{PID: 42, Campaign: "20261129-1", CPUs: []int{1}}}
		}, weir.AnotherWeir, "process 42 on CPU 1, campaign 20261129-1"},
		"TCP's memory":       {func(r *weir.TrialResult, _ *gate) { r.Host.TCPMemory = 1.25 }, weir.TCPMemory, "125 %"},
		"enough of it":       {func(r *weir.TrialResult, _ *gate) { r.Host.TCPMemory = .99 }, "", ""},
		"shared generator":   {func(_ *weir.TrialResult, g *gate) { g.cpus.DUT = []int{2, 0} }, weir.SharedCPU, "CPU 0 "},
		"shared receiver":    {func(_ *weir.TrialResult, g *gate) { g.cpus.Receiver = []int{1} }, weir.SharedCPU, "CPU 1 "},
		"shared by softirqs": {func(r *weir.TrialResult, g *gate) { g.cpus.Generator, r.Host.Softirq = []int{0}, 300*time.Millisecond }, weir.SharedCPU, "the sender's CPU 0"},
		"shared by softirqs, and no CPU is left": {func(r *weir.TrialResult, g *gate) {
			g.cpus.Generator, g.cpus.Receiver, g.machine, r.Host.Softirq = []int{0}, []int{2}, 2, 300*time.Millisecond
		}, weir.SharedCPU, "take a machine with a CPU more"},
		"shared by softirqs, and one is left": {func(r *weir.TrialResult, g *gate) {
			g.cpus.Generator, g.cpus.Receiver, g.machine, r.Host.Softirq = []int{0}, []int{2}, 3, 300*time.Millisecond
		}, weir.SharedCPU, "threaded, and bind"},
		"a few softirqs":    {func(r *weir.TrialResult, g *gate) { g.cpus.Generator, r.Host.Softirq = []int{0}, 200*time.Millisecond }, "", ""},
		"shared, self-test": {func(r *weir.TrialResult, g *gate) { g.cpus.Receiver, r.Trial.Bypass = []int{1}, true }, "", ""},
		"stalled": {func(r *weir.TrialResult, _ *gate) {
			r.Pacing = weir.Pacing{LongestStall: 2 * time.Millisecond, Stalls: 3}
		}, weir.GeneratorStalled, "2ms, and 3 frames left late"},
		"paused": {func(r *weir.TrialResult, _ *gate) {
			r.Pacing.Paused = r.Trial.Length()/100 + time.Millisecond
		}, weir.GeneratorPaused, "of the time"},
		"paused at maximum load": {func(r *weir.TrialResult, _ *gate) {
			r.Trial.Maximum, r.Trial.Intended = true, 0
			r.Pacing = weir.Pacing{LongestStall: time.Second, Paused: r.Trial.Length() / 2}
		}, weir.GeneratorPaused, "did not run for 50.0 %"},
		"not for long at maximum load": {func(r *weir.TrialResult, _ *gate) {
			r.Trial.Maximum, r.Trial.Intended = true, 0
			r.Pacing = weir.Pacing{LongestStall: r.Trial.Length() / 100, Paused: r.Trial.Length() / 100}
		}, "", ""},
		"stalled for a ms":   {func(r *weir.TrialResult, _ *gate) { r.Pacing.LongestStall = time.Millisecond }, "", ""},
		"vanished":           {func(r *weir.TrialResult, _ *gate) { lose(r, 99_000) }, weir.UnexplainedLoss, "1,000 of 100,000"},
		"a few vanished":     {func(r *weir.TrialResult, _ *gate) { lose(r, 99_900) }, "", ""},
		"drops of no frames": {func(r *weir.TrialResult, _ *gate) { lose(r, 99_990, weir.Drop{Place: "dut ring", Count: 11}) }, weir.UnexplainedLoss, "1 more drops"},
		"corrupt":            {func(r *weir.TrialResult, _ *gate) { r.Streams[0].Corrupt, r.Streams[1].Corrupt = 1, 2 }, weir.FramesCorrupt, "3 frames"},
		"duplicate":          {func(r *weir.TrialResult, _ *gate) { r.Streams[1].Duplicate = 4 }, weir.FramesDuplicated, "4 frames"},
		"late":               {func(r *weir.TrialResult, _ *gate) { r.Streams[0].Late = 5 }, weir.FramesReordered, "5 frames"},
		"late, of a capture of one flow": {func(r *weir.TrialResult, _ *gate) {
			r.Streams[0].Late, r.Trial.Traffic.Replay = 5, &weir.Replay{Frames: 40, Flows: 1}
		}, weir.FramesReordered, "5 frames"},
		"late, of a capture of two flows": {func(r *weir.TrialResult, _ *gate) {
			r.Streams[0].Late, r.Trial.Traffic.Replay = 5, &weir.Replay{Frames: 40, Flows: 2}
		}, "", ""},
		"late, of a capture that does not say": {func(r *weir.TrialResult, _ *gate) {
			r.Streams[0].Late, r.Trial.Traffic.Replay = 5, &weir.Replay{Frames: 40}
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, g := healthy(), &gate{cpus: apart, machine: 2, ceiling: map[string]float64{}, reach: map[string]float64{}}
			c.spoil(&r, g)
			g.ceiling[plan.TrafficKey(r.Trial.Traffic)] = g.ceiling[r.Trial.Traffic.Name]
			measure := link(g.gated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) { return r, nil })
			got, err := measure(t.Context(), r.Trial)
			if err != nil {
				t.Fatal(err)
			}
			var want, codes []weir.WarningCode
			if c.code != "" {
				want = append(want, c.code)
			}
			for _, w := range got.Warnings {
				codes = append(codes, w.Code)
			}
			if diff := cmp.Diff(want, codes); diff != "" {
				t.Fatalf("warnings (-want +got):\n%s", diff)
			}
			if c.code != "" && !strings.Contains(got.Warnings[0].Text, c.says) {
				t.Errorf("the warning says %q, not %q", got.Warnings[0].Text, c.says)
			}
		})
	}
}

// A trial that fell far short while other work had the machine says that, and
// not that the load is beyond the tester: it is tried again.
func TestGateDisturbed(t *testing.T) {
	for name, c := range map[string]struct {
		spoil    func(*weir.TrialResult, *gate)
		says     string // "": that it is beyond the tester
		attempts int
	}{
		"other processes": {func(r *weir.TrialResult, _ *gate) { r.Host.Other = 800 * time.Millisecond }, "other processes used 40.0 %", 2},
		"the hypervisor":  {func(r *weir.TrialResult, _ *gate) { r.Host.Steal = 100 * time.Millisecond }, "the hypervisor gave 5.0 %", 2},
		"held up": {func(r *weir.TrialResult, g *gate) {
			r.Pacing.LongestStall = 90 * time.Millisecond
			g.reach[plan.TrafficKey(r.Trial.Traffic)] = r.Trial.Intended
		}, "the generator was held up for 90ms at a load that it has sent before", 2},
		// What is too much for the generator is late in the end by all that it is too much.
		"too much": {func(r *weir.TrialResult, g *gate) {
			r.Pacing.LongestStall = 90 * time.Millisecond
			g.reach[plan.TrafficKey(r.Trial.Traffic)] = .9 * r.Trial.Intended
		}, "", 1},
		"nobody knows": {func(r *weir.TrialResult, _ *gate) { r.Pacing.LongestStall = 90 * time.Millisecond }, "", 1},
	} {
		r, g := healthy(), &gate{machine: 2, ceiling: map[string]float64{}, reach: map[string]float64{}}
		r.Offered, r.Received = 90_000, 90_000
		r.Ledger = weir.Balance(r.Offered, r.Received, nil)
		c.spoil(&r, g)
		attempts := 0
		got, err := link(perTrial().repeated).around(link(g.gated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) { attempts++; return r, nil }))(t.Context(), r.Trial)
		said := ""
		for _, w := range got.Warnings {
			if w.Code == weir.OfferedShort {
				said = w.Text
			}
		}
		if late := has(got, weir.GeneratorStalled); late != (r.Pacing.LongestStall > 0 && c.says != "") {
			t.Errorf("%s: stalled %v", name, late)
		}
		if err != nil || attempts != c.attempts || has(got, weir.TesterLimited) != (c.says == "") {
			t.Errorf("%s: %d attempts, warnings %v, %v", name, attempts, got.Warnings, err)
		}
		if want := "other work kept the tester from sending: 90,000 of the intended 100,000 frames were sent, and " + c.says; strings.HasPrefix(said, want) != (c.says != "") {
			t.Errorf("%s: it says %q", name, said)
		}
	}
}

// A load far beyond the tester is no passing disturbance: it is not tried again.
func TestGateFarShort(t *testing.T) {
	r := healthy()
	r.Offered, r.Received = 90_000, 90_000
	r.Ledger = weir.Balance(r.Offered, r.Received, nil)
	g := &gate{machine: 2, ceiling: map[string]float64{}, reach: map[string]float64{}}
	attempts := 0
	measure := link(perTrial().repeated).around(link(g.gated).around(func(context.Context, weir.Trial) (weir.TrialResult, error) { attempts++; return r, nil }))
	got, err := measure(t.Context(), r.Trial)
	if err != nil || !has(got, weir.TesterLimited) || !has(got, weir.OfferedShort) || attempts != 1 {
		t.Errorf("%d attempts, warnings %v, %v", attempts, got.Warnings, err)
	}
}
