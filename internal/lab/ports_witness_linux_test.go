package lab

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/plan"
	"weir/internal/snmp"
)

// Frames of the tester that are none of the trial's are taken off the smallest counters.
func TestWithoutOwn(t *testing.T) {
	counters := func() []weir.Drop { return []weir.Drop{{Place: "in", Count: 1000}, {Place: "out", Count: 3}} }
	for own, want := range map[int64][]weir.Drop{
		-5: {{Place: "out", Count: 3}, {Place: "in", Count: 1000}},
		2:  {{Place: "out", Count: 1}, {Place: "in", Count: 1000}},
		4:  {{Place: "in", Count: 999}},
	} {
		if diff := cmp.Diff(want, without(counters(), own)); diff != "" {
			t.Errorf("%d: %s", own, diff)
		}
	}
}

// A plan reckons with the time that a witness takes.
func TestWitnessTime(t *testing.T) {
	without, with := plan.Plan{}, plan.Plan{}
	with.Testbed.Witness.SNMP = netip.MustParseAddr("192.0.2.10")
	if got := with.TrialCost(0) - without.TrialCost(0); got != snmp.SettleMost {
		t.Errorf("a trial is planned to take %v longer, and the witness takes %v", got, snmp.SettleMost)
	}
}
