package search

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// goal is a search over 1000 to 100,000 frames/s at trials of 1 s.
func goal(change ...func(*Goal)) Goal {
	g := Goal{Trial: time.Second, Trials: 1, Width: .01, Minimum: 1000, Maximum: 100_000}
	for _, c := range change {
		c(&g)
	}
	return g
}

func three(g *Goal)  { g.Trials, g.Exceed = 3, .5 }
func strict(g *Goal) { g.Trials = 3 }
func start(at float64) func(*Goal) {
	return func(g *Goal) { g.Start = at }
}

const (
	good = 0.
	bad  = .2
)

func seen(load, loss float64) Observation { return Observation{Load: load, Loss: loss} }

func forwarded(load, rate float64) Observation {
	return Observation{Load: load, Loss: 1 - rate/load, Forwarded: rate}
}

func TestBinaryNext(t *testing.T) {
	tests := []struct {
		name string
		goal Goal
		past []Observation
		want float64 // 0: done
	}{
		{"first load is the maximum", goal(), nil, 100_000},
		{"first load is the start", goal(start(40_000)), nil, 40_000},
		{"a start out of range is moved into it", goal(start(1e9)), nil, 100_000},
		{"maximum passes", goal(), []Observation{seen(100_000, good)}, 0},
		{"minimum fails", goal(), []Observation{seen(1000, bad)}, 0},
		{"start passes: a little step up", goal(start(50_000)), []Observation{seen(50_000, good)}, 51_000},
		{"and twice the step", goal(start(50_000)), []Observation{seen(50_000, good), seen(51_000, good)}, 51_000 * 1.04},
		{"never above the maximum", goal(start(99_999)), []Observation{seen(99_999, good)}, 100_000},
		{"start fails: a little step down", goal(start(51_000)), []Observation{forwarded(51_000, 50_990)}, 50_000},
		{"and twice the step", goal(start(52_000)), []Observation{forwarded(52_000, 51_990), forwarded(51_000, 50_990)}, 51_000 / 1.04},
		{"far too much: halve", goal(), []Observation{seen(100_000, bad)}, 50_000},
		{"never below the minimum", goal(), []Observation{seen(1100, bad)}, 1000},
		{"hint", goal(), []Observation{forwarded(100_000, 30_000)}, 30_000},
		{"hint at a loss ratio", goal(func(g *Goal) { g.LossRatio = .5 }), []Observation{forwarded(100_000, 30_000)}, 60_000},
		{"a hint that failed is not followed by another", goal(), []Observation{forwarded(100_000, 30_000), forwarded(30_000, 29_000)}, 30_000 / 1.04},
		{"a hint that passed is confirmed", goal(), []Observation{forwarded(100_000, 30_000), seen(30_000, good)}, 30_300},
		{"and that ends the search", goal(), []Observation{forwarded(100_000, 30_000), seen(30_000, good), seen(30_300, bad)}, 0},
		{"or goes on in the middle", goal(), []Observation{forwarded(100_000, 30_000), seen(30_000, good), seen(30_300, good)}, 65_150},
		{"bisect", goal(), []Observation{seen(20_000, good), seen(40_000, bad)}, 30_000},
		{"a hint below the lower bound is none", goal(), []Observation{seen(20_000, good), forwarded(40_000, 19_000)}, 30_000},
		{"a hint close to the bound is none", goal(), []Observation{seen(20_000, good), forwarded(40_000, 39_900)}, 30_000},
		{"within the width", goal(), []Observation{seen(99_000, good), seen(100_000, bad)}, 0},
		{"outside of the width", goal(), []Observation{seen(98_000, good), seen(100_000, bad)}, 99_000},
		{"within a frame", goal(func(g *Goal) { g.Width = 0 }), []Observation{seen(2000, good), seen(2000.9, bad)}, 0},
		{"frames were lost below a load at which none were", goal(), []Observation{seen(10_000, good), seen(20_000, bad), seen(30_000, good)}, 15_000},
		{"far below a load that met the goal: once more", goal(), []Observation{seen(60_000, good), seen(70_000, bad), seen(30_000, bad)}, 30_000},
		{"and again where that disagrees", goal(), []Observation{seen(60_000, good), seen(30_000, bad), seen(30_000, good)}, 30_000},
		{"not where it agrees", goal(), []Observation{seen(60_000, good), seen(30_000, bad), seen(30_000, bad)}, 15_000},
		{"nor after two of three", goal(), []Observation{seen(60_000, good), seen(61_000, bad), seen(30_000, bad), seen(30_000, good), seen(30_000, good)}, 60_500},
		{"nor for long where nothing is sent", goal(), []Observation{seen(60_000, good), seen(30_000, bad), unsent(30_000, 9), unsent(30_000, 9)}, 15_000},
		{"far below what is forwarded", goal(), []Observation{forwarded(100_000, 50_000), forwarded(30_000, 29_999)}, 30_000},
		{"not far below what is forwarded", goal(), []Observation{forwarded(100_000, 40_000), forwarded(30_000, 29_999)}, 30_000 / 1.04},
		{"below one that was confirmed", goal(), []Observation{forwarded(100_000, 50_000), forwarded(30_000, 29_999), forwarded(30_000, 29_999), forwarded(29_000, 28_999)}, 29_000 / 1.08},
		{"but before the end", goal(), []Observation{forwarded(100_000, 50_000), forwarded(30_000, 29_999), forwarded(30_000, 29_999), forwarded(20_000, 19_999), seen(19_900, good)}, 20_000},
		{"one of three is not enough", goal(three), []Observation{seen(100_000, bad)}, 100_000},
		{"two bad ones decide", goal(three), []Observation{seen(100_000, bad), seen(100_000, bad)}, 50_000},
		{"two good ones decide", goal(three), []Observation{seen(100_000, good), seen(100_000, good)}, 0},
		{"one of each does not", goal(three), []Observation{seen(100_000, good), seen(100_000, bad)}, 100_000},
		{"one bad one decides where none may be", goal(strict), []Observation{seen(100_000, bad)}, 50_000},
		{"two good ones do not", goal(strict), []Observation{seen(100_000, good), seen(100_000, good)}, 100_000},
		{"what is not a load is left out", goal(), []Observation{seen(math.NaN(), bad), seen(0, good), seen(math.Inf(1), bad)}, 100_000},
		{"a loss that is not a number is bad", goal(), []Observation{seen(1000, math.NaN())}, 0},
		{"a goal that is not valid", Goal{}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Binary{tt.goal}.Next(tt.past)
			if ok != (tt.want != 0) || math.Abs(got-tt.want) > 1e-9*tt.want {
				t.Errorf("Next = %v, %v; want %v", got, ok, tt.want)
			}
		})
	}
}

