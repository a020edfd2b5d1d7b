package remote

import (
	"testing"
	"time"

	"weir"
)

// pair is a tester of two sides that nobody speaks with.
func pair(shared bool, bound time.Duration) *Tester {
	t := &Tester{shared: shared}
	for i := range t.sides {
		t.sides[i] = &side{name: "ssh://t1", bound: bound}
	}
	return t
}

// What takes one clock, one machine or a file of this machine is refused where these are
// not there, and all else is not.
func TestRefuse(t *testing.T) {
	both := weir.Traffic{Bidirectional: true}
	windows := []weir.Window{{Intended: 1, Duration: time.Second}}
	for _, c := range []struct {
		what   string
		trial  weir.Trial
		shared bool
		bound  time.Duration
		can    bool
	}{
		{"one load", weir.Trial{}, false, 0, true},
		{"both directions", weir.Trial{Traffic: both}, false, time.Second, true},
		{"windows", weir.Trial{Windows: windows}, false, time.Second, true},
		{"windows of both directions", weir.Trial{Traffic: both, Windows: windows}, false, time.Millisecond / 4, true},
		{"windows of both directions, far away", weir.Trial{Traffic: both, Windows: windows}, false, 10 * time.Millisecond, false},
		{"windows of both directions with one clock", weir.Trial{Traffic: both, Windows: windows}, true, 10 * time.Millisecond, true},
		{"a timeline", weir.Trial{Resolution: time.Millisecond}, false, 0, true},
		{"a timeline of both directions", weir.Trial{Traffic: both, Resolution: time.Millisecond}, true, 0, false},
		{"tagged frames", weir.Trial{Tags: weir.Tags{Count: 1}}, false, 0, false},
		{"tagged frames with one clock", weir.Trial{Tags: weir.Tags{Count: 1}}, true, 0, true},
		{"variation", weir.Trial{Variation: true}, false, 0, false},
		{"an event", weir.Trial{Event: &weir.Event{Name: "reset"}}, true, 0, false},
		{"without the DUT", weir.Trial{Bypass: true}, true, 0, false},
		{"arms", weir.Trial{Traffic: weir.Traffic{Arms: 2}}, true, 0, false},
	} {
		if err := pair(c.shared, c.bound).refuse(c.trial); (err == nil) != c.can {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// Each direction is a trial of its own, from one side to the other.
func TestWays(t *testing.T) {
	p := pair(true, 0)
	for _, c := range []struct {
		traffic weir.Traffic
		want    []int // the side that sends
	}{
		{weir.Traffic{}, []int{0}},
		{weir.Traffic{Backward: true}, []int{1}},
		{weir.Traffic{Bidirectional: true}, []int{0, 1}},
	} {
		all := p.ways(weir.Trial{Traffic: c.traffic})
		if len(all) != len(c.want) {
			t.Fatalf("%d ways of %+v", len(all), c.traffic)
		}
		for i, w := range all {
			from := c.want[i]
			if w.from != p.sides[from] || w.to != p.sides[1-from] || w.trial.Traffic.Bidirectional || w.trial.Traffic.Direction() != from {
				t.Errorf("way %d of %+v: %+v", i, c.traffic, w)
			}
		}
	}
}
