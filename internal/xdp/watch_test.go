//go:build linux

package xdp

import (
	"slices"
	"sync"
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

// wraps is within what time frames of a test have to be fed that say in a short
// signature that they were sent a second ago: its time is of 32 bits.
const wraps = 3 * time.Second

// promptly has a receiver reset and fed, and says how long that took: by so much frames
// may be later than they say. Where it took longer than it may, as this process had no
// CPU, it shows nothing, and is done anew.
func promptly(t *testing.T, within time.Duration, feed func()) (took time.Duration) {
	t.Helper()
	testenv.Await(t, "frames are fed without a pause", func() bool {
		began := Now()
		feed()
		took = Now() - began
		return took < within
	})
	return took
}

func reset(t *testing.T, r *Receiver, e Expected) {
	t.Helper()
	if err := r.Reset(e); err != nil {
		t.Fatal(err)
	}
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
			r := watching(t, ReceiverOptions{Steps: grid.Steps, Verify: true}, Expected{Grid: grid})
			b := builder(t, tr, tr.Forward)
			want := make([]uint32, grid.Steps)
			ages := []time.Duration{0, 0, 3, 700, 701, 701, 702} // steps
			for _, age := range ages {
				want[age]++
			}
			promptly(t, wraps, func() {
				grid.Start = Now() - time.Second
				reset(t, r, Expected{Grid: grid})
				for i, age := range ages {
					sent := grid.Start + age*grid.Resolution() + grid.Resolution()/2
					for range 2 { // the second one is a duplicate
						r.feed(t, b.Frame(nil, uint64(i), frame.Signature{Sequence: uint64(i), Time: uint64(sent)}))
					}
				}
			})
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
			reset(t, r, Expected{Grid: grid})
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
			expected := Expected{Tags: Tags{First: 100, Step: 7}}
			r := watching(t, ReceiverOptions{Tags: 3}, expected)
			b := builder(t, tr, tr.Forward)
			const old = 100 * time.Millisecond
			delays := map[uint64]time.Duration{99: 1, 100: 2, 101: 3, 107: 4, 114: 5, 121: 6}
			took := promptly(t, wraps, func() {
				reset(t, r, expected)
				for _, sequence := range []uint64{99, 100, 101, 114, 121} {
					for stream := range uint8(2) {
						sent := Now() - old*(delays[sequence]+3*time.Duration(stream))
						r.feed(t, b.Frame(nil, sequence, frame.Signature{Stream: stream, Sequence: sequence, Time: uint64(sent)}))
					}
				}
			})
			got, err := r.Tagged()
			if err != nil {
				t.Fatal(err)
			}
			want := append([]time.Duration{2 * old, -1, 5 * old, 5 * old, -1, 8 * old}, slices.Repeat([]time.Duration{-1}, (Streams-2)*3)...)
			for i := range got {
				if want[i] >= 0 && got[i] >= want[i] && got[i] <= want[i]+took {
					got[i] = want[i]
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("within %v: %s", took, d)
			}
		})
	}
}

