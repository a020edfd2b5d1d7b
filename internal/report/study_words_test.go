package report

import (
	"testing"

	"weir/stats"
)

// Of an arm that does at least what was found no upper bound is printed.
func TestBoundsOfAnEffect(t *testing.T) {
	change := stats.Interval{Estimate: 1.8, Lower: 1.71, Upper: 1.92}
	for _, c := range []struct {
		effect stats.Effect
		want   string
	}{
		{stats.Effect{Change: change}, "+171 to +192 %"},
		{stats.Effect{Change: change, AtLeast: true}, "at least +171 %"},
	} {
		if got := boundsOf(c.effect); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
