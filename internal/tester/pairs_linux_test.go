package tester

import (
	"errors"
	"slices"
	"testing"
	"time"

	"weir"
	"weir/internal/testenv"
)

// Over two pairs of ports frames of each port go to all ports of the other
// side, and all that is counted and kept of them adds up, with each back end.
func TestPairs(t *testing.T) {
	testenv.NeedRoot(t)
	p := openPairs(t, 2)
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			p.tester.missing = b.missing
			for name, change := range map[string]func(*weir.Traffic){
				"forward":  nil,
				"both":     func(t *weir.Traffic) { t.Bidirectional = true },
				"backward": func(t *weir.Traffic) { t.Backward, t.Flows = true, 3 },
				"IPv6 mix": func(t *weir.Traffic) { t.Family, t.Sizes, t.Flows = weir.IPv6, []weir.Size{78, 1518}, 3 },
				"blend and more": func(t *weir.Traffic) {
					t.Sizes, t.Bidirectional, t.Broadcast = []weir.Size{150}, true, 0.1
					blend(t, 0.5)
				},
				"one pair": func(t *weir.Traffic) { t.Bidirectional, t.Pairs = true, 1 },
			} {
				t.Run(name, func(t *testing.T) {
					tr := overPairs(2, change)
					if missed := cameBack(t, p, slowTrial(tr), b.name); missed == 0 {
						reached(t, p, tr)
					}
				})
			}
			t.Run("watch", func(t *testing.T) { watchesPairs(t, p, b.name) })
		})
	}
	p.tester.missing = nil
	t.Run("maximum", func(t *testing.T) { accountsForPairs(t, p) })
	t.Run("threads", func(t *testing.T) { addsUpThreadsOfPairs(t, p) })
	t.Run("nonsense", func(t *testing.T) { refusesPairs(t, p) })
}

// overPairs is traffic over n pairs of ports, changed.
func overPairs(n int, change func(*weir.Traffic)) weir.Traffic {
	return traffic(func(t *weir.Traffic) {
		t.Pairs = n
		if change != nil {
			change(t)
		}
	})
}

// reached looks whether all ports received frames that had to, alike, and none
// of the others.
func reached(t *testing.T, p *place, tr weir.Traffic) {
	t.Helper()
	var counts []uint64
	for _, r := range p.tester.receivers {
		n, err := r.Count()
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, n)
	}
	expected := func(port int) bool {
		return port < 2*tr.PortPairs() && (port%2 != tr.Direction() || tr.Bidirectional)
	}
	// A blend has two frames for one port before it is the next one's turn.
	const turns = 4
	few := slices.Max(counts) <= turns // the sender had hardly any CPU
	for port, n := range counts {
		if n > 0 && !expected(port) || n == 0 && expected(port) && !few {
			t.Errorf("the ports received %v frames", counts)
			return
		}
		if before := counts[port%2]; n+turns < before && expected(port) || n > before+turns {
			t.Errorf("the ports received %v frames, those of a side not alike", counts)
			return
		}
	}
}

// What is kept of single frames is kept by the port at which each arrives, and
// is whole when it is put together.
func watchesPairs(t *testing.T, p *place, backend string) {
	for _, change := range []func(*weir.Traffic){
		nil, func(t *weir.Traffic) { t.Bidirectional = true }, func(t *weir.Traffic) { t.Backward = true },
	} {
		trial := slowTrial(overPairs(2, change))
		trial.Traffic.Flows = 3
		trial.Variation, trial.Resolution = true, time.Millisecond
		trial.Tags = weir.Tags{After: briefly / 2, Count: 10}
		trial.Waits.Learning = time.Millisecond
		r, whole := p.complete(t, trial, backend)
		keepsAll(t, r, 1, whole)
	}
}