// Delays are compared between frames that follow each other.
func TestReceiverComparesDelays(t *testing.T) {
	const ms = time.Millisecond
	r := watching(t, ReceiverOptions{Variation: true}, Expected{})
	for _, c := range []struct {
		name            string
		sequences       []uint64
		delays          []time.Duration
		longer, shorter []time.Duration
	}{
		{"one frame", []uint64{0}, []time.Duration{5 * ms}, nil, nil},
		{"longer and shorter", []uint64{0, 1, 2}, []time.Duration{100 * ms, 300 * ms, 200 * ms}, []time.Duration{200 * ms}, []time.Duration{100 * ms}},
		{"a gap", []uint64{0, 2, 3}, []time.Duration{100 * ms, 200 * ms, 500 * ms}, []time.Duration{300 * ms}, nil},
		{"a late one", []uint64{0, 2, 1, 3}, []time.Duration{100 * ms, 200 * ms, 900 * ms, 600 * ms}, []time.Duration{800 * ms, 400 * ms}, []time.Duration{700 * ms}},
		{"a place that a later frame took", []uint64{1, 0, 4096, 4097, 2}, []time.Duration{100 * ms, 200 * ms, 900 * ms, 600 * ms, 100 * ms}, nil, []time.Duration{100 * ms, 300 * ms}},
		{"a duplicate", []uint64{0, 1, 1, 2}, []time.Duration{100 * ms, 200 * ms, 900 * ms, 300 * ms}, []time.Duration{100 * ms, 100 * ms}, nil},
	} {
		for name, tr := range both() {
			t.Run(c.name+" "+name, func(t *testing.T) {
				b := builder(t, tr, tr.Forward)
				doubt := promptly(t, 100*ms, func() { // by which the delays differ
					reset(t, r, Expected{})
					for i, s := range c.sequences {
						r.feed(t, b.Frame(nil, s, frame.Signature{Sequence: s, Time: uint64(Now() - c.delays[i])}))
					}
				})
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

// A stream whose frames arrive at several CPUs, and out of order there, misses
// no change of delay.
func TestReceiverComparesDelaysOfAllCPUs(t *testing.T) {
	const frames = 4000
	r := watching(t, ReceiverOptions{Variation: true}, Expected{})
	tr := traffics()[0]
	b := builder(t, tr, tr.Forward)
	sent := Now()
	var wg sync.WaitGroup
	for part := range 4 { // each has a quarter of the frames, the last one's backwards
		wg.Go(func() {
			for i := range frames / 4 {
				if part == 3 {
					i = frames/4 - 1 - i
				}
				sequence := uint64(4*i + part)
				f := b.Frame(nil, sequence, frame.Signature{Sequence: sequence, Time: uint64(sent)})
				if _, _, err := r.objects.Receive.Test(f); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	v, err := r.Variation()
	if err != nil {
		t.Fatal(err)
	}
	if n := v.Longer.N + v.Shorter.N; n != frames-1 {
		t.Errorf("%d changes of delay of %d frames", n, frames)
	}
}

// Frames are counted in the window in which they were sent, in whatever order
// they arrive, and with them the frames between them that did not.
func TestReceiverCountsWindows(t *testing.T) {
	const ms = time.Millisecond
	var start time.Duration
	var windows []time.Duration
	for name, tr := range both() {
		t.Run(name, func(t *testing.T) {
			r := watching(t, ReceiverOptions{Windows: 8}, Expected{})
			b := builder(t, tr, tr.Forward)
			promptly(t, wraps, func() {
				start = Now() - 100*ms
				windows = []time.Duration{start, start + 10*ms, start + 12*ms, start + 30*ms}
				reset(t, r, Expected{Windows: windows})
				for _, f := range []struct {
					sequence uint64
					at       time.Duration
				}{
					{0, -ms}, {1, 0}, {5, 9 * ms}, // 3 of the first window are missing
					{8, 10 * ms}, {10, 11 * ms}, // one, and before it some of two windows
					{11, 31 * ms}, {15, 32 * ms}, {16, 99 * ms}, {17, 32 * ms}, // none was sent in the third one
					{17, 32 * ms}, // a duplicate
					{9, 11 * ms},  // a late one
				} {
					r.feed(t, b.Frame(nil, f.sequence, frame.Signature{Sequence: f.sequence, Time: uint64(start + f.at)}))
				}
			})
			got, err := r.Arrivals(len(windows))
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []Arrived{
				{Received: 3, Missing: 3, Run: 3, Delay: 101 * ms}, {Received: 3, Missing: 1, Run: 1, Delay: 90 * ms},
				{}, {Received: 4, Missing: 3, Run: 3, Delay: 69 * ms},
			} {
				a := got[i]
				late := Now() - start - 100*ms // since the frames were made
				if a.Delay < want.Delay || a.Delay > want.Delay+late || a.Gap > late {
					t.Errorf("window %d: delay %v, gap %v", i, a.Delay, a.Gap)
				}
				if a.Delay, a.Gap = want.Delay, 0; a != want {
					t.Errorf("window %d: %+v, want %+v", i, a, want)
				}
			}
			reset(t, r, Expected{Windows: windows[:1]})
			r.feed(t, b.Frame(nil, 0, frame.Signature{Time: uint64(Now())}))
			if got, err := r.Arrivals(4); err != nil || got[0].Received != 1 || got[3] != (Arrived{}) {
				t.Errorf("after a reset %+v, %v", got, err)
			}
		})
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
