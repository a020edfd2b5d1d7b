package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestWholeSeconds(t *testing.T) {
	for name, tt := range map[string]struct {
		rates                   []float64
		interval, warmUp, setUp time.Duration
		want                    []float64
	}{
		"nothing":            {nil, time.Second, 0, 0, nil},
		"nothing moved":      {[]float64{0, 10, 0}, time.Second, 0, 0, nil},
		"first and last":     {[]float64{1e6, 2e6, 3e6, 4e6}, time.Second, 0, 0, []float64{2e6, 3e6}},
		"warm-up":            {[]float64{1e6, 2e6, 3e6, 4e6, 5e6}, time.Second, 1500 * time.Millisecond, 0, []float64{3e6, 4e6}},
		"before and behind":  {[]float64{0, 0, 1e6, 2e6, 3e6, 4e6, 500, 0}, time.Second, time.Second, 0, []float64{2e6, 3e6}},
		"a pause in between": {[]float64{1e6, 2e6, 0, 3e6, 4e6}, 0, 0, 0, []float64{2e6, 0, 3e6}},
		"half seconds":       {[]float64{1e6, 1e6, 2e6, 3e6, 4e6, 4e6}, time.Second / 2, 0, 0, []float64{2e6, 3e6}},
		"too short":          {[]float64{1e6, 2e6}, time.Second, 0, 0, nil},
		"files of a disk":    {[]float64{0, 0, 5e4, 0, 7e6, 8e6, 8e6, 8e6, 3e6, 0, 0}, time.Second, 0, 1300 * time.Millisecond, []float64{8e6, 8e6, 8e6}},
		"login and no files": {[]float64{0, 5e4, 5e4, 0}, time.Second, 0, 3 * time.Second, nil},
	} {
		if got := fullSeconds(tt.rates, tt.interval, tt.warmUp, tt.setUp); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestCourse(t *testing.T) {
	for name, tt := range map[string]struct {
		rates     []float64
		unstable  bool
		below     float64
		low, high float64
	}{
		"steady":               {[]float64{100, 101, 99, 100, 102, 98}, false, 0, 0, 0},
		"constant":             {[]float64{100, 100, 100, 100, 100}, false, 0, 0, 0},
		"one dip of ten":       {[]float64{100, 100, 100, 100, 100, 100, 100, 100, 100, 40}, true, .1, 0, 0},
		"one dip of twenty":    {append([]float64{40}, slices.Repeat([]float64{100}, 19)...), false, .05, 0, 0},
		"a peak":               {[]float64{100, 100, 100, 100, 100, 300}, false, 0, 0, 0},
		"mostly low":           {[]float64{4, 4, 4, 4, 26, 4, 26, 4, 26, 4}, true, 0, 4, 26},
		"mostly high":          {[]float64{26, 26, 4, 26, 26, 4, 26, 26, 4, 26}, true, .3, 4, 26},
		"levels close by":      {[]float64{100, 120, 100, 120, 100, 120, 100, 120}, false, 0, 0, 0},
		"slowly rising":        {[]float64{60, 70, 80, 90, 100, 110, 120, 130, 140, 150}, false, 0, 0, 0},
		"two seconds of six":   {[]float64{100, 45, 100, 45, 100, 100}, true, 1. / 3, 45, 100},
		"standing still, once": {[]float64{100, 100, 0, 100, 100}, true, .2, 0, 0},
	} {
		c, ok := courseOf(tt.rates)
		if !ok || c.unstable() != tt.unstable || math.Abs(c.below-tt.below) > 1e-9 || math.Abs(c.low-tt.low) > 1e-9 || math.Abs(c.high-tt.high) > 1e-9 {
			t.Errorf("%s: %+v, unstable %v", name, c, c.unstable())
		}
	}
	if _, ok := courseOf([]float64{1, 100, 1, 100}); ok {
		t.Error("four seconds say something")
	}
}

// A stream that differs by a few percent between seconds is stable, however
// often one looks.
func TestNoiseIsStable(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{5, 8, 28, 58} {
		for range 2000 {
			rates := make([]float64, n)
			for i := range rates {
				rates[i] = 1e8 * (1 + .1*random.NormFloat64())
			}
			if c, _ := courseOf(rates); c.unstable() {
				t.Fatalf("%d seconds with a deviation of 10 %%: %v", n, c)
			}
		}
	}
}
