package frame

import (
	"math"
	"strings"
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

func TestGenome(t *testing.T) {
	got, err := Genome("aaafgbcde")
	if diff := cmp.Diff([]weir.Size{64, 64, 64, 1280, 1518, 128, 256, 512, 1024}, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for s, want := range map[string]string{
		"":      "empty",
		"aah":   `'h' at position 3`,
		"aaäza": `'ä' at position 3`,
		"z":     "too large",
		"aG":    `'G' at position 2`,
	} {
		if _, err := Genome(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Genome(%q): error %v, want one with %q", s, err, want)
		}
	}
}

func FuzzGenome(f *testing.F) {
	for _, s := range []string{"", "aaadg", "abcdefg", "h", "AAB", "a b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sizes, err := Genome(s)
		if err == nil && len(sizes) != len(s) {
			t.Errorf("%q spells %d sizes", s, len(sizes))
		}
		if err == nil == (s == "" || strings.Trim(s, "abcdefg") != "") {
			t.Errorf("%q: error %v", s, err)
		}
	})
}
