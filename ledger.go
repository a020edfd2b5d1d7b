package weir

import (
	"slices"
	"strings"
)

// Drop is a number of frames that one named counter accounts for.
type Drop struct {
	Place string `json:"place"` // the counter: "dut port 0 dropped on receipt (rx_dropped)"
	Count uint64 `json:"count"`
}

// TesterPlace begins the name of every counter that belongs to the tester, so
// that its drops are not blamed on the DUT.
const TesterPlace = "tester "

// OfTester reports whether the frames are the tester's, which the DUT had forwarded.
func (d Drop) OfTester() bool { return strings.HasPrefix(d.Place, TesterPlace) }

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
