package frame

import (
	"math"
	"testing"
)

func TestLineRate(t *testing.T) {
	for _, c := range []struct {
		bits, size float64
		want       float64 // whole frames/s
	}{
		{1e9, 64, 1488095}, {10e9, 64, 14880952}, // RFC 2544 for 64 octets, scaled
		{10e6, 64, 14880}, {10e6, 1518, 812}, // RFC 2544 appendix B
		{10e6, 128, 8445}, {10e6, 256, 4528}, {10e6, 512, 2349}, {10e6, 1024, 1197}, {10e6, 1280, 961},
	} {
		if got := math.Floor(LineRate(c.bits, c.size)); got != c.want {
			t.Errorf("LineRate(%g, %g) = %.0f, want %.0f", c.bits, c.size, got, c.want)
		}
	}
}

func TestBitRates(t *testing.T) {
	for _, size := range Sizes {
		frames := LineRate(1e9, float64(size))
		if got := WireRate(frames, float64(size)); math.Abs(got-1e9) > 1e-3 {
			t.Errorf("line rate of %d octets takes %f bit/s of the wire, want 1e9", size, got)
		}
	}
	if got := BitRate(1000, 64); got != 512000 {
		t.Errorf("BitRate(1000, 64) = %g, want 512000", got)
	}
	if got := WireRate(1000, 64); got != 672000 {
		t.Errorf("WireRate(1000, 64) = %g, want 672000", got)
	}
}
