package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// Frames of the tester that are none of the trial's are taken off the smallest counters.
func TestWithoutOwn(t *testing.T) {
	counters := func() []weir.Drop { return []weir.Drop{{Place: "in", Count: 1000}, {Place: "out", Count: 3}} }
	for own, want := range map[int64][]weir.Drop{
		-5: {{Place: "out", Count: 3}, {Place: "in", Count: 1000}},
		2:  {{Place: "out", Count: 1}, {Place: "in", Count: 1000}},
		4:  {{Place: "out", Count: 0}, {Place: "in", Count: 999}},
	} {
		if diff := cmp.Diff(want, without(counters(), own)); diff != "" {
			t.Errorf("%d: %s", own, diff)
		}
	}
}
