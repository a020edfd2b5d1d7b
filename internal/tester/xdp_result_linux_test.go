package tester

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/netif"
	"weir/internal/xdp"
)

// The result of a trial adds up what all streams saw, damaged frames too, and accounts
// for each frame that was offered.
func TestResultAddsUp(t *testing.T) {
	sent := []xdp.Sent{{Frames: 100, Sides: [xdp.MaxSides]uint64{100}}, {Frames: 60, Sides: [xdp.MaxSides]uint64{60}}}
	var left tally
	left[0] = netif.Sent{Sent: 155, Refused: 5, Virtual: true}
	came := Arrival{Streams: map[int]xdp.Stream{
		0: {Received: 90, Corrupt: 3, WrongSession: 1, Late: 7, Duplicate: 2},
		1: {Received: 50, Corrupt: 4, WrongSession: 2},
	}}
	r := weir.TrialResult{Trial: weir.Trial{Traffic: weir.Traffic{Sizes: []weir.Size{64}}}}
	result(&r, &backend{refused: "the counter"}, sent, left, came)
	want := weir.Ledger{Offered: 160, Received: 140, Unexplained: 5, Drops: []weir.Drop{
		{Place: "dut port 0 receive ring full (the counter)", Count: 5},
		{Place: "wrong checksum on receipt", Count: 7, Kind: weir.DropDamaged}, {Place: "wrong PPPoE session on receipt", Count: 3, Kind: weir.DropDamaged},
	}}
	if diff := cmp.Diff(want, r.Ledger); diff != "" || r.Offered != 160 || r.Received != 140 {
		t.Errorf("%d offered, %d received; ledger (-want +got):\n%s", r.Offered, r.Received, diff)
	}
	streams := []weir.StreamResult{
		{Stream: 0, Direction: "forward", Sent: 100, Received: 90, Lost: 10, Duplicate: 2, Late: 7, Corrupt: 3, WrongSession: 1},
		{Stream: 1, Direction: "forward", Sent: 60, Received: 50, Lost: 10, Corrupt: 4, WrongSession: 2},
	}
	if diff := cmp.Diff(streams, r.Streams); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

// The time of day of a time on the packet path's clock is as near as the two clocks can be
// read, whenever that is asked.
func TestClockTime(t *testing.T) {
	before := time.Now()
	at := xdp.Now()
	after := time.Now()
	for _, pause := range []time.Duration{0, 5 * time.Millisecond} {
		time.Sleep(pause)
		asked := time.Now()
		got := clockTime(at)
		doubt := time.Since(asked) + time.Millisecond // it may have no CPU between the two clocks
		if got.Before(before.Add(-doubt)) || got.After(after.Add(doubt)) {
			t.Errorf("it was %v, between %v and %v", got, before, after)
		}
	}
}
