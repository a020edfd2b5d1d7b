package weir

import (
	"math"
	"testing"
)

func TestVariation(t *testing.T) {
	var v Variation
	if !math.IsNaN(v.Quantile(.5)) {
		t.Error("a variation of nothing has a median")
	}
	// -40, -10, 0, 10, 20 ns
	v.Shorter.Add(40, 1)
	v.Shorter.Add(10, 1)
	v.Longer.Add(0, 1)
	v.Longer.Add(10, 1)
	v.Longer.Add(20, 1)
	for _, c := range []struct{ q, want float64 }{{0, -40}, {.2, -40}, {.4, -10}, {.5, 0}, {.6, 0}, {.8, 10}, {1, 20}} {
		if got := v.Quantile(c.q) * 1e9; math.Abs(got-c.want) > 1e-6 {
			t.Errorf("quantile %v is %v ns, want %v", c.q, got, c.want)
		}
	}
	h := v.Absolute()
	if h.N != 5 || h.Max != 40 || h.Min != 0 || math.Abs(h.Mean()*1e9-16) > 1e-6 {
		t.Errorf("without the sign: %+v", h)
	}
}
