package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSplitPlot: factors between blocks are told from the blocks. The levels of
// blocks vary ten times as much as runs within them; an interval that took the
// runs for the sample would be far too narrow.
func TestSplitPlot(t *testing.T) {
	factors := []Factor{{Name: "firewall", Levels: []string{"none", "stateful"}}, {Name: "size", Levels: []string{"64", "512", "1518"}, Between: true}}
	truth := map[string]float64{"firewall": -0.1 + 0.06/3, "size 512": -0.5 + 0.06/2, "size 1518": -1, "firewall size 512": 0.06, "firewall size 1518": 0}
	const n = 500
	covered := map[string]int{}
	for seed := range uint64(n) {
		random := rand.New(rand.NewPCG(seed, 5))
		var rows []Row
		for rep := range 6 {
			slow := 0.3 * random.NormFloat64()
			for s, size := range []float64{0, -0.5, -1} {
				level := slow + size + 0.1*random.NormFloat64()
				for f, fw := range []float64{0, -0.1} {
					log := level + fw + 0.01*random.NormFloat64()
					if s == 1 && f == 1 {
						log += 0.06
					}
					rows = append(rows, Row{Levels: []string{factors[0].Levels[f], factors[1].Levels[s]}, Block: 3*rep + s + 1, Replicate: rep + 1, Value: math.Exp(log)})
				}
			}
		}
		terms, err := Factorial(rows, factors, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(terms) != len(truth) {
			t.Fatalf("%d terms: %+v", len(terms), terms)
		}
		for _, term := range terms {
			name := strings.Join(term.Factors, " ")
			freedom := 18.0 - 3
			if last := term.Factors[len(term.Factors)-1]; last == "size" {
				name += " " + term.Levels[len(term.Levels)-1]
				if len(term.Factors) == 1 {
					freedom = 10
				}
			}
			if term.Freedom != freedom {
				t.Fatalf("%s has %v degrees of freedom, want %v", name, term.Freedom, freedom)
			}
			if holds(term.Change, truth[name]) {
				covered[name]++
			}
		}
	}
	for name := range truth {
		if share := float64(covered[name]) / n; share < 0.925 || share > 0.98 {
			t.Errorf("%s is covered in %.3f, want 0.95", name, share)
		}
	}
}

// TestOneAtATime: where combinations are missing there are main effects alone,
// with and without blocks.
func TestOneAtATime(t *testing.T) {
	factors := []Factor{{Name: "gro", Levels: []string{"off", "on"}}, {Name: "rps", Levels: []string{"off", "on"}}}
	for _, blocked := range []int{0, 1} {
		random := rand.New(rand.NewPCG(1, 1))
		var rows []Row
		for b := range 8 {
			for _, c := range []struct {
				levels []string
				log    float64
			}{{[]string{"off", "off"}, 0}, {[]string{"on", "off"}, 0.2}, {[]string{"off", "on"}, -0.1}} {
				rows = append(rows, Row{Levels: c.levels, Block: blocked * (b + 1), Value: math.Exp(c.log + 0.01*random.NormFloat64())})
			}
		}
		terms, err := Factorial(rows, factors, Options{})
		if err != nil || len(terms) != 2 {
			t.Fatalf("%+v, %v", terms, err)
		}
		near(t, "gro", math.Log1p(terms[0].Change.Estimate), 0.2, 0.06)
		near(t, "rps", math.Log1p(terms[1].Change.Estimate), -0.1, 0.1)
	}
}

func TestFactorialRefuses(t *testing.T) {
	factors := []Factor{{Name: "gro", Levels: []string{"off", "on"}}, {Name: "rps", Levels: []string{"off", "on"}}}
	row := func(a, b string, v float64) Row { return Row{Levels: []string{a, b}, Value: v} }
	for name, c := range map[string]struct {
		rows []Row
		want string
	}{
		"always together": {[]Row{row("off", "off", 1), row("on", "on", 2), row("off", "off", 1.1), row("on", "on", 2.1)}, "gro, rps cannot be told apart"},
		"unknown level":   {[]Row{row("off", "maybe", 1)}, `rps "maybe"`},
		"zero":            {[]Row{row("off", "off", 0)}, "above 0"},
		"a level short":   {[]Row{{Levels: []string{"off"}, Value: 1}}, "1 levels and there are 2 factors"},
	} {
		if _, err := Factorial(c.rows, factors, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if terms, err := Factorial(nil, factors, Options{}); len(terms) != 0 || err != nil {
		t.Errorf("of nothing: %v, %v", terms, err)
	}
}
