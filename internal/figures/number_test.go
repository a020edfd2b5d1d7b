package figures

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Number(1234567.891, 1), "1,234,567.9"},
		{Number(-1234, 0), "-1,234"},
		{Number(-.04, 1), "0.0"},
		{Number(999.96, 1), "1,000.0"},
		{Number(0, 0), "0"},
		{Number(math.NaN(), 2), "-"},
		{Number(math.Inf(1), 2), "-"},
		{Kpps(812_345), "812.3"},
		{Kpps(512), "0.512"},
		{Kpps(0), "0"},
		{megabits(1_488_095, 64), "762"},
		{Significant(81.234), "81.2"},
		{Significant(99.96), "100"},
		{Significant(.12345), "0.123"},
		{Micros(42.14e-6), "42.1"},
		{Micros(1.5e-3), "1,500"},
		{nanos(0), "-"},
		{nanos(1.18e-6), "1,180"},
		{Percent(.005), "0.5"},
		{Percent(.5), "50"},
		{Percent(1), "100"},
		{Percent(0), "0"},
		{Percent(.0000012), "0.00012"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
