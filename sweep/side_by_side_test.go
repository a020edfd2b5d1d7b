package sweep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"weir"
)

func TestSideBySideBlocks(t *testing.T) {
	b := SideBySide{Arms: 3, Load: 1e6, Blocks: 40, Seed: 5}
	all := b.Windows(2)
	if len(all) != 120 {
		t.Fatalf("%d windows", len(all))
	}
	orders := map[string]int{}
	for block := range b.Blocks {
		var order string
		seen := map[int]bool{}
		for _, w := range all[3*block : 3*block+3] {
			order += fmt.Sprint(w.Side)
			seen[w.Side] = true
			long := time.Duration(1)
			if block%16 > 13 {
				long = 2
			}
			if w.Intended != 1e6 || w.Duration != long*SideBySideWindow || w.Prime == nil || w.Prime.Intended != 1e6 {
				t.Fatalf("window %+v", w)
			}
		}
		if len(seen) != 3 || !seen[1] || !seen[2] || !seen[3] {
			t.Fatalf("block %d has the order %s", block, order)
		}
		if block%2 == 1 && reversed(order) != sides(all[3*block-3:3*block]) {
			t.Errorf("block %d has the order %s, and the one before it %s", block, order, sides(all[3*block-3:3*block]))
		}
		orders[order]++
	}
	if len(orders) != 6 {
		t.Errorf("of six orders there are %v", orders)
	}
	if sides(all) == sides(b.Windows(3)) {
		t.Error("two builds have the same order")
	}
	if n := b.BlocksIn(3 * time.Second); n != 131 {
		t.Errorf("in three seconds there are %d blocks", n)
	}
	if n := b.BlocksIn(time.Hour); 3*n > weir.MaxWindows || n != weir.MaxWindows/3 {
		t.Errorf("in an hour there are %d blocks", n)
	}
}

func sides(windows []weir.Window) string {
	var out strings.Builder
	for _, w := range windows {
		fmt.Fprint(&out, w.Side)
	}
	return out.String()
}

func reversed(s string) string {
	var out strings.Builder
	for i := len(s) - 1; i >= 0; i-- {
		out.WriteByte(s[i])
	}
	return out.String()
}

// What a window that is left out takes with it, and what is not well above an
// arm's rate.
func TestSideBySideBuilds(t *testing.T) {
	b := SideBySide{Arms: 2, Load: 1e6, Blocks: 10, Ring: 256}
	windows := b.Windows(0)
	results := make([]weir.WindowResult, len(windows))
	for i, w := range windows {
		results[i] = weir.WindowResult{Sent: 5000, Received: 4000}
		if w.Side == 2 {
			results[i].Received = 3600
		}
	}
	s, err := b.JudgeBuild(windows, results)
	if err != nil || s.Blocks != 10 || s.LeftOut != 0 || s.Arms[1].Pairs != 10 || math.Abs(s.Arms[1].Effect-math.Log(.9)) > 1e-12 || s.Arms[0].Effect != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if s.Arms[0].Rate != 800e3 || s.Arms[1].Rate != 720e3 || s.Arms[0].Unsaturated || s.Arms[1].Unsaturated {
		t.Errorf("%+v", s.Arms)
	}
	// Three blocks are nobody's: the generator stood still, a thread was kept from its CPU.
	for i := range windows {
		switch {
		case i < 2 && windows[i].Side == 1:
			results[i].GeneratorGap, results[i].Received = 2*time.Millisecond, 1000
		case i >= 2 && i < 6 && windows[i].Side == 2:
			results[i].Preempted, results[i].Received = 3*time.Millisecond, 1000
		}
	}
	s, err = b.JudgeBuild(windows, results)
	if err != nil || s.Arms[1].Pairs != 7 || math.Abs(s.Arms[1].Effect-math.Log(.9)) > 1e-12 || len(s.Reasons) != 2 || s.LeftOut != .15 {
		t.Errorf("%+v, %v", s, err)
	}
	// A tester that sends less than asked, and yet far more than is forwarded, does;
	// and a DUT that forwards nothing of it counts.
	for i, w := range windows {
		results[i] = weir.WindowResult{Sent: 4500, Received: uint64(3000 * (2 - w.Side))}
	}
	if s, err := b.JudgeBuild(windows, results); err != nil || s.LeftOut != 0 || s.Arms[0].Rate != 600e3 || s.Arms[1].Windows != 10 || s.Arms[1].Rate != 0 || s.Arms[1].Effect > -5 {
		t.Errorf("of a slow tester: %+v, %v", s, err)
	}
	// One that sends no more than is forwarded does not.
	for i := range windows {
		results[i] = weir.WindowResult{Sent: 4500, Received: 4400}
	}
	if s, err := b.JudgeBuild(windows, results); err != nil || s.Arms[0].Windows != 0 || s.Arms[0].Rate != 0 || s.Arms[0].Short != 10 || math.Abs(s.Arms[0].Least-880e3) > 1e-3 {
		t.Errorf("of a tester that is the limit: %+v, %v", s, err)
	}
	// Nor are the windows chosen in which the DUT did badly.
	for i := range windows {
		results[i] = weir.WindowResult{Sent: 4500, Received: 4400}
		if i%5 == 0 {
			results[i].Received = 2000
		}
	}
	if s, err := b.JudgeBuild(windows, results); err != nil || s.Arms[0].Windows != 0 || s.Arms[1].Windows != 0 {
		t.Errorf("of a tester that is the limit, and bad windows: %+v, %v", s, err)
	}
	// An arm that forwards nothing in a third of its windows is no equal one.
	for i, w := range windows {
		results[i] = weir.WindowResult{Sent: 5000, Received: 4000}
		if w.Side == 2 && i%6 < 2 {
			results[i].Received = 0
		}
	}
	if s, err := b.JudgeBuild(windows, results); err != nil || s.Arms[1].Rate != 800e3 || s.Arms[1].Effect > -1 {
		t.Errorf("of an arm that stops now and then: %+v, %v", s, err)
	}
	for i := range results {
		results[i] = weir.WindowResult{Sent: 5000, Received: 4900}
	}
	if s, err := b.JudgeBuild(windows, results); err != nil || !s.Arms[0].Unsaturated || !s.Arms[1].Unsaturated {
		t.Errorf("of 2 %% too much: %+v, %v", s.Arms, err)
	}
	// A trial that was interrupted has whole blocks, and others.
	if s, err := b.JudgeBuild(windows, results[:7]); err != nil || s.Blocks != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := b.JudgeBuild(windows[1:], results[1:]); err == nil {
		t.Error("windows that are no blocks are taken")
	}
	if _, err := b.JudgeBuild(nil, nil); err == nil {
		t.Error("nothing is taken")
	}
}

