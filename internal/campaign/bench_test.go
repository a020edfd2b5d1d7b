package campaign

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"weir"
	"weir/internal/plan"
)

// TestWithin gives a search time for three trials and a half. Where each trial takes
// half a second longer than it should, two fit; in a simulation that time does not count.
func TestWithin(t *testing.T) {
	p, err := plan.Parse("plan.yaml", []byte("testbed: {kind: sim}\ntraffic: {sizes: [64]}\nmethods: [{method: throughput, trial: 1s, within: 3800ms, maximum: 1M}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, most := p.WorstCase(), p.TrialCost(time.Second)*4+p.TrialCost(plan.ProbeDuration+plan.ProbeMore); got != most { // with the self-test
		t.Errorf("the worst case is %v, want %v", got, most)
	}
	for name, c := range map[string]struct {
		longer    time.Duration
		simulated bool
		trials    int
	}{
		"as planned": {0, false, 3}, "longer": {500 * time.Millisecond, false, 2}, "longer, simulated": {time.Hour, true, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			narrow := func(ctx context.Context, trial weir.Trial) (weir.TrialResult, error) {
				time.Sleep(trial.Duration + c.longer)
				r, err := wire(ctx, trial)
				r.Received = min(r.Received, 3000) // more than a probe has
				return r, err
			}
			lab := Lab{Measure: narrow, Manifest: weir.Manifest{Simulated: c.simulated}}
			got, err := Run(t.Context(), p, lab, &memory{}, nil)
			if err != nil || got.Ended != "complete" || len(got.Results) != 1 {
				t.Fatalf("%s: ended %q with %d results: %v", name, got.Ended, len(got.Results), err)
			}
			r := got.Results[0]
			if r.Trials != c.trials || !slices.ContainsFunc(r.Warnings, func(w weir.Warning) bool { return w.Code == weir.SearchLimit }) {
				t.Errorf("%s: %d trials, warnings %v", name, r.Trials, r.Warnings)
			}
		})
	}
}
