package weir

import (
	"encoding/json"
	"slices"
	"strings"
)

// Drop is a number of frames that one named counter accounts for.
type Drop struct {
	Place string   `json:"place"` // the counter: "dut port 0 dropped on receipt (rx_dropped)"
	Count uint64   `json:"count"`
	Kind  DropKind `json:"kind,omitempty"` // what the counter is of: who reads it says that
}

// DropKind is why a counter's frames went no further.
type DropKind string

// The kinds of drops.
const (
	DropFull    DropKind = ""        // there was no room in a ring, queue or table; and what is none of the others
	DropTester  DropKind = "tester"  // the tester had no room: the DUT had forwarded them
	DropPoliced DropKind = "policed" // a policer had no tokens
	DropDenied  DropKind = "denied"  // a rule of a firewall, or a filter, let them not pass
	DropDamaged DropKind = "damaged" // they came back, and not as they were sent
)

// dropsBefore tells the kinds of counters that were recorded by their names alone.
var dropsBefore = []struct {
	kind DropKind
	is   func(place, part string) bool
	part string
}{
	{DropTester, strings.HasPrefix, "tester "},
	{DropPoliced, strings.HasPrefix, "dut nftables policed"},
	{DropDenied, strings.Contains, " firewall "},
	{DropDenied, strings.Contains, " filters "},
	{DropDamaged, strings.Contains, "wrong checksum"},
	{DropDamaged, strings.Contains, "wrong PPPoE session"},
}

// UnmarshalJSON reads a drop, also one that was recorded without its kind.
func (d *Drop) UnmarshalJSON(text []byte) error {
	type recorded Drop // without this method
	if err := json.Unmarshal(text, (*recorded)(d)); err != nil || d.Kind != "" {
		return err
	}
	for _, b := range dropsBefore {
		if b.is(d.Place, b.part) {
			d.Kind = b.kind
			break
		}
	}
	return nil
}

// OfTester reports whether the frames are the tester's, which the DUT had forwarded.
func (d Drop) OfTester() bool { return d.Kind == DropTester }

// Ledger accounts for every frame of a trial:
// offered = received + the drops at named counters + unexplained.
type Ledger struct {
	Offered     uint64 `json:"offered"`
	Received    uint64 `json:"received"`
	Drops       []Drop `json:"drops,omitempty"`
	Unexplained int64  `json:"unexplained"` // negative: counters claim more drops than frames are missing
}

// LostByTester is how many frames the tester dropped after the DUT had forwarded
// them.
func (l Ledger) LostByTester() (n uint64) {
	for _, d := range l.Drops {
		if d.OfTester() {
			n += d.Count
		}
	}
	return n
}

// LossRatio is the share of the frames offered that did not come back.
func (l Ledger) LossRatio() float64 {
	if l.Offered == 0 || l.Received >= l.Offered {
		return 0
	}
	return float64(l.Offered-l.Received) / float64(l.Offered)
}

// Balance builds the ledger of a trial, leaving out counters that stand at 0.
func Balance(offered, received uint64, drops []Drop) Ledger {
	l := Ledger{Offered: offered, Received: received, Unexplained: int64(offered) - int64(received)}
	for _, d := range drops {
		if d.Count == 0 {
			continue
		}
		l.Drops = append(l.Drops, d)
		l.Unexplained -= int64(d.Count)
	}
	return l
}

// AddDrops adds drops to others, by their places.
func AddDrops(all, some []Drop) []Drop {
	for _, d := range some {
		if i := slices.IndexFunc(all, func(o Drop) bool { return o.Place == d.Place }); i >= 0 {
			all[i].Count += d.Count
		} else {
			all = append(all, d)
		}
	}
	return all
}
