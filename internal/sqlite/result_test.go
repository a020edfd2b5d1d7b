package sqlite

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weir"
)

// TestResultsAtOnce holds that results recorded together come back as those
// recorded one by one do, and that either all of them are there or none.
func TestResultsAtOnce(t *testing.T) {
	s := open(t)
	var results []weir.Result
	for i := range 500 {
		results = append(results, weir.Result{Method: "imported", Value: float64(i + 1), Unit: "frames/s", Took: time.Duration(i),
			Claim: weir.Claim{Name: "FRMOL, published"}, Factors: weir.Factors{"frame_size": "not said"}, Run: weir.Run{Number: i + 1, Arm: "a"}})
	}
	alone, together := begin(t, s, weir.Campaign{ID: "alone"}), begin(t, s, weir.Campaign{ID: "together"})
	for _, r := range results[:20] {
		if err := alone.RecordResult(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := together.RecordResults(t.Context(), results); err != nil {
		t.Fatal(err)
	}
	one, err := s.Campaign(t.Context(), "alone")
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Campaign(t.Context(), "together")
	if err != nil || len(all.Results) != len(results) {
		t.Fatalf("%d results came back (%v), not %d", len(all.Results), err, len(results))
	}
	if diff := cmp.Diff(one.Results, all.Results[:20]); diff != "" {
		t.Error(diff)
	}

	none := begin(t, s, weir.Campaign{ID: "none"})
	bad := slices.Clone(results)
	bad[400].Value = math.NaN()
	if err := none.RecordResults(t.Context(), bad); err == nil {
		t.Error("a value that is no number was recorded")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := none.RecordResults(cancelled, results); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context the error is %v", err)
	}
	if c, err := s.Campaign(t.Context(), "none"); err != nil || len(c.Results) != 0 {
		t.Errorf("after errors %d results are there (%v)", len(c.Results), err)
	}
}
