package frame

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestSimpleIMIX(t *testing.T) {
	mix := SimpleIMIX()
	count := make(map[weir.Size]int)
	for _, s := range mix {
		count[s]++
	}
	if diff := cmp.Diff(map[weir.Size]int{64: 7, 594: 4, 1518: 1}, count); diff != "" {
		t.Errorf("proportions (-want +got):\n%s", diff)
	}
	for i := range mix {
		if mix[i] == 594 && mix[(i+3)%12] != 594 && mix[(i+3)%12] != 1518 {
			t.Errorf("frame %d: the 594-octet frames are not evenly spread: %v", i, mix)
		}
	}
	mix[0] = 0
	if SimpleIMIX()[0] != 64 {
		t.Error("a caller can change the mix")
	}
}

func TestBandwidthEstimate(t *testing.T) {
	// 7 x 54 + 4 x 590 + 1514 = 4252 octets in 12 frames.
	if got, want := BandwidthEstimate(12e6), 4252*8e6; math.Abs(got-want) > 1 {
		t.Errorf("BandwidthEstimate(12e6) = %f, want %f", got, want)
	}
}
