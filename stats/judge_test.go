package stats

import (
	"math"
	"testing"

	"weir"
)

// effect is one with that change and error of the logarithm on 22 degrees of
// freedom, as of 12 blocks with three arms.
func effect(change, err float64) Effect {
	d := estimate{value: math.Log1p(change), err: err, freedom: 22}
	return Effect{Arm: "b", Change: d.change(0.05), P: d.p(), Adjusted: d.p(), Error: err, Freedom: 22}
}

// comparison has those effects, of 12 runs a side.
func comparison(effects ...Effect) *Comparison {
	return &Comparison{Baseline: "a", Arms: []Summary{{Arm: "a", N: 12}, {Arm: "b", N: 12}}, Effects: effects}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name    string
		effect  Effect
		o       Options
		want    Verdict
		morable bool
	}{
		{"plain", effect(-0.142, 0.005), Options{}, Proven, false},
		{"hidden", effect(-0.01, 0.0099), Options{}, Inconclusive, true},
		{"less than its error", effect(-0.009, 0.01), Options{}, Inconclusive, false},
		{"equivalent", effect(0.001, 0.002), Options{Margin: 0.01}, Equivalent, false},
		{"not quite equivalent", effect(0.008, 0.002), Options{Margin: 0.01}, Proven, false},
		{"proven and within the margin", effect(0.004, 0.001), Options{Margin: 0.01}, Equivalent, false},
		{"too wild to be equivalent", effect(0.001, 0.01), Options{Margin: 0.01}, Inconclusive, true},
		{"small and well seen", effect(0.001, 0.001), Options{Detect: 0.01}, Inconclusive, false},
		{"small and not well seen", effect(0.001, 0.01), Options{Detect: 0.01}, Inconclusive, true},
		{"stricter", effect(0.01, 0.004), Options{Confidence: 0.999}, Inconclusive, true},
	} {
		x := comparison(c.effect)
		Judge([]*Comparison{x}, c.o)
		if e := x.Effects[0]; e.Verdict != c.want || e.More > 0 != c.morable {
			t.Errorf("%s: %s, %d more, want %s", c.name, e.Verdict, e.More, c.want)
		}
	}
}

// A baseline that differs from itself vetoes what is measured one after the other,
// and widens the bounds of what stands beside it.
func TestJudgeBeside(t *testing.T) {
	for _, c := range []struct {
		name   string
		effect Effect
		same   float64
		o      Options
		want   Verdict
	}{
		{"one after the other", effect(-.08, .003), -.004, Options{}, Vetoed},
		{"far from the A/A", effect(-.08, .003), -.004, Options{Beside: true}, Proven},
		{"no further than the A/A", effect(-.011, .003), -.008, Options{Beside: true}, Inconclusive},
		{"equivalent but for the A/A", effect(.001, .001), -.008, Options{Beside: true, Margin: .005}, Inconclusive},
	} {
		x := comparison(c.effect)
		same := effect(c.same, .001)
		x.Same = &same
		was := x.Effects[0].Change
		Judge([]*Comparison{x}, c.o)
		once := x.Effects[0].Change
		if Judge([]*Comparison{x}, c.o); x.Effects[0].Change != once {
			t.Errorf("%s: judged again: %+v, was %+v", c.name, x.Effects[0].Change, once)
		}
		e := x.Effects[0]
		if e.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.name, e.Verdict, c.want)
		}
		if wider := e.Change.Lower < was.Lower+c.same && e.Change.Upper > was.Upper-c.same; wider != c.o.Beside || len(x.Warnings) > 0 != c.o.Beside {
			t.Errorf("%s: %+v, was %+v; warnings %v", c.name, e.Change, was, x.Warnings)
		}
	}
}

// TestMore: with that many more runs the same effect is proven, and with one
// less than that it is not.
func TestMore(t *testing.T) {
	x := comparison(effect(-0.01005, 0.01))
	Judge([]*Comparison{x}, Options{})
	at := func(n int) bool {
		times := float64(n) / 12
		e := estimate{value: math.Log1p(-0.01005), err: 0.01 / math.Sqrt(times), freedom: 22 * times}
		return e.p() < 0.05
	}
	if n := 12 + x.Effects[0].More; !at(n) || at(n-1) {
		t.Errorf("%d runs: %v, one less: %v", n, at(n), at(n-1))
	}
	// Of what is smaller than its error nobody knows how large it is: that takes a
	// size that matters.
	nothing := comparison(effect(0.004, 0.01))
	Judge([]*Comparison{nothing}, Options{})
	if got := nothing.Effects[0].More; got != 0 {
		t.Errorf("of less than its error: %d", got)
	}
	Judge([]*Comparison{nothing}, Options{Detect: 0.01})
	if got := nothing.Effects[0].More; got < 1 {
		t.Errorf("of less than its error, where 1 %% matters: %d", got)
	}
}

// TestJudgeTogether: Holm's limits hold over comparisons, and the A/A's are a
// family of their own that vetoes everybody.
func TestJudgeTogether(t *testing.T) {
	faint := effect(0.02, 0.0085) // p = 0.03
	one := comparison(faint)
	Judge([]*Comparison{one}, Options{})
	if one.Effects[0].Verdict != Proven {
		t.Errorf("alone: %+v", one.Effects[0])
	}
	a, b := comparison(faint), comparison(effect(0, 0.01))
	Judge([]*Comparison{a, b}, Options{})
	if e := a.Effects[0]; e.Verdict != Inconclusive || math.Abs(e.Adjusted-2*e.P) > 1e-12 || e.More == 0 {
		t.Errorf("with another: %+v", e)
	}
	same, differs := effect(0, 0.01), effect(0.05, 0.01)
	a, b = comparison(effect(0.5, 0.01)), comparison(effect(0.5, 0.01))
	a.Same, b.Same = &same, &differs
	Judge([]*Comparison{a, b}, Options{})
	for _, c := range []*Comparison{a, b} {
		if c.Effects[0].Verdict != Vetoed || len(c.Vetoes) != 1 || c.Vetoes[0].Code != BaselineDiffers {
			t.Errorf("%+v, vetoes %v", c.Effects[0], c.Vetoes)
		}
	}
	c, d := comparison(effect(0.5, 0.01)), comparison(effect(0.5, 0.01))
	c.Vetoes = []weir.Warning{{Code: weir.NegativeLoss}}
	Judge([]*Comparison{c, d}, Options{})
	if c.Effects[0].Verdict != Vetoed || d.Effects[0].Verdict != Proven {
		t.Errorf("one veto: %s, and %s", c.Effects[0].Verdict, d.Effects[0].Verdict)
	}
	Judge(nil, Options{})
}
