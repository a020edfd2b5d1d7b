package campaign

import (
	"context"
	"slices"
	"testing"
	"time"

	"weir"
	"weir/internal/plan"
)

// TestWithin gives a search time for three trials and a half.
func TestWithin(t *testing.T) {
	p, err := plan.Parse("plan.yaml", []byte("testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [{method: throughput, trial: 1s, within: 3800ms, maximum: 1M}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, most := p.WorstCase(), p.TrialCost(time.Second)*4+p.TrialCost(plan.ProbeDuration); got != most { // with the self-test
		t.Errorf("the worst case is %v, want %v", got, most)
	}
	narrow := func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
		r, err := wire(ctx, trial)
		r.Received = min(r.Received, 1000)
		return r, err
	}
	c, err := Run(t.Context(), p, Lab{Measure: narrow}, &memory{}, nil)
	if err != nil || c.Ended != "complete" || len(c.Results) != 1 {
		t.Fatalf("ended %q with %d results: %v", c.Ended, len(c.Results), err)
	}
	r := c.Results[0]
	if r.Trials != 3 || !slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return w.Code == weir.SearchLimit }) {
		t.Errorf("%d trials, warnings %v", r.Trials, r.Warnings)
	}
}
