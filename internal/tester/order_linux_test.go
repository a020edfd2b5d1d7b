package tester

import (
	"testing"
	"time"

	"weir"
	"weir/internal/xdp"
)

// tester is one with so many sending threads and nothing else.
func tester(n int) *XDP {
	return &XDP{trial: 1, config: XDPConfig{CPUs: weir.CPUs{Generator: make([]int, n)}}}
}

// ordersOf are those of a tester with so many sending threads.
func ordersOf(n int, trial weir.Trial) []xdp.Order {
	return orders(trial, xdp.Grid{}, tester(n).hands(trial))
}

// The threads together do what the trial asks, to the frame, and their frames
// take turns.
func TestOrdersAddUp(t *testing.T) {
	for name, change := range map[string]func(*weir.Trial){
		"plain":      nil,
		"counted":    func(t *weir.Trial) { t.Count = 101 },
		"backward":   func(t *weir.Trial) { t.Traffic.Backward = true },
		"both":       func(t *weir.Trial) { t.Traffic.Bidirectional = true },
		"bypass":     func(t *weir.Trial) { t.Bypass = true },
		"two loads":  func(t *weir.Trial) { t.Then = &weir.Phase{Intended: 333, Duration: time.Second} },
		"few frames": func(t *weir.Trial) { t.Count = 2 },
		"bursts":     func(t *weir.Trial) { t.Traffic.Burst = 16 },
	} {
		for n := 1; n <= 5; n++ {
			trial := slowTrial(traffic(nil))
			if change != nil {
				change(&trial)
			}
			orders := ordersOf(n, trial)
			want := trial.Frames()
			if trial.Bypass {
				want /= uint64(trial.Traffic.Ports())
			}
			var frames uint64
			var rate, then float64
			for i, o := range orders {
				frames += o.Frames
				rate += o.Rate
				for _, l := range o.Then {
					frames += l.Frames
					then += l.Rate
				}
				apart := time.Duration(float64(max(o.Burst, 1)) / (o.Rate * float64(len(orders))) * 1e9)
				if off := o.Phase - time.Duration(i)*apart; off < -5 || off > 5 {
					t.Errorf("%s: thread %d of %d begins after %v, want %d x %v", name, i, len(orders), o.Phase, i, apart)
				}
				if o.Frames == 0 {
					t.Errorf("%s: thread %d of %d sends without a limit", name, i, len(orders))
				}
			}
			if frames != want {
				t.Errorf("%s: %d threads send %d frames, want %d", name, n, frames, want)
			}
			if want := trial.Intended * float64(sides(trial)); rate < want*.999999 || rate > want*1.000001 {
				t.Errorf("%s: %d threads send %g frames/s, want %g", name, n, rate, want)
			}
			if trial.Then != nil && (then < 332.999 || then > 333.001) {
				t.Errorf("%s: %d threads send %g frames/s in the end, want 333", name, n, then)
			}
		}
	}
}

// A number of frames at a rate takes the time that it takes.
func TestOrdersOfANumberTakeTheirTime(t *testing.T) {
	trial := slowTrial(traffic(nil))
	trial.Count, trial.Duration = 3*slowly, time.Nanosecond
	if o := ordersOf(1, trial)[0]; o.Duration != 3*time.Second {
		t.Errorf("lasts %v, want 3 s", o.Duration)
	}
	trial.Maximum, trial.Intended = true, 0
	if o := ordersOf(1, trial)[0]; o.Duration != 0 || o.Frames != 3*slowly {
		t.Errorf("lasts %v with %d frames, want no end but their number", o.Duration, o.Frames)
	}
}

// Tagged frames are spread from their time until the end, in every stream.
func TestTagsAreSpread(t *testing.T) {
	for _, c := range []struct {
		threads     int
		tags        weir.Tags
		first, step uint64
		count       int
	}{
		{1, weir.Tags{After: time.Second, Count: 1}, 2000, 2000, 1},
		{1, weir.Tags{After: time.Second, Count: 500}, 2000, 4, 500},
		{2, weir.Tags{After: time.Second, Count: 500}, 1000, 2, 500},
		{4, weir.Tags{After: time.Second, Count: 1000}, 500, 1, 500},
		{1, weir.Tags{Count: 3}, 0, 1333, 3},
	} {
		for _, both := range []bool{false, true} {
			trial := slowTrial(traffic(func(t *weir.Traffic) { t.Bidirectional = both }))
			trial.Duration, trial.Tags = 2*time.Second, c.tags
			w, err := tester(c.threads).watching(trial)
			if err != nil {
				t.Fatal(err)
			}
			if w.tags.First != c.first || w.tags.Step != c.step || w.tagged != c.count {
				t.Errorf("%+v, %d threads: %d from %d on, every %d; want %d, %d, %d",
					c.tags, c.threads, w.tagged, w.tags.First, w.tags.Step, c.count, c.first, c.step)
			}
			if last := w.tags.First + uint64(w.tagged-1)*w.tags.Step; last >= uint64(4000/c.threads) {
				t.Errorf("%+v: the last tagged frame, %d, is never sent", c.tags, last)
			}
		}
	}
}

// A window that is primed and held is three loads, and the pause follows on the
// last of those before it.
func TestLoadsOfAHeldWindow(t *testing.T) {
	ms := time.Millisecond
	got := loads(weir.Trial{Windows: []weir.Window{{
		Intended: 1e5, Duration: 10 * ms, Silence: 3 * ms, Pause: 2 * ms,
		Prime: &weir.Phase{Intended: 4e5, Duration: ms}, Hold: &weir.Phase{Intended: 2e5, Duration: 5 * ms},
	}}})
	type load struct {
		rate    float64
		silence time.Duration
	}
	want := []load{{4e5, 0}, {2e5, 2 * ms}, {1e5, 3 * ms}}
	if len(got) != len(want) {
		t.Fatalf("%d loads: %+v", len(got), got)
	}
	for i, l := range got {
		if (load{l.Rate, l.Silence}) != want[i] {
			t.Errorf("load %d is %+v, want %+v", i, l, want[i])
		}
	}
}
