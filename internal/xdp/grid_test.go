package xdp

import (
	"testing"
	"time"
)

// A grid is at least as coarse as was asked for, and covers the whole trial,
// with the time that it may begin late.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		resolution, length, want time.Duration
	}{
		{time.Millisecond, time.Second, 1 << 20},
		{1 << 20, time.Second, 1 << 20},
		{1<<20 + 1, time.Second, 1 << 21},
		{1, 10 * time.Millisecond, 1 << 11}, // of 2.01 s no more than a million
		{time.Microsecond, time.Hour, 1 << 22},
		{0, time.Microsecond, 1 << 11},
	} {
		g := NewGrid(c.resolution, c.length)
		g.Start = time.Minute
		if g.Resolution() != c.want {
			t.Errorf("%v of %v: steps of %v, want %v", c.resolution, c.length, g.Resolution(), c.want)
		}
		if g.Steps > maxSteps || time.Duration(g.Steps)*g.Resolution() < c.length+overdue {
			t.Errorf("%v of %v: %d steps of %v", c.resolution, c.length, g.Steps, g.Resolution())
		}
		for at, want := range map[time.Duration]int{
			g.Start: 0, g.Start - 1: 0, g.Start + g.Resolution() - 1: 0, g.Start + g.Resolution(): 1,
			g.Start + time.Duration(g.Steps)*g.Resolution(): g.Steps - 1,
		} {
			if got := g.Step(at); got != want {
				t.Errorf("%v of %v: %v is in step %d, want %d", c.resolution, c.length, at, got, want)
			}
		}
	}
}