func TestBinaryOutcome(t *testing.T) {
	tests := []struct {
		name string
		goal Goal
		past []Observation
		want Outcome
	}{
		{"nothing yet", goal(), nil, Outcome{Upper: 100_000}},
		{"both bounds", goal(), []Observation{seen(100_000, bad), seen(50_000, good)},
			Outcome{Lower: 50_000, Upper: 100_000, Trials: 2}},
		{"maximum", goal(), []Observation{seen(100_000, good)},
			Outcome{Lower: 100_000, Upper: 100_000, Trials: 1, Limited: "maximum", Done: true}},
		{"minimum", goal(), []Observation{seen(100_000, bad), seen(1000, bad)},
			Outcome{Upper: 1000, Trials: 2, Limited: "minimum", Done: true}},
		{"not monotonic", goal(), []Observation{seen(39_000, good), seen(20_000, bad), seen(19_900, good)},
			Outcome{Lower: 19_900, Upper: 20_000, Trials: 3, Done: true}},
		{"a bound in doubt", goal(), []Observation{seen(50_000, good), seen(20_000, bad), seen(19_900, good)},
			Outcome{Lower: 19_900, Upper: 20_000, Trials: 3, Unstable: true}},
		{"a bound that was confirmed", goal(), []Observation{seen(50_000, good), seen(20_000, bad), seen(19_900, good), seen(20_000, bad)},
			Outcome{Lower: 19_900, Upper: 20_000, Trials: 4, Unstable: true, Done: true}},
		{"a bound that was refuted", goal(), []Observation{seen(50_000, good), seen(50_300, bad), seen(20_000, bad), seen(20_000, good), seen(20_000, good)},
			Outcome{Lower: 50_000, Upper: 50_300, Trials: 5, Unstable: true, Done: true}},
		{"lost frames far below what is forwarded", goal(), []Observation{forwarded(100_000, 50_000), forwarded(20_000, 19_999), forwarded(19_900, 19_900), forwarded(20_000, 19_999)},
			Outcome{Lower: 19_900, Upper: 20_000, Trials: 4, Done: true}},
		{"unstable", goal(three), []Observation{seen(50_000, good), seen(50_000, bad), seen(50_000, good)},
			Outcome{Lower: 50_000, Upper: 100_000, Trials: 3, Unstable: true}},
		{"undecided", goal(three), []Observation{seen(50_000, good)}, Outcome{Upper: 100_000, Trials: 1}},
		{"a goal that is not valid", Goal{}, []Observation{seen(1, good)}, Outcome{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, Binary{tt.goal}.Outcome(tt.past)); d != "" {
				t.Errorf("Outcome (-want +got):\n%s", d)
			}
		})
	}
}

// How the DUT forwards at overload, as far as a hint can see.
var overloads = []func(load, truth float64) (rate float64){
	func(load, truth float64) float64 { return truth },                                   // keeps its rate
	func(load, truth float64) float64 { return max(0, truth*(1-.3*(load-truth)/truth)) }, // livelock
	func(load, truth float64) float64 { return 0 },                                       // collapse
	func(load, truth float64) float64 { return load * .9999 },                            // a slip only: the hint is useless
	func(load, truth float64) float64 { return truth * 1.05 },                            // the hint fails by little
}

