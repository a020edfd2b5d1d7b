package report

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{number(1234567.891, 1), "1,234,567.9"},
		{number(-1234, 0), "-1,234"},
		{number(-.04, 1), "0.0"},
		{number(999.96, 1), "1,000.0"},
		{number(0, 0), "0"},
		{number(math.NaN(), 2), "-"},
		{number(math.Inf(1), 2), "-"},
		{kpps(812_345), "812.3"},
		{kpps(512), "0.512"},
		{kpps(0), "0"},
		{megabits(1_488_095, 64), "762"},
		{significant(81.234), "81.2"},
		{significant(99.96), "100"},
		{significant(.12345), "0.123"},
		{micros(42.14e-6), "42.1"},
		{micros(1.5e-3), "1,500"},
		{nanos(0), "-"},
		{nanos(1.18e-6), "1,180"},
		{percent(.005), "0.5"},
		{percent(.5), "50"},
		{percent(1), "100"},
		{percent(0), "0"},
		{percent(.0000012), "0.00012"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
