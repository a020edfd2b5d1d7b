package snmp

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// What the fake's counters begin with.
const (
	in1  = 1<<40 - 1
	out2 = 1<<32 - 10
)

// What a switch drops is said when it has shown it, across the end of a counter, and
// what it does not show in time is missed.
func TestWitness(t *testing.T) {
	type moments = map[time.Duration]map[string]uint64
	both := []string{"ge1", "2"}
	discarded := []weir.Drop{{Place: "witness 192.0.2.10 port ge1 discarded on receipt (ifInDiscards)", Count: 5}}
	const soon = 1500 * time.Millisecond
	cases := []struct {
		name       string
		interfaces []string
		shown      moments
		frames     Frames
		takes      time.Duration
		drops      []weir.Drop
		fault      string
	}{
		{name: "at once", interfaces: both, frames: Frames{4, 1, 1}, takes: time.Second,
			shown: moments{0: {highIn: in1 + 4, lowOut: out2 + 1}}},
		{name: "wraps", interfaces: both, frames: Frames{25, 20, 1}, takes: time.Second,
			shown: moments{0: {highIn: in1 + 20, lowOut: 10, inDiscards: 3, outErrors: 7}},
			drops: append(discarded[:1:1], weir.Drop{Place: "witness 192.0.2.10 port 2 not sent because of errors (ifOutErrors)", Count: 7})},
		{name: "late", interfaces: both, frames: Frames{25, 20, 1}, takes: 3 * time.Second, drops: discarded,
			shown: moments{500 * time.Millisecond: {inDiscards: 1<<32 - 1}, soon: {highIn: in1 + 20, lowOut: 10, inDiscards: 3}}},
		{name: "too late", interfaces: both, frames: Frames{20, 20, 1}, takes: SettleMost,
			fault: "counted 0 frames in and 0 out, 4s after 20 had been sent and 20 come through",
			shown: moments{4500 * time.Millisecond: {lowOut: 10}}},
		// It polled itself in the middle: what came in and went out is as much as came back.
		{name: "of the middle", interfaces: both, frames: Frames{105, 60, 1}, takes: 3 * time.Second, drops: discarded,
			shown: moments{0: {highIn: in1 + 50, lowOut: 20}, soon: {highIn: in1 + 100, lowOut: 50, inDiscards: 3}}},
		{name: "of the middle until the end", interfaces: both, frames: Frames{105, 60, 1}, takes: SettleMost,
			fault: "counted 50 frames in and 30 out", shown: moments{0: {highIn: in1 + 50, lowOut: 20}}},
		{name: "of the middle, both ways", interfaces: both, frames: Frames{100, 60, 1}, takes: 3 * time.Second,
			shown: moments{0: {highIn: in1 + 40, lowIn: 40, lowOut: 10, highOut: 20}, soon: {highIn: in1 + 50, lowIn: 50, lowOut: 20, highOut: 30}}},
		// Behind a box that loses frames nobody knows whether there were more.
		{name: "behind the box", interfaces: both, frames: Frames{100, 60, 1}, takes: SettleMost,
			shown: moments{0: {highIn: in1 + 60, lowOut: 50}}},
		{name: "one, way in", interfaces: both[:1], frames: Frames{100, 60, 1}, takes: 3 * time.Second, drops: discarded,
			shown: moments{0: {highIn: in1 + 70}, soon: {highIn: in1 + 95, inDiscards: 3}}},
		{name: "one, way out", interfaces: both[1:], frames: Frames{100, 60, 1}, takes: 3 * time.Second,
			shown: moments{0: {lowOut: 40}, soon: {lowOut: 50}}},
		{name: "one, too late", interfaces: both[1:], frames: Frames{100, 60, 1}, takes: SettleMost,
			fault: "counted 0 frames in and 50 out", shown: moments{0: {lowOut: 40}}},
		{name: "began anew", interfaces: both, takes: time.Second, fault: "began anew during the trial", shown: moments{0: {upTime: 3}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				w := witnessOf(f)
				if err := w.find(t.Context(), c.interfaces); err != nil {
					t.Fatal(err)
				}
				before, err := w.Read(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				f.shown = c.shown
				after, late := w.Settled(t.Context(), before, c.frames)
				if took := time.Since(f.began); took != c.takes {
					t.Errorf("it took %v, want %v", took, c.takes)
				}
				drops, err := w.Since(before, after)
				if diff := cmp.Diff(c.drops, drops); diff != "" {
					t.Error(diff)
				}
				if err := errors.Join(late, err); (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
					t.Errorf("%v; want %q", err, c.fault)
				}
			})
		})
	}
}

// Before and behind the box, each interface has to have had what came back: all of them
// together have counted enough in the middle.
func TestManyInterfaces(t *testing.T) {
	counted := func(all ...[2]uint64) *Counts {
		c := &Counts{}
		for _, n := range all {
			values := make([]Value, atLosses+len(losses), atLosses+len(losses)+2)
			c.values = append(c.values, append(values, Value{Number: n[0], Bits: 64}, Value{Number: n[1], Bits: 64}))
		}
		return c
	}
	before := counted(make([][2]uint64, 4)...)
	frames := Frames{Offered: 100, Received: 60, Paths: 1}
	if !counted([2]uint64{100}, [2]uint64{0, 100}, [2]uint64{60}, [2]uint64{0, 60}).all(before, frames) {
		t.Error("all frames are not all")
	}
	if middle := counted([2]uint64{90}, [2]uint64{0, 90}, [2]uint64{54}, [2]uint64{0, 54}); middle.all(before, frames) {
		t.Error("those until the middle are all")
	}
}

// An uptime that goes on through 0 is no restart, however long it has been.
func TestAnew(t *testing.T) {
	const days = 24 * 3600 * 100
	for _, c := range []struct {
		name          string
		before, after uint64
		want          bool
	}{
		{"on", 5, 6005, false},
		{"through 0", 1<<32 - 1000, 5000, false},
		{"restart", 1000, 3, true},
		{"restart after 249 days", 249 * days, 3000, true},
		{"restart after 496 days", 496 * days, 3000, true},
	} {
		if got := anew(Value{Number: c.before}, Value{Number: c.after}, time.Minute); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// What a switch counts of frames only while the next ones pass is not taken for theirs.
func TestOwed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		w := witnessOf(f)
		if err := w.find(t.Context(), []string{"ge1", "2"}); err != nil {
			t.Fatal(err)
		}
		f.shown = map[time.Duration]map[string]uint64{ // trials begin at 0, 4 s and 7 s
			500 * time.Millisecond: {highIn: in1 + 50, lowOut: 20}, 4500 * time.Millisecond: {highIn: in1 + 150, lowOut: 70, inDiscards: 3},
			5500 * time.Millisecond: {highIn: in1 + 200, lowOut: 110}, 7500 * time.Millisecond: {highIn: in1 + 300, lowOut: 170}}
		trial := func() (frames, drops error) {
			before, err := w.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			after, frames := w.Settled(t.Context(), before, Frames{100, 60, 1})
			_, drops = w.Since(before, after)
			return frames, drops
		}
		for i, want := range []struct{ frames, drops string }{{"counted 50 frames in", ""}, {"", "cannot be told apart"}, {"", ""}} {
			frames, drops := trial()
			for _, c := range []struct {
				got  error
				want string
			}{{frames, want.frames}, {drops, want.drops}} {
				if (c.got != nil) != (c.want != "") || c.got != nil && !strings.Contains(c.got.Error(), c.want) {
					t.Errorf("trial %d at %v: %v; want %q", i, time.Since(f.began), c.got, c.want)
				}
			}
		}
	})
}