func TestBinaryFindsTheTruth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	most, total := 0, 0
	const truths = 10_000
	for i := range truths {
		g := Goal{Trial: time.Second, Trials: 1, Width: .01, Maximum: 20e6}
		truth := math.Exp(rng.Float64()*math.Log(20e6/200)) * 200
		forwards := overloads[i%len(overloads)]
		if i%3 == 0 {
			g.Start = truth * math.Exp(rng.NormFloat64())
		}
		var past []Observation
		for load, ok := (Binary{g}).Next(past); ok; load, ok = (Binary{g}).Next(past) {
			rate := load
			if load > truth {
				rate = min(forwards(load, truth), load*.99999)
			}
			past = append(past, forwarded(load, rate))
			if len(past) > 200 {
				t.Fatalf("truth %v, start %v: no end after %d trials", truth, g.Start, len(past))
			}
		}
		o := Binary{g}.Outcome(past)
		if !o.Done || o.Lower > truth || o.Upper < truth || (o.Upper-o.Lower)/o.Upper > g.Width {
			t.Fatalf("truth %v, start %v: %+v", truth, g.Start, o)
		}
		most, total = max(most, len(past)), total+len(past)
	}
	t.Logf("%.1f trials on average, %d at most", float64(total)/truths, most)
	if most > 45 {
		t.Errorf("a search took %d trials", most)
	}
}

// A DUT that loses a frame in three trials of ten, whatever the load, is found
// all the same where it forwards far more than the load of such a trial: hardly any is
// below half of what it forwards.
func TestBinaryIsNotFarBelowWhatIsForwarded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	far := 0
	const searches = 3000
	for range searches {
		g := Goal{Trial: time.Second, Width: .01, Maximum: 20e6}
		truth := 5.5e5 * math.Exp(rng.Float64())
		o, err := Run(t.Context(), g, func(_ context.Context, load float64) (Observation, error) {
			rate := min(load, truth)
			if rng.Float64() < .3 {
				rate -= 1
			}
			return forwarded(load, rate), nil
		})
		if err != nil || !o.Done || o.Lower >= o.Upper {
			t.Fatalf("truth %v: %+v, %v", truth, o, err)
		}
		if o.Lower < truth/2 {
			far++
		}
	}
	if far > searches/1000 {
		t.Errorf("%d of %d results are below half of the truth", far, searches)
	}
}

func TestBinaryUsesFewTrialsWhereTheHintIsRight(t *testing.T) {
	var past []Observation
	b := Binary{goal(func(g *Goal) { g.Maximum = 20e6 })}
	for load, ok := b.Next(past); ok; load, ok = b.Next(past) {
		past = append(past, forwarded(load, min(load, 743_210)))
	}
	if len(past) != 3 {
		t.Errorf("took %d trials, want 3: %+v", len(past), past)
	}
}

// Whatever the losses are, a search ends soon, its bounds never cross, and no
// load is tried more often than it may be.
func FuzzBinary(f *testing.F) {
	f.Add(uint8(1), uint8(0), uint8(1), uint32(0), []byte{0, 255, 3, 9})
	f.Add(uint8(3), uint8(50), uint8(5), uint32(40_000), []byte{0, 1, 0, 1, 128})
	f.Add(uint8(7), uint8(20), uint8(0), uint32(1), []byte{200})
	f.Fuzz(func(t *testing.T, trials, exceed, width uint8, start uint32, losses []byte) {
		g := Goal{
			LossRatio: .005, Trial: time.Second, Trials: int(trials%8) + 1, Exceed: float64(exceed%100) / 100,
			Width: float64(width%100) / 1000, Maximum: 20e6, Start: float64(start % 30e6),
		}
		if len(losses) == 0 {
			losses = []byte{0}
		}
		b := Binary{g}
		var past []Observation
		count := make(map[float64]int)
		for load, ok := b.Next(past); ok; load, ok = b.Next(past) {
			if !(load >= g.minimum() && load <= g.Maximum) {
				t.Fatalf("load %v is out of range", load)
			}
			if count[load]++; count[load] > g.Trials+max(patience, g.Trials+1)+doubts {
				t.Fatalf("load %v is tried %d times", load, count[load])
			}
			if len(count) > 150 {
				t.Fatalf("no end after %d loads", len(count))
			}
			x := losses[len(past)%len(losses)]
			loss := float64(x>>1) / 127
			o := Observation{Load: load, Loss: loss, Forwarded: load * (1 - loss)}
			switch {
			case x%7 == 3:
				o.Unsent = loss // nothing was lost of what was sent
			case x&1 == 1:
				o.Forwarded = float64(x) * 80_000 // unrelated to the loss
			}
			past = append(past, o)
			if out := b.Outcome(past); out.Lower > out.Upper || out.Lower == out.Upper && out.Limited != ByMaximum {
				t.Fatalf("bounds cross: %+v", out)
			}
		}
		out := b.Outcome(past)
		if !out.Done {
			t.Fatalf("ended undone: %+v", out)
		}
		for load := range count {
			if load < out.Lower && b.review(past).kind[load] == upperBound {
				t.Fatalf("%v failed, below the lower bound: %+v", load, out)
			}
		}
		if b.doubtful(past, b.review(past)) {
			t.Fatalf("the upper bound is in doubt: %+v", out)
		}
	})
}
