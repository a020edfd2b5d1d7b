package weir

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every latency lies within its bucket, buckets follow each other without a
// gap, and none is wider than 1/128 of its lowest value.
func TestHistogramBuckets(t *testing.T) {
	next := uint64(0)
	for b := range HistogramBuckets {
		low, high := HistogramBounds(b)
		if low != next || high <= low {
			t.Fatalf("bucket %d is %d to %d, the one before ended at %d", b, low, high, next)
		}
		if HistogramBucket(low) != b || HistogramBucket(high-1) != b {
			t.Fatalf("bucket %d: its ends are in buckets %d and %d", b, HistogramBucket(low), HistogramBucket(high-1))
		}
		if low >= 128 && float64(high-low) > float64(low)/128 {
			t.Fatalf("bucket %d of %d to %d is too wide", b, low, high)
		}
		next = high
	}
	if HistogramBucket(math.MaxUint64) != HistogramBuckets-1 {
		t.Error("a latency beyond the end is not in the last bucket")
	}
}

func TestHistogramQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, draw := range []func() uint64{
		func() uint64 { return r.Uint64N(1000) },
		func() uint64 { return 20_000 + r.Uint64N(1e6) },
		func() uint64 { return uint64(math.Exp(5 + 4*math.Abs(r.NormFloat64()))) },
	} {
		var h, half Histogram
		var all []uint64
		for i := range 10_000 {
			ns := draw()
			all = append(all, ns)
			if i%2 == 0 {
				h.Add(ns, 1)
			} else {
				half.Add(ns, 1)
			}
		}
		h.Merge(half)
		slices.Sort(all)
		sum := uint64(0)
		for _, ns := range all {
			sum += ns
		}
		for _, q := range []float64{0, .001, .1, .5, .9, .99, .999, .9999, 1} {
			want := float64(all[max(int(math.Ceil(q*float64(len(all))))-1, 0)]) / 1e9
			if got := h.Quantile(q); math.Abs(got-want) > HistogramError*want+.5e-9 {
				t.Errorf("quantile %v is %v, want %v", q, got, want)
			}
		}
		s := h.Summary()
		if s.N != 10_000 || s.Min != float64(all[0])/1e9 || s.Max != float64(all[len(all)-1])/1e9 ||
			math.Abs(s.Mean-float64(sum)/1e13) > 1e-15+1e-12*s.Mean {
			t.Errorf("summary %+v of %d to %d, sum %d", *s, all[0], all[len(all)-1], sum)
		}
	}
}

func TestHistogramEmpty(t *testing.T) {
	var h Histogram
	h.Merge(Histogram{})
	h.Add(5, 0)
	if h.Summary() != nil || !math.IsNaN(h.Quantile(.5)) || !math.IsNaN(h.Mean()) {
		t.Errorf("an empty histogram has figures: %+v", h)
	}
}

// The median of an odd number of latencies is the one in their middle.
func TestHistogramRanks(t *testing.T) {
	var h Histogram
	for _, ns := range []uint64{10, 20, 30} {
		h.Add(ns, 1)
	}
	for q, want := range map[float64]float64{.33: 10e-9, .34: 20e-9, .5: 20e-9, .66: 20e-9, .67: 30e-9} {
		if got := h.Quantile(q); got != want {
			t.Errorf("quantile %v of three latencies is %v, want %v", q, got, want)
		}
	}
}
