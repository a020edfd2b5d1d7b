package sweep

import (
	"math"
	"testing"
	"time"

	"weir"
)

// climbed is a ladder of a DUT that forwards what a function says of a load,
// of its way and of its block; the last window of a block is on neither way.
func climbed(g Goal, p Pass, forwards func(load float64, way string, block int) float64) Pass {
	length := 0
	for length < len(p.Blocks) && p.Blocks[length] == 0 {
		length++
	}
	for i, w := range p.Windows {
		way := "up"
		switch at := i % length; {
		case at == length-1:
			way = "beside"
		case at >= length/2:
			way = "down"
		}
		sent := uint64(w.Intended*w.Duration.Seconds() + .5)
		back := uint64(min(w.Intended, forwards(w.Intended, way, p.Blocks[i]))*w.Duration.Seconds() + .5)
		p.Results = append(p.Results, weir.WindowResult{Sent: sent, Received: min(sent, back), Preempted: -1})
	}
	return p
}

func TestLadder(t *testing.T) {
	const knee = 400e3
	loads := []float64{1e5, 2e5, 3e5, 4e5, 5e5, 6e5, 7e5, 8e5, 9e5, 1e6}
	known := Estimate{Knee: Interval{Value: knee}, Saturated: Interval{Value: knee}, Window: 5 * time.Millisecond, Curve: []Point{{Load: knee, Forwarded: knee}}}
	g := Goal{Maximum: 1e6, Buffer: 256}
	p := g.Ladder(loads, known, 1500*time.Millisecond)
	if d := p.Length(); d > 1500*time.Millisecond || d < time.Second || p.Windows[0].Intended != 1e5 || p.Windows[9].Intended != 1e6 || p.Windows[10].Intended != 1e6 || p.Windows[19].Intended != 1e5 || p.Windows[20].Intended != knee {
		t.Fatalf("%v: %+v", d, p.Windows[:21])
	}
	// What leaves the buffer full is no part of the window: (256 + 64) frames at
	// 100,000 frames/s more than are forwarded.
	if warm := p.Windows[4].Prime.Duration; warm != 3200*time.Microsecond {
		t.Errorf("an overload of a quarter is sent for %v before it counts", warm)
	}
	flat := func(load float64, way string, block int) float64 { return knee * (1 - .2*(load-knee)/knee) }
	b := g.Branches(climbed(g, p, flat), known)
	top := knee * (1 - .2*1.5)
	if len(b.Up) != 10 || len(b.Down) != 10 || b.Difference != 0 || math.Abs(b.Top.Value-top) > 300 || math.Abs(b.Index.Value-.7) > 1e-3 || math.Abs(b.Most-knee) > .06*knee || b.Up[3].Loss != 0 || b.Up[4].Loss == 0 {
		t.Errorf("%+v", b)
	}
	// Something stays behind: a tenth of what is forwarded, on the way down.
	b = g.Branches(climbed(g, p, func(load float64, way string, block int) float64 {
		if way == "down" {
			return .9 * knee
		}
		return knee
	}), known)
	if math.Abs(b.Difference-.1*knee) > .01*knee {
		t.Errorf("a difference of %v, want %v", b.Difference, .1*knee)
	}
	// What differs in some of the blocks alone is none.
	b = g.Branches(climbed(g, p, func(load float64, way string, block int) float64 {
		if way == "down" && block%2 == 0 || way == "up" && block%3 == 0 {
			return .7 * knee
		}
		return knee
	}), known)
	if b.Difference != 0 {
		t.Errorf("a difference of %v, want none", b.Difference)
	}
	if b := g.Branches(Pass{}, known); b.Up != nil || b.Index.Value != 0 {
		t.Errorf("of no windows: %+v", b)
	}
}

// A ladder keeps to what a trial can have, whatever its loads are.
func TestLadderAtTheEdges(t *testing.T) {
	for _, maximum := range []float64{100, 1e4, 1e7} {
		for _, steps := range []int{10, 1000} {
			for _, known := range []Estimate{{}, {Knee: Interval{Value: maximum / 3}, Window: 5 * time.Millisecond}} {
				var loads []float64
				for i := range steps {
					loads = append(loads, maximum*float64(i+1)/float64(steps))
				}
				p := Goal{Maximum: maximum}.Ladder(loads, known, time.Second)
				trial := weir.Trial{Windows: p.Windows, Traffic: weir.Traffic{}}
				if err := trial.CheckWindows(); err != nil || p.Blocks[len(p.Blocks)-1] < 2 {
					t.Errorf("%v in %d steps: %v, %d blocks", maximum, steps, err, p.Blocks[len(p.Blocks)-1]+1)
				}
			}
		}
	}
}

func TestChance(t *testing.T) {
	for _, c := range []struct {
		most, n int
		want    float64
	}{{0, 0, 1}, {5, 10, 1}, {10, 10, 2. / 1024}, {9, 10, 22. / 1024}, {1, 1, 1}} {
		if got := chance(c.most, c.n); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d of %d: %v, want %v", c.most, c.n, got, c.want)
		}
	}
}