// What an arm forwards more of when its windows are longer.
func TestSideBySideLonger(t *testing.T) {
	for _, more := range []float64{1, 1.02} {
		b := SideBySide{Arms: 2, Load: 1e6, Blocks: 40}
		windows := b.Windows(0)
		results := make([]weir.WindowResult, len(windows))
		for i, w := range windows {
			rate := 600e3
			if w.Side == 2 && w.Duration > SideBySideWindow {
				rate *= more
			}
			n := w.Duration.Seconds()
			results[i] = weir.WindowResult{Sent: uint64(1e6 * n), Received: uint64(rate * n)}
		}
		s, err := b.JudgeBuild(windows, results)
		if err != nil || s.Arms[0].Longer != 0 || math.Abs(s.Arms[1].Longer-math.Log(more)) > 1e-3 || math.Abs(s.Arms[1].Effect) > .003 {
			t.Errorf("%v times: %+v, %v", more, s.Arms, err)
		}
	}
	b := SideBySide{Arms: 2, Load: 1e6, Blocks: 10}
	if s, err := b.JudgeBuild(b.Windows(0), make([]weir.WindowResult, 20)); err != nil || !math.IsNaN(s.Arms[1].Longer) {
		t.Errorf("of no longer window: %+v, %v", s.Arms, err)
	}
}

// simulateCampaign is a campaign: so many builds of arms, of which each has its own small
// deviation. The last arm differs by the given logarithm.
func simulateCampaign(seed uint64, builds int, each time.Duration, arms int, effect float64) [][]float64 {
	random := rand.New(rand.NewPCG(seed, 7))
	var found [][]float64 // of arm and build
	for range arms {
		found = append(found, nil)
	}
	for build := range builds {
		r := newRouter(seed*1000 + uint64(build)).start()
		r.arms, r.queues = make([]float64, arms), make([]float64, arms)
		for arm := range arms {
			// Two namespaces of one configuration differ by 0.3 % and more.
			l := .003 / math.Sqrt2 * random.NormFloat64()
			if arm == arms-1 {
				l += effect
			}
			r.arms[arm] = math.Exp(l)
		}
		b := SideBySide{Arms: arms, Load: 1.2e6, Ring: 256, Seed: seed}
		b.Blocks = b.BlocksIn(each)
		windows := b.Windows(build)
		s, err := b.JudgeBuild(windows, r.send(windows))
		if err != nil {
			panic(err)
		}
		for arm := range arms {
			found[arm] = append(found[arm], s.Arms[arm].Effect)
		}
	}
	return found
}

// differs reports whether Student's t over builds says that an effect is not 0.
func differs(effects []float64) bool {
	return math.Abs(mean(effects)) > critical(len(effects)-1)*spread(effects)/math.Sqrt(float64(len(effects)))
}

// proven are the shares of campaigns in which the second arm, which equals the
// first, and the third one, which does not, are found to differ, and how wide
// the interval of the latter is.
func proven(from, campaigns int, each time.Duration, effect float64) (again, other, half float64) {
	n := float64(campaigns)
	for i := range campaigns {
		found := simulateCampaign(uint64(from+i), 6, each, 3, effect)
		if differs(found[1]) {
			again += 1 / n
		}
		if differs(found[2]) {
			other += 1 / n
		}
		half += critical(5) * spread(found[2]) / math.Sqrt(6) / n
	}
	return again, other, half
}

// BenchmarkSideBySide prints what a thousand campaigns of arms side by side show, on
// routers with waves, noise and interruptions as in BenchmarkSweep, and fails
// where that is not what is asked for.
func BenchmarkSideBySide(b *testing.B) {
	for b.Loop() {
		again, other, half := proven(*firstSeed, *seedCount, 1500*time.Millisecond, math.Log(.99))
		fmt.Printf("\n| number | asked | measured |\n|---|---|---|\n")
		fmt.Printf("| 1 %% of difference, 3 s of each arm in 6 builds: proven | >= 90 %% | %s |\n", percent(other))
		fmt.Printf("| equal arms (A/A): differ | 4 to 6 %% | %s |\n", percent(again))
		fmt.Printf("| half width of the interval, mean | told | %s |\n", percent(half))
		if other < .9 || again < .04 || again > .06 {
			b.Error("that is not what is asked for")
		}
	}
}

// The same with few, and limits that chance does not reach.
func TestSideBySideProves(t *testing.T) {
	again, other, half := proven(0, 60, 1500*time.Millisecond, math.Log(.99))
	if other < .8 || again > .2 || half > .01 {
		t.Errorf("1 %% is proven in %s, equal arms differ in %s, the interval has %s", percent(other), percent(again), percent(half))
	}
}
