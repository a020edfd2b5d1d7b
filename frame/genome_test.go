package frame

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

func TestGenome(t *testing.T) {
	got, err := Genome("aaafgbcdehij")
	if diff := cmp.Diff([]weir.Size{64, 64, 64, 1280, 1518, 128, 256, 512, 1024, 2112, 9000, 16000}, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for s, want := range map[string]string{
		"":                              "empty",
		"aaäza":                         `'ä' at position 3`,
		"az":                            `'z' at position 2`,
		"aG":                            `'G' at position 2`,
		strings.Repeat("a", MaxSizes+1): "16385 letters",
	} {
		if _, err := Genome(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Genome(%q): error %v, want one with %q", s, err, want)
		}
	}
}

func TestGenomeMTU(t *testing.T) {
	got, err := GenomeMTU("agz", 1500)
	if diff := cmp.Diff([]weir.Size{64, 1518, 1518}, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	got, err = GenomeMTU("iz", 9000)
	if diff := cmp.Diff([]weir.Size{9000, 9018}, got); err != nil || diff != "" {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	const want = "genome letter 'h' at position 3 is a frame of 2112 octets, and an MTU of 1500 allows 1518"
	for mtu, letters := range map[int]string{0: "use a to j (", 1500: "use a to j and z ("} {
		if _, err := GenomeMTU("q", mtu); err == nil || !strings.Contains(err.Error(), letters) {
			t.Errorf("an MTU of %d: error %v, want one with %q", mtu, err, letters)
		}
	}
	if _, err := GenomeMTU("aah", 1500); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func FuzzGenome(f *testing.F) {
	for _, s := range []string{"", "aaadg", "abcdefghij", "z", "AAB", "a b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sizes, err := Genome(s)
		if err == nil && len(sizes) != len(s) {
			t.Errorf("%q spells %d sizes", s, len(sizes))
		}
		if wrong := s == "" || strings.Trim(s, "abcdefghij") != "" || len(s) > MaxSizes; err == nil == wrong {
			t.Errorf("%q: error %v", s, err)
		}
	})
}
