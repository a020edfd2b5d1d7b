package plan

import (
	"math"
	"testing"
	"time"

	"weir/internal/schema"
)

// reads checks what a kind of word makes of words; an absent value is an error.
func reads[T comparable](t *testing.T, name string, word schema.Word[T], good map[string]T, bad ...string) {
	t.Helper()
	for in, want := range good {
		if got, err := word.Read(in); err != nil || got != want {
			t.Errorf("%s(%q) = %v, %v; want %v", name, in, got, err, want)
		}
	}
	for _, in := range bad {
		if got, err := word.Read(in); err == nil {
			t.Errorf("%s(%q) = %v, want an error", name, in, got)
		}
	}
}

func TestScalars(t *testing.T) {
	reads(t, "Duration", schema.Duration,
		map[string]time.Duration{"1s": time.Second, "50ms": 50 * time.Millisecond, "0": 0, "0s": 0, "20us": 20 * time.Microsecond, "20µs": 20 * time.Microsecond},
		"1", "-1s", "", "soon", "1 s")
	reads(t, "Percent", schema.Percent,
		map[string]float64{"0": 0, "0%": 0, "50%": 0.5, "50 %": 0.5, "0.5%": 0.005, "100%": 1},
		"0.5", "-1%", "101%", "", "%", "NaN%", "Inf%", "half")
	reads(t, "Rate", schema.Rate,
		map[string]float64{"50000": 5e4, "500k": 5e5, "1.2M": 1.2e6, "10G": 1e10, "1_200_000": 1.2e6, "1e6": 1e6, "64": 64},
		"0", "-1", "", "k", "1.2MM", "NaN", "Inf", "1e300", "fast", "1e14T")
	reads(t, "Uint64", schema.Uint64,
		map[string]uint64{"0": 0, "7": 7, "010": 10, "0xff": 255, "18446744073709551615": math.MaxUint64},
		"-1", "1.5", "", "18446744073709551616", "0x", "ten")
	reads(t, "Uint8", schema.Uint8, map[string]uint8{"255": 255}, "256")
	reads(t, "etherType", etherType, map[string]uint16{"0x8100": 0x8100, "0x88A8": 0x88a8, "33024": 0x8100}, "0x0800", "8100")
	reads(t, "Bool", schema.Bool, map[string]bool{"true": true, "no": false}, "", "maybe")
	reads(t, "Width", schema.Width, map[string]float64{"1%": 0.01}, "0", "0.001%", "100%", "1")
	reads(t, "Load", schema.Load, map[string]float64{"100%": 1, "50%": 0.5}, "0", "0%", "110%")
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"traffic", "traffic", 0},
		{"trafic", "traffic", 1}, {"tarffic", "traffic", 1}, {"kitten", "sitting", 3}, {"größe", "grösse", 2},
	} {
		if got := editDistance(c.a, c.b); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := editDistance(c.b, c.a); got != c.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"testbed", "traffic", "methods", "waits", "dut"}
	for word, want := range map[string]string{
		"trafic": "traffic", "Traffic": "traffic", "method": "methods", "wait": "waits", "dutt": "dut",
		"": "", "x": "", "colour": "", "trial": "",
	} {
		if got := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
