//go:build linux

package xdp

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/frame"
	"weir/internal/testenv"
)

// watching is a receiver without a port that keeps what the options say.
func watching(t *testing.T, o ReceiverOptions, e Expected) *Receiver {
	t.Helper()
	testenv.NeedRoot(t)
	r := &Receiver{}
	if err := r.load(o, false); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.objects.Close() })
	if err := r.Reset(e); err != nil {
		t.Fatal(err)
	}
	return r
}

// both are traffics with either form of the signature.
func both() map[string]weir.Traffic {
	full, brief := traffics()[0], traffics()[0]
	brief.Protocol, brief.Sizes = weir.TCP, []weir.Size{frame.SmallestSize(weir.IPv4, weir.TCP, 0)}
	return map[string]weir.Traffic{"full": full, "short": brief}
}

// Distinct frames are counted in the step in which they were sent, which the
// short signature tells too.
func TestReceiverKeepsATimeline(t *testing.T) {
	for name, tr := range both() {
		t.Run(name, func(t *testing.T) {
			grid := NewGrid(time.Millisecond, 100*time.Millisecond)
			grid.Start = Now() - time.Second
			r := watching(t, ReceiverOptions{Steps: grid.Steps, Verify: true}, Expected{Grid: grid})
			b := builder(t, tr, tr.Forward)
			want := make([]uint32, grid.Steps)
			for i, age := range []time.Duration{0, 0, 3, 700, 701, 701, 702} { // steps
				sent := grid.Start + age*grid.Resolution() + grid.Resolution()/2
				for range 2 { // the second one is a duplicate
					r.feed(t, b.Frame(nil, uint64(i), frame.Signature{Sequence: uint64(i), Time: uint64(sent)}))
				}
				want[age]++
			}
			damaged := b.Frame(nil, 7, frame.Signature{Sequence: 7, Time: uint64(Now())})
			damaged[len(damaged)-1] ^= 1
			r.feed(t, damaged)
			got, err := r.Steps()
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if err := r.Reset(Expected{Grid: grid}); err != nil {
				t.Fatal(err)
			}
			if got, err := r.Steps(); err != nil || !cmp.Equal(got, make([]uint32, grid.Steps)) {
				t.Errorf("the timeline is not empty after a reset, %v", err)
			}
		})
	}
}

// The latencies of the tagged frames are kept by stream and sequence; those
// that did not come have none.
func TestReceiverKeepsTaggedFrames(t *testing.T) {
	for name, tr := range both() {
		t.Run(name, func(t *testing.T) {
			r := watching(t, ReceiverOptions{Tags: 3}, Expected{Tags: Tags{First: 100, Step: 7}})
			b := builder(t, tr, tr.Forward)
			const old = 100 * time.Millisecond
			delays := map[uint64]time.Duration{99: 1, 100: 2, 101: 3, 107: 4, 114: 5, 121: 6}
			for _, sequence := range []uint64{99, 100, 101, 114, 121} {
				for stream := range uint8(2) {
					sent := Now() - old*(delays[sequence]+3*time.Duration(stream))
					r.feed(t, b.Frame(nil, sequence, frame.Signature{Stream: stream, Sequence: sequence, Time: uint64(sent)}))
				}
			}
			got, err := r.Tagged()
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] >= 0 {
					got[i] = got[i].Truncate(old)
				}
			}
			missing := slices.Repeat([]time.Duration{-1}, (Streams-2)*3)
			if d := cmp.Diff(append([]time.Duration{2 * old, -1, 5 * old, 5 * old, -1, 8 * old}, missing...), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// Delays are compared between frames that follow each other.
func TestReceiverComparesDelays(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name            string
		sequences       []uint64
		delays          []time.Duration
		longer, shorter []time.Duration
	}{
		{"one frame", []uint64{0}, []time.Duration{5 * ms}, nil, nil},
		{"longer and shorter", []uint64{0, 1, 2}, []time.Duration{100 * ms, 300 * ms, 200 * ms}, []time.Duration{200 * ms}, []time.Duration{100 * ms}},
		{"a gap", []uint64{0, 2, 3}, []time.Duration{100 * ms, 200 * ms, 500 * ms}, []time.Duration{300 * ms}, nil},
		{"a late one", []uint64{0, 2, 1, 3}, []time.Duration{100 * ms, 200 * ms, 900 * ms, 600 * ms}, []time.Duration{400 * ms}, nil},
		{"a duplicate", []uint64{0, 1, 1, 2}, []time.Duration{100 * ms, 200 * ms, 900 * ms, 300 * ms}, []time.Duration{100 * ms, 100 * ms}, nil},
	} {
		for name, tr := range both() {
			t.Run(c.name+" "+name, func(t *testing.T) {
				r := watching(t, ReceiverOptions{Variation: true}, Expected{})
				b := builder(t, tr, tr.Forward)
				began := Now()
				for i, s := range c.sequences {
					r.feed(t, b.Frame(nil, s, frame.Signature{Sequence: s, Time: uint64(Now() - c.delays[i])}))
				}
				doubt := Now() - began
				v, err := r.Variation()
				if err != nil {
					t.Fatal(err)
				}
				sums(t, "longer", v.Longer, c.longer, doubt)
				sums(t, "shorter", v.Shorter, c.shorter, doubt)
				if h, err := r.Latency(); err != nil || h.N != uint64(len(c.sequences)) {
					t.Errorf("%d latencies, %v", h.N, err)
				}
			})
		}
	}
}

// sums compares number and sum, which a histogram keeps exactly.
func sums(t *testing.T, name string, h weir.Histogram, want []time.Duration, doubt time.Duration) {
	t.Helper()
	var sum time.Duration
	for _, d := range want {
		sum += d
	}
	if off := time.Duration(h.Sum) - sum; h.N != uint64(len(want)) || off < -doubt || off > doubt {
		t.Errorf("%s: %d of %v together, want %d of %v to %v", name, h.N, time.Duration(h.Sum), len(want), sum, doubt)
	}
}
