package stats

import (
	"math"
	"testing"
)

func TestCompareKnown(t *testing.T) {
	was := Known{Arm: "before", Value: 1e6, Lower: 8e5, Upper: 1.25e6, Rounds: 3}
	for name, c := range map[string]struct {
		is   Known
		want Verdict
	}{
		"within both":  {Known{"after", 1.2e6, 1e6, 1.44e6, 3}, Inconclusive},
		"far away":     {Known{"after", 2e6, 1.8e6, 2.2e6, 3}, Proven},
		"touching":     {Known{"after", 1.3e6, 1.26e6, 1.35e6, 3}, Proven},
		"wide as well": {Known{"after", 1.6e6, 1.1e6, 2.6e6, 3}, Inconclusive},
	} {
		x, err := CompareKnown(was, c.is, Options{})
		if err != nil {
			t.Fatal(err)
		}
		Judge([]*Comparison{&x}, Options{})
		e := x.Effects[0]
		if e.Verdict != c.want || math.Abs(e.Change.Estimate-(c.is.Value/was.Value-1)) > 1e-9 {
			t.Errorf("%s: %+v, want %s", name, e, c.want)
		}
		half := math.Hypot(math.Log(1.25), math.Max(math.Log(c.is.Upper/c.is.Value), math.Log(c.is.Value/c.is.Lower)))
		if got := math.Log1p(e.Change.Upper) - math.Log1p(e.Change.Estimate); math.Abs(got-half) > 1e-9 {
			t.Errorf("%s: half width %v, want %v", name, got, half)
		}
	}
	if _, err := CompareKnown(was, Known{Arm: "after", Value: 1}, Options{}); err == nil {
		t.Error("a value without an interval is compared")
	}
}
