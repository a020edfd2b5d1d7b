package figures

import (
	"cmp"
	"math"
	"sort"

	"weir"
	"weir/internal/proof"
)

// MeasuredOf are the trials that decided the results of a comparison, those of
// the runs that count, by arm: of each result the last trial at its load, or
// else its last one. The baseline's A/A is left out.
func MeasuredOf(c weir.Campaign, of proof.Comparison) map[string][]weir.TrialResult {
	out := make(map[string][]weir.TrialResult)
	for _, r := range of.Runs {
		if r.Result == nil || r.Run.Again || r.Doubt != "" {
			continue
		}
		if t := decider(c, r.Result); t != nil {
			out[r.Arm] = append(out[r.Arm], *t)
		}
	}
	return out
}

// decider is the trial that a result comes from; nil when it is not known.
func decider(c weir.Campaign, r *weir.Result) *weir.TrialResult {
	var last, at *weir.TrialResult
	trials := trialsFrom(c.Trials, r.First, r.Last)
	for i := range trials {
		t := &trials[i]
		if t.Trial.Bypass || t.Trial.Profile {
			continue // the tester alone, or a DUT that was slowed down
		}
		last = t
		if load := t.Trial.Intended * float64(t.Trial.Traffic.Ports()); load > 0 && math.Abs(load-r.Value) <= 1e-6*load {
			at = t
		}
	}
	return cmp.Or(at, last)
}

// trialsFrom are the trials with the numbers from first to last; none for 0.
// Trials are in the order of their numbers.
func trialsFrom(trials []weir.TrialResult, first, last int) []weir.TrialResult {
	if first == 0 {
		return nil
	}
	from := func(n int) int {
		return sort.Search(len(trials), func(i int) bool { return trials[i].Trial.Number >= n }) // which copies none
	}
	to := from(last + 1)
	return trials[min(from(first), to):to]
}