// keepsAll checks what was kept for a trial over two pairs with 10 tags.
func keepsAll(t *testing.T, r weir.TrialResult, threads uint64, whole bool) {
	t.Helper()
	streams := threads * uint64(r.Trial.Traffic.Ports())
	if n := uint64(len(r.Tagged)); n > 10*streams || (whole && n < 10*streams) {
		t.Errorf("%d tagged frames, want 10 of each of %d streams", n, streams)
	}
	for _, l := range r.Tagged {
		if uint64(l) < r.Latency.Min || uint64(l) > r.Latency.Max {
			t.Errorf("a tagged frame took %v, all frames %d to %d ns", l, r.Latency.Min, r.Latency.Max)
		}
	}
	// Nothing comes before the first frame of each stream to each of two ports.
	// Flows may overtake each other: neither the frame that overtook one nor the
	// overtaken one follows its predecessor.
	var late uint64
	for _, s := range r.Streams {
		late += s.Late
	}
	n, want := r.Variation.Longer.N+r.Variation.Shorter.N, follow(r, 2)
	if n > want || n+2*late < want && r.Received == r.Offered {
		t.Errorf("%d changes of delay of %d frames, %d of them late, in %d streams to two ports each", n, r.Received, late, streams)
	}
}

// As fast as it goes frames are lost, every one at a counter of some port.
func accountsForPairs(t *testing.T, p *place) {
	cpus := p.lab.CPUs()
	p.placeDUT(t, cpus.Generator)
	defer p.placeDUT(t, cpus.DUT)
	trial := slowTrial(overPairs(2, func(t *weir.Traffic) { t.Bidirectional = true }))
	trial.Maximum, trial.Intended = true, 0
	trial.Duration, trial.Waits.Residual = 20*time.Millisecond, 100*time.Millisecond
	r := p.measure(t, trial)
	sane(t, r, "xdp")
	p.awaitAll(t, r)
	const stray = 20 // frames of the stack itself may be dropped as well
	if refused := int64(p.refused(t)); r.Ledger.Unexplained < refused-stray {
		t.Errorf("%d of %d frames came back, the DUT dropped %d: %+v", r.Received, r.Offered, refused, r.Ledger)
	}
	if len(r.Streams) != 4 {
		t.Errorf("%d streams, want one of each port", len(r.Streams))
	}
}

// Each thread sends a stream through each port.
func addsUpThreadsOfPairs(t *testing.T, p *place) {
	if err := p.tester.unload(); err != nil {
		t.Fatal(err)
	}
	cpus := p.tester.config.CPUs.Generator
	p.tester.config.CPUs.Generator = []int{cpus[0], cpus[0]}
	p.tester.missing = backends[1].missing // senders that sleep can share a CPU
	defer func() {
		if err := p.tester.unload(); err != nil {
			t.Error(err)
		}
		p.tester.config.CPUs.Generator, p.tester.missing = cpus, nil
	}()
	trial := slowTrial(overPairs(2, func(t *weir.Traffic) { t.Bidirectional = true }))
	trial.Count, trial.Variation, trial.Resolution = 200, true, time.Millisecond
	trial.Tags = weir.Tags{After: briefly / 2, Count: 10}
	r, whole := p.complete(t, trial, "afpacket")
	keepsAll(t, r, 2, whole)
	seen := make(map[int]string)
	for _, s := range r.Streams {
		seen[s.Stream] = s.Direction
	}
	for id, want := range map[int]string{0: "forward", 1: "forward", 16: "reverse", 17: "reverse", 32: "forward", 33: "forward", 48: "reverse", 49: "reverse"} {
		if seen[id] != want {
			t.Errorf("stream %d went %q, want %s", id, seen[id], want)
		}
	}
}

// What there are not enough ports for, or cannot be told apart, is refused.
func refusesPairs(t *testing.T, p *place) {
	trial := slowTrial(overPairs(3, nil))
	if _, err := p.tester.Measure(t.Context(), trial); err == nil {
		t.Error("three pairs of ports were measured where there are two")
	}
	trial = slowTrial(overPairs(2, func(t *weir.Traffic) { t.Sizes = []weir.Size{150}; blend(t, 0.5) }))
	trial.Variation = true
	unsupported := (*weir.UnsupportedError)(nil)
	if _, err := p.tester.Measure(t.Context(), trial); !errors.As(err, &unsupported) {
		t.Errorf("frames that do not go to the ports in turn: %v", err)
	}
	many := tester(17)
	many.config.Ports = p.tester.config.Ports
	if err := many.checkPairs(slowTrial(overPairs(2, nil))); err == nil {
		t.Error("17 threads send through 4 ports, with 64 streams to tell apart")
	}
	if err := tester(32).checkPairs(slowTrial(traffic(nil))); err == nil {
		t.Error("a trial was measured without a port")
	}
}
