package stats

import (
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// line makes a series without noise that lasts, of values in turn 1 % above and below a level, which
// is another one from each of the places on.
func line(n int, level func(i int) float64) (out []Point) {
	for i := range n {
		v := level(i) * (1 + .01*float64(i%2*2-1)*float64(i%3))
		out = append(out, Point{Value: v, Lower: v / 1.02, Upper: v * 1.02})
	}
	return out
}

func TestChanges(t *testing.T) {
	level := func(places map[int]float64) func(int) float64 {
		return func(i int) float64 {
			v := 1e6
			for at, factor := range places {
				if i >= at {
					v *= factor
				}
			}
			return v
		}
	}
	stalled := line(40, level(nil))
	stalled[20].Value, stalled[20].Lower, stalled[20].Upper = 4e5, 2e5, 8e5
	stalled[39].Value = 4e5
	nothing := line(40, level(nil))
	nothing[7].Value = 0
	for _, c := range []struct {
		name    string
		series  []Point
		options ChangesOptions
		at      []int
	}{
		{"one level", line(40, level(nil)), ChangesOptions{}, nil},
		{"too few points", line(7, level(map[int]float64{3: 2})), ChangesOptions{}, nil},
		{"one step", line(40, level(map[int]float64{25: .9})), ChangesOptions{}, []int{25}},
		{"one step, long ago, of a long series", line(1000, level(map[int]float64{100: .9, 900: 1.1})), ChangesOptions{}, []int{900}},
		{"two steps", line(40, level(map[int]float64{12: 1.1, 28: .9})), ChangesOptions{}, []int{12, 28}},
		{"a step below what matters", line(40, level(map[int]float64{25: .9})), ChangesOptions{Margin: .2}, nil},
		{"two steps of which none matters, together", line(60, level(map[int]float64{20: .93, 40: .93})), ChangesOptions{Margin: .1}, []int{20}},
		{"a point that stands alone", stalled[:30], ChangesOptions{}, nil},
		{"a value that is none", nothing, ChangesOptions{}, nil},
		{"none", nil, ChangesOptions{}, nil},
	} {
		var at []int
		for _, change := range Changes(c.series, c.options) {
			if !change.Suspected {
				at = append(at, change.At)
			}
		}
		if !slices.Equal(at, c.at) {
			t.Errorf("%s: changes at %v and not at %v", c.name, at, c.at)
		}
	}
	// What the last two points say is suspected at most.
	for n := 1; n <= 4; n++ {
		got := Changes(line(25+n, level(map[int]float64{25: .5})), ChangesOptions{})
		if sure := len(got) > 0 && !got[0].Suspected; sure != (n > suspectedLast) {
			t.Errorf("%d points after a step: %+v", n, got)
		}
	}
	step := Changes(line(40, level(map[int]float64{25: .9})), ChangesOptions{})[0]
	if e := step.Effect; math.Abs(e.Estimate+.1) > .01 || e.Lower > -.1 || e.Upper < -.1 || step.Superiority != 1 {
		t.Errorf("a step of -10 %% is %+v", step)
	}
}

var seriesFile = flag.String("series", "", "write the series of BenchmarkChanges to this file, for other programs")

// A made series is one of which it is known where it changes.
type made struct {
	Kind   string    `json:"kind"`
	Values []float64 `json:"values"`
	Widths []float64 `json:"widths"` // half-widths of their intervals, relative; 0: none
	At     int       `json:"at"`     // of the change; 0: there is none
}

func (m made) points(n int) (out []Point) {
	for i, v := range m.Values[:n] {
		p := Point{Value: v}
		if w := m.Widths[i]; w > 0 {
			p.Lower, p.Upper = v/(1+w), v*(1+w)
		}
		out = append(out, p)
	}
	return out
}

const madePoints = 50

// kinds of series: noise of 15 % that lasts, noise of 3 % with stalls, a machine with three speeds,
// and steps in noise of 1 %, of which one in twenty points is disturbed.
func makeSeries(each int) (out []made) {
	r := rand.New(rand.NewPCG(1, 2))
	add := func(kind string, at int, value func(i int) (float64, float64)) {
		m := made{Kind: kind, At: at}
		for i := range madePoints {
			v, w := value(i)
			m.Values, m.Widths = append(m.Values, v), append(m.Widths, w)
		}
		out = append(out, m)
	}
	for range each {
		x := r.NormFloat64()
		add("noise of 15 %, half of which lasts", 0, func(int) (float64, float64) {
			x = .5*x + math.Sqrt(1-.25)*r.NormFloat64()
			return 1e6 * math.Exp(.15*x), .1
		})
		add("noise of 3 %, one in ten stalled", 0, func(int) (float64, float64) {
			v := 1e6 * math.Exp(.03*r.NormFloat64())
			if r.Float64() < .1 {
				return v * (.4 + .5*r.Float64()), .3
			}
			return v, .06
		})
		speed := r.IntN(3)
		add("three speeds", 0, func(int) (float64, float64) {
			if r.Float64() < .5 {
				speed = r.IntN(3)
			}
			return 1e6 * []float64{1, .73, .46}[speed] * math.Exp(.02*r.NormFloat64()), .05
		})
		for _, step := range []float64{.02, .05, .10} {
			at := 20 + r.IntN(10)
			sign := float64(1 - 2*r.IntN(2))
			add(map[float64]string{.02: "step of 2 %", .05: "step of 5 %", .10: "step of 10 %"}[step], at, func(i int) (float64, float64) {
				v, w := 1e6*math.Exp(.01*r.NormFloat64()), .02
				if r.Float64() < .05 {
					v, w = v*(.6+.3*r.Float64()), .3
				}
				if i >= at {
					v *= 1 + sign*step
				}
				return v, w
			})
		}
	}
	return out
}

// BenchmarkChanges follows 200 series of each kind from point to point until a change is found, and
// counts the false ones, how many steps were found, and after how many points. With -series FILE
// scripts/changes-beside FILE has apache-otava and jumpavg do the same.
func BenchmarkChanges(b *testing.B) {
	all := makeSeries(200)
	if *seriesFile != "" {
		text, err := json.Marshal(all)
		if err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(*seriesFile, text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		type count struct{ series, falsely, found, delay int }
		counts := map[string]*count{}
		var order []string
		for _, m := range all {
			c := counts[m.Kind]
			if c == nil {
				c = &count{}
				counts[m.Kind], order = c, append(order, m.Kind)
			}
			c.series++
			falsely, found := false, 0
			for n := LeastSeries; n <= madePoints && found == 0 && !falsely; n++ {
				for _, change := range Changes(m.points(n), ChangesOptions{}) {
					switch {
					case change.Suspected:
					case m.At == 0 || change.At < m.At-2 || change.At > m.At+2:
						falsely = true
					case !falsely:
						found = n - m.At
					}
				}
			}
			if falsely {
				c.falsely++
			} else if found > 0 {
				c.found, c.delay = c.found+1, c.delay+found
			}
		}
		for _, kind := range order {
			c := counts[kind]
			b.Logf("%-36s false in %3d of %d, found %3d, after %.1f points", kind, c.falsely, c.series, c.found, float64(c.delay)/float64(max(c.found, 1)))
		}
	}
}
