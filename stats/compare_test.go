package stats

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weir"
)

// incomplete are five blocks of three arms with two runs missing.
var incomplete = []struct {
	block, arm int
	log        float64
}{
	{1, 0, .10}, {1, 1, .31}, {1, 2, .18}, {2, 0, -.20}, {2, 1, .05}, {2, 2, -.15}, {3, 0, .40}, {3, 1, .57},
	{4, 1, .22}, {4, 2, .01}, {5, 0, .0}, {5, 2, .11}, {5, 1, .17},
}

// TestIncompleteBlocks holds levels against numpy's least squares with a column
// for each block, and effects against Student's t of the pairs that there are.
func TestIncompleteBlocks(t *testing.T) {
	var obs []Observation
	for i, x := range incomplete {
		obs = append(obs, Observation{Block: x.block, Arm: arm(x.arm), Value: math.Exp(x.log), Order: i + 1})
	}
	// Neither a block with one arm nor one in doubt changes anything.
	obs = append(obs, Observation{Block: 6, Arm: arm(0), Value: 3, Order: 20},
		Observation{Block: 7, Arm: arm(0), Value: 0, Order: 21, Doubt: "it found nothing"}, Observation{Block: 7, Arm: arm(1), Value: 5, Order: 22})
	c, err := Compare(obs, Options{Baseline: arm(0)})
	if err != nil {
		t.Fatal(err)
	}
	if c.Blocks != 5 || c.LeftOut != 2 || c.Freedom != 6 {
		t.Errorf("%d blocks, %d left out, %v degrees of freedom", c.Blocks, c.LeftOut, c.Freedom)
	}
	for i, want := range []struct{ value, err, p float64 }{{0.2, 0.03829708431025352 / 2, 0.00187343548891}, {0.08, 0.03 / math.Sqrt(3), 0.0438171125325}} {
		e := c.Effects[i]
		near(t, "effect", math.Log1p(e.Change.Estimate), want.value, 1e-9)
		near(t, "its error", e.Error, want.err, 1e-9)
		near(t, "its p", e.P, want.p, 1e-7)
	}
	limit := critical(0.05, 6)
	for i, want := range []struct{ value, err float64 }{{0.055904761904762, 0.01952961586134274}, {0.2640000000000001, 0.016618979396776336}, {0.11876190476190492, 0.01952961586134274}} {
		got := c.Arms[i].Interval
		near(t, "level", math.Log(got.Estimate), want.value, 1e-9)
		near(t, "its upper bound", math.Log(got.Upper), want.value+limit*want.err, 1e-9)
	}
	near(t, "deviation", c.Deviation, math.Sqrt(math.Expm1(0.03716116764786033*0.03716116764786033)), 1e-9)
}

