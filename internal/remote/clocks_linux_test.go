package remote

import (
	"strings"
	"testing"
	"time"

	"weir"
)

// two is a tester of two sides that nobody speaks with, and that say this of their clocks.
func two(a, b Reading) *Tester {
	t := pair(false, 0)
	t.sides[0].told.Clocks, t.sides[1].told.Clocks = a, b
	return t
}

// What is known of both clocks is said, and what follows.
func TestClocks(t *testing.T) {
	a, b := follows("a", "g", us, 10*us, 0), follows("b", "g", us, 20*us, 0)
	for _, c := range []struct {
		tester *Tester
		want   string
		one    bool // latencies one way can be asked for
	}{
		{pair(true, 0), "one for sender and receiver: latencies are one-way", true},
		{two(a, Reading{}), "not proven to agree (no PTP daemon answers pmc at one of them): round trips are measured", false},
		{two(a, b), "PTP proves to agree, to within 32.1µs when the tester was opened (grandmaster g)", true},
	} {
		if said := c.tester.Clocks(); !strings.Contains(said, c.want) {
			t.Errorf("%q, want %q", said, c.want)
		}
		for _, trial := range []weir.Trial{{Tags: weir.Tags{Count: 1}}, {Variation: true}} {
			if err := c.tester.refuse(trial); (err == nil) != c.one {
				t.Errorf("%s: %v", c.want, err)
			}
		}
	}
}

// Frames come back of trials that time them, where the clocks are two and nothing else comes
// to the sender: no more than a sixteenth, and no more than about 1000 a second.
func TestBack(t *testing.T) {
	for _, c := range []struct {
		name       string
		shared     bool
		trial      weir.Trial
		directions int
		want       uint32
	}{
		{"slowly", false, weir.Trial{Timed: true, Intended: 100}, 1, 16},
		{"fast", false, weir.Trial{Timed: true, Intended: 1e6}, 1, 1024},
		{"through two pairs of ports", false, weir.Trial{Timed: true, Intended: 1e6, Traffic: weir.Traffic{Pairs: 2}}, 1, 2048},
		{"in windows", false, weir.Trial{Timed: true, Windows: []weir.Window{{Intended: 1e3}, {Intended: 40e3}}}, 1, 64},
		{"for nothing that is timed", false, weir.Trial{Intended: 100}, 1, 0},
		{"with one clock", true, weir.Trial{Timed: true, Intended: 100}, 1, 0},
		{"in both directions", false, weir.Trial{Timed: true, Intended: 100}, 2, 0},
	} {
		if got := pair(c.shared, 0).back(c.trial, c.directions); got != c.want {
			t.Errorf("%s: one of %d, want %d", c.name, got, c.want)
		}
	}
}

// The receiver's clock is ahead by what PTP says, and without by what asking both tells.
func TestAheadOfSender(t *testing.T) {
	p := pair(false, 0)
	p.sides[0].offset, p.sides[1].offset = 5*time.Second, 3*time.Second
	w := &way{from: p.sides[0], to: p.sides[1]}
	if d := p.ahead(w); d != -2*time.Second {
		t.Errorf("%v ahead", d)
	}
	w.clocks[0][0], w.clocks[1][0] = follows("a", "g", 0, us, 7*time.Second), follows("b", "g", 0, us, 9*time.Second+us)
	if d := p.ahead(w); d != -2*time.Second-us {
		t.Errorf("%v ahead by PTP", d)
	}
	if d := pair(true, 0).ahead(&way{from: p.sides[0], to: p.sides[1]}); d != 0 {
		t.Errorf("one clock is %v ahead of itself", d)
	}
}

// Latencies are given with their bound where that is less than the least of them, and not
// at all otherwise; round trips stay.
func TestTimed(t *testing.T) {
	a, b := follows("a", "g", 0, 10*us, 0), follows("g", "g", 0, 0, 0)
	p := pair(false, 0)
	measured := weir.TrialResult{Received: 2}
	measured.Latency.Add(20_000, 2)
	measured.RoundTrip.Add(50_000, 1)
	for _, c := range []struct {
		name   string
		clocks [2][2]Reading
		trial  weir.Trial
		within uint64 // 0: they are left out
		why    string
	}{
		{"proven", [2][2]Reading{{a, a}, {b, b}}, weir.Trial{}, 10_100, ""},
		{"tagged, and proven", [2][2]Reading{{a, a}, {b, b}}, weir.Trial{Tags: weir.Tags{Count: 1}}, 10_100, ""},
		{"too far apart", [2][2]Reading{{a, changed(a, func(r *Reading) { r.PTP.Delay = 20 * us })}, {b, b}}, weir.Trial{}, 0, ""},
		{"without PTP", [2][2]Reading{}, weir.Trial{}, 0, ""},
		{"tagged, without PTP", [2][2]Reading{}, weir.Trial{Tags: weir.Tags{Count: 1}}, 0, "from ssh://t1 to ssh://t1 are not known in this trial: no PTP"},
		{"tagged, too far apart", [2][2]Reading{{a, a}, {b, changed(b, func(r *Reading) { r.Ahead = time.Second })}}, weir.Trial{Tags: weir.Tags{Count: 1}}, 0, "no less than the least latency measured, 20µs"},
	} {
		w := &way{trial: c.trial, from: p.sides[0], to: p.sides[1], clocks: c.clocks}
		r, err := w.timed(measured)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err == nil && (r.Latency.Within != c.within || (r.Latency.N > 0) != (c.within > 0) || r.RoundTrip.N != 1 || r.Received != 2) {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}
