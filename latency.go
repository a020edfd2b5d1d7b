package weir

import (
	"math"
	"math/bits"
	"time"
)

// The histogram's layout, shared with the packet path: 128 linear buckets for
// each power of two, so that a bucket is at most 1/128 of its value wide.
const (
	histogramSubBits = 7
	histogramSub     = 1 << histogramSubBits
	histogramMaxBits = 37 // values of 2^37 ns (137 s) and more go to the last bucket

	// HistogramBuckets is the number of buckets of a Histogram.
	HistogramBuckets = (histogramMaxBits - histogramSubBits + 1) * histogramSub

	// HistogramError is the largest relative error of a quantile: half of the
	// widest bucket.
	HistogramError = 1.0 / (2 * histogramSub)
)

// Histogram is a log-linear histogram of latencies in nanoseconds, one way where nothing
// else is said.
// Quantiles have a relative error of at most HistogramError; Min, Max and the
// mean are exact. The zero value is empty and ready to use.
type Histogram struct {
	Counts map[int]uint64 `json:"counts,omitempty"` // by bucket, sparse
	N      uint64         `json:"n"`
	Sum    uint64         `json:"sum"` // ns
	Min    uint64         `json:"min"` // ns, 0 when empty
	Max    uint64         `json:"max"` // ns

	// Within is by how much all of them may be off alike, ns: sender and receiver had
	// clocks of their own. 0: they had one.
	Within uint64 `json:"within,omitempty"`
}

// HistogramBucket is the bucket of a latency of ns nanoseconds.
func HistogramBucket(ns uint64) int {
	if ns < histogramSub {
		return int(ns)
	}
	exp := bits.Len64(ns) - 1
	if exp >= histogramMaxBits {
		return HistogramBuckets - 1
	}
	shift := exp - histogramSubBits
	return (shift+1)*histogramSub + int(ns>>shift) - histogramSub
}

// HistogramBounds are the lowest latency of bucket b and the lowest of the
// next one, in nanoseconds.
func HistogramBounds(b int) (low, high uint64) {
	if b < histogramSub {
		return uint64(b), uint64(b) + 1
	}
	shift := b/histogramSub - 1
	low = uint64(b%histogramSub+histogramSub) << shift
	return low, low + 1<<shift
}

// Add records n frames with a latency of ns nanoseconds each.
func (h *Histogram) Add(ns, n uint64) {
	if n == 0 {
		return
	}
	if h.Counts == nil {
		h.Counts = make(map[int]uint64)
	}
	if h.N == 0 || ns < h.Min {
		h.Min = ns
	}
	h.Max = max(h.Max, ns)
	h.Counts[HistogramBucket(ns)] += n
	h.N += n
	h.Sum += ns * n
}

// Merge adds all of o to h.
func (h *Histogram) Merge(o Histogram) {
	if o.N == 0 {
		return
	}
	if h.Counts == nil {
		h.Counts = make(map[int]uint64, len(o.Counts))
	}
	if h.N == 0 || o.Min < h.Min {
		h.Min = o.Min
	}
	h.Max, h.Within = max(h.Max, o.Max), max(h.Within, o.Within)
	h.N += o.N
	h.Sum += o.Sum
	for b, c := range o.Counts {
		h.Counts[b] += c
	}
}

// Quantile is the latency in seconds that a share q (0 to 1) of the frames did
// not exceed: the middle of its bucket, never outside of Min and Max; NaN when
// the histogram is empty.
func (h Histogram) Quantile(q float64) float64 {
	if h.N == 0 {
		return math.NaN()
	}
	if q <= 0 {
		return float64(h.Min) / 1e9
	}
	rank := min(max(uint64(math.Ceil(q*float64(h.N))), 1), h.N)
	if rank == h.N {
		return float64(h.Max) / 1e9
	}
	var seen uint64
	for b := range HistogramBuckets {
		if seen += h.Counts[b]; seen >= rank {
			low, high := HistogramBounds(b)
			mid := float64(low) + float64(high-1-low)/2
			return min(max(mid, float64(h.Min)), float64(h.Max)) / 1e9
		}
	}
	return float64(h.Max) / 1e9
}

// Mean is the exact mean latency in seconds; NaN when empty.
func (h Histogram) Mean() float64 {
	if h.N == 0 {
		return math.NaN()
	}
	return float64(h.Sum) / float64(h.N) / float64(time.Second)
}

// Latency are the figures of a histogram that a result carries, in seconds.
type Latency struct {
	Min  float64 `json:"min"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99.9"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
	N    uint64  `json:"frames"`

	Within float64 `json:"within,omitempty"` // by how much all of them may be off alike (Histogram.Within)
}

// Summary is the histogram in figures; nil when it is empty.
func (h Histogram) Summary() *Latency {
	if h.N == 0 {
		return nil
	}
	return &Latency{
		Min: float64(h.Min) / 1e9, P50: h.Quantile(.5), P90: h.Quantile(.9), P99: h.Quantile(.99),
		P999: h.Quantile(.999), Max: float64(h.Max) / 1e9, Mean: h.Mean(), N: h.N, Within: float64(h.Within) / 1e9,
	}
}