func TestCompareRefuses(t *testing.T) {
	good := []Observation{{Arm: "a", Value: 1}, {Arm: "a", Value: 2}, {Arm: "a", Value: 3}, {Arm: "b", Value: 1}, {Arm: "b", Value: 2}, {Arm: "b", Value: 3}}
	with := func(i int, o Observation) []Observation {
		obs := append([]Observation(nil), good...)
		obs[i] = o
		return obs
	}
	for _, c := range []struct {
		name string
		obs  []Observation
		o    Options
		want string
	}{
		{"nothing", nil, Options{Baseline: "a"}, "there are too few runs: a has 0, and a comparison takes at least 3 of each"},
		{"one arm", good[:3], Options{Baseline: "a"}, "all runs have the same arm"},
		{"two runs", good[:5], Options{}, "there are too few runs: b has 2, and a comparison takes at least 3 of each"},
		{"a doubt too many", with(4, Observation{Arm: "b", Value: 2, Doubt: "busy"}), Options{}, "only 2 of the 3 runs of b count, where a comparison takes at least 3 of each"},
		{"an unknown baseline", good, Options{Baseline: "c"}, "c has 0"},
		{"zero", with(1, Observation{Arm: "a", Order: 2}), Options{}, "run 2 (a) found 0: values are compared by their ratios and have to be above 0"},
		{"negative", with(1, Observation{Arm: "a", Value: -3}), Options{}, "a run of a found -3"},
		{"no number", with(1, Observation{Arm: "a", Value: math.NaN()}), Options{}, "found NaN"},
		{"without end", with(1, Observation{Arm: "a", Value: math.Inf(1)}), Options{}, "found +Inf"},
		{"a confidence in percent", good, Options{Confidence: 95}, "a confidence of 95"},
		{"a margin in percent", good, Options{Margin: 1}, "a margin of 1"},
		{"a change without end", good, Options{Detect: math.NaN()}, "a smallest change of NaN"},
		{"twice the same", good, Options{Baseline: "a", Again: "a"}, "both the baseline and its A/A"},
		{"blocks apart", []Observation{{Block: 1, Arm: "a", Value: 1}, {Block: 1, Arm: "x", Value: 1}, {Block: 2, Arm: "a", Value: 1}, {Block: 2, Arm: "x", Value: 1}, {Block: 3, Arm: "a", Value: 1}, {Block: 3, Arm: "x", Value: 1},
			{Block: 4, Arm: "b", Value: 1}, {Block: 4, Arm: "y", Value: 1}, {Block: 5, Arm: "b", Value: 1}, {Block: 5, Arm: "y", Value: 1}, {Block: 6, Arm: "b", Value: 1}, {Block: 6, Arm: "y", Value: 1}}, Options{}, "share no block"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compare(c.obs, c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
	_, err := Compare(good[:5], Options{})
	var few *TooFewError
	if !errors.As(err, &few) || few.Arm != "b" || few.Runs != 2 {
		t.Errorf("%#v", err)
	}
}

// TestNoSpread: values without noise have intervals without width, and prove
// nothing.
func TestNoSpread(t *testing.T) {
	for _, block := range []int{0, 1} {
		var obs []Observation
		for i := range 12 {
			obs = append(obs, Observation{Block: block * (i/3 + 1), Arm: arm(i % 3), Value: []float64{5, 5, 6}[i%3], Order: i + 1})
		}
		c, err := Compare(obs, Options{Baseline: arm(0)})
		if err != nil {
			t.Fatal(err)
		}
		same, other := c.Effects[0], c.Effects[1]
		if same.P != 1 || same.Change != (Interval{}) || math.Abs(other.Change.Estimate-0.2) > 1e-12 || other.P != 1 || c.Deviation != 0 {
			t.Errorf("same %+v, other %+v, deviation %v", same, other, c.Deviation)
		}
		if !warns(c, NoSpread) {
			t.Errorf("warnings %v", c.Warnings)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
		Judge([]*Comparison{&c}, Options{})
		if v := c.Effects[1].Verdict; v != Inconclusive {
			t.Errorf("the verdict is %q", v)
		}
	}
}

func warns(c Comparison, code weir.WarningCode) bool {
	for _, w := range c.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// TestUnequal: arms that are not alike are told of, with figures.
func TestUnequal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	sample := func(a string, n int, dev float64) []Observation {
		var out []Observation
		for range n {
			out = append(out, Observation{Arm: a, Value: math.Exp(dev * random.NormFloat64())})
		}
		return out
	}
	for _, c := range []struct {
		name  string
		a, b  []Observation
		code  weir.WarningCode
		warns bool
	}{
		{"alike", sample("a", 10, 0.01), sample("b", 10, 0.01), UnequalSpread, false},
		{"wild", sample("a", 10, 0.01), sample("b", 10, 0.1), UnequalSpread, true},
		{"few and wild", sample("a", 30, 0.01), sample("b", 4, 0.1), UnequalRuns, true},
		{"many", sample("a", 30, 0.01), sample("b", 10, 0.01), UnequalRuns, true},
		{"as many", sample("a", 12, 0.01), sample("b", 10, 0.01), UnequalRuns, false},
	} {
		got, err := Compare(append(c.a, c.b...), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if warns(got, c.code) != c.warns {
			t.Errorf("%s: warnings %v", c.name, got.Warnings)
		}
	}
	// Simulated, it is 33 %: the mean over the deviations that samples have is
	// not that at the true ones.
	near(t, "false alarms of a pooled test", pooledFalse(10, 3, 1, 5, 0.05), 0.33, 0.15)
	near(t, "with as many of each", pooledFalse(10, 10, 1, 1, 0.05), 0.05, 1e-9)
}

// TestOwnPairs: within blocks an arm that varies ten times as much as the
// others does not spoil their intervals, nor they its own.
func TestOwnPairs(t *testing.T) {
	const n = 400
	covered, narrow := 0, 0
	for seed := range uint64(n) {
		random := rand.New(rand.NewPCG(seed, 8))
		var obs []Observation
		for b := range 10 {
			for a := range 3 {
				dev := 0.01
				if a == 2 {
					dev = 0.1
				}
				obs = append(obs, Observation{Block: b + 1, Arm: arm(a), Value: math.Exp(dev * random.NormFloat64())})
			}
		}
		c, err := Compare(obs, Options{Baseline: arm(0), Arms: []string{arm(1), arm(2)}})
		if err != nil {
			t.Fatal(err)
		}
		if holds(c.Effects[1].Change, 0) {
			covered++
		}
		if e := c.Effects[0]; e.Change.Upper-e.Change.Lower < 0.05 && e.Freedom == 9 {
			narrow++
		}
	}
	if covered < n*93/100 {
		t.Errorf("the interval of the wild arm covers the truth in %d of %d", covered, n)
	}
	if narrow < n*97/100 {
		t.Errorf("the interval of the quiet arm is narrow in %d of %d", narrow, n)
	}
}

// TestWaves: runs in waves without blocks are told of, others are not.
func TestWaves(t *testing.T) {
	for _, m := range []machine{shared, steady} {
		warned := 0
		for seed := range uint64(100) {
			obs := m.runs(seed, 15, 2)
			for i := range obs {
				obs[i].Block = 0
			}
			c, err := Compare(obs, Options{Baseline: arm(0)})
			if err != nil {
				t.Fatal(err)
			}
			if warns(c, RunsInWaves) {
				warned++
			}
		}
		if in := m.title == shared.title; in && warned < 85 || !in && warned > 4 {
			t.Errorf("%s: %d of 100 campaigns are warned of", m.title, warned)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(uint64(1), 3, 3, 1.0, 0.1, true)
	f.Add(uint64(2), 3, 2, 1e300, 300.0, false)
	f.Add(uint64(3), 20, 5, 1e-300, 0.0, true)
	f.Add(uint64(4), 6, 2, 1.0, 1e-15, true)
	f.Fuzz(func(t *testing.T, seed uint64, blocks, arms int, level, spread float64, blocked bool) {
		if blocks < 0 || blocks > 30 || arms < 0 || arms > 6 {
			return
		}
		random := rand.New(rand.NewPCG(seed, 1))
		var obs []Observation
		for i := range blocks * arms {
			o := Observation{Block: i/arms + 1, Arm: arm(i % arms), Value: level * math.Exp(spread*random.NormFloat64()), Order: i + 1}
			if random.IntN(8) == 0 {
				o.Doubt = "made up"
			}
			if !blocked {
				o.Block = 0
			}
			if random.IntN(10) > 0 {
				obs = append(obs, o)
			}
		}
		c, err := Compare(obs, Options{Baseline: arm(0), Again: arm(1), Detect: 0.01, Margin: 0.02})
		if err != nil {
			return
		}
		Judge([]*Comparison{&c}, Options{Detect: 0.01, Margin: 0.02})
		if _, err := json.Marshal(c); err != nil {
			t.Error(err) // of a NaN or an infinity
		}
		for _, e := range c.Effects {
			if !(e.Change.Lower <= e.Change.Estimate && e.Change.Estimate <= e.Change.Upper) || !(e.P >= 0 && e.P <= 1) || !(e.RankP > 0 && e.RankP <= 1) || e.More < 0 || e.More > MostRuns || e.Verdict == "" {
				t.Errorf("%+v", e)
			}
		}
	})
}
