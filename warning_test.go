package weir

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A second doubt of one code is kept, the same doubt twice is not.
func TestAddWarning(t *testing.T) {
	high := Warn(StealTime, "1.4 %% in trial 3")
	low := Warn(StealTime, "0.9 %% in trial 7")
	var got []Warning
	for _, w := range []Warning{high, low, high} {
		got = AddWarning(got, w)
	}
	if diff := cmp.Diff([]Warning{high, low}, got); diff != "" {
		t.Error(diff)
	}
}
