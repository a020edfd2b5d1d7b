package figures

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"weir"
	"weir/internal/method"
	"weir/internal/proof"
	"weir/internal/warning"
)

// disturbed is "the machine was busy in 5 of 12 trials", or "" where that was no
// good part of them. A generator that stalled is mentioned where nothing else is.
func disturbed(trials []weir.TrialResult) string {
	all := make([][]weir.Warning, len(trials))
	for i := range trials {
		all[i] = trials[i].Warnings
	}
	return disturbedBy(all)
}

// disturbedBy is disturbed of the warnings of each trial.
func disturbedBy(trials [][]weir.Warning) string {
	var tried []string
	for kind := range warning.Kinds() {
		what := kind.Disturbs
		if what == "" || slices.Contains(tried, what) {
			continue
		}
		tried = append(tried, what)
		n := 0
		for _, list := range trials {
			if slices.ContainsFunc(list, func(w weir.Warning) bool { return warning.Of(w.Code).Disturbs == what }) {
				n++
			}
		}
		if n > 0 && float64(n) >= method.GoodPart*float64(len(trials)) {
			return fmt.Sprintf("%s in %d of %d %s", what, n, len(trials), Plural(len(trials), "trial"))
		}
	}
	return ""
}

// WhatDisturbed is what disturbed all trials that results come from, with what to
// do; "" where the machine was quiet.
func WhatDisturbed(c weir.Campaign) string {
	var all []weir.TrialResult
	seen := make(map[int]bool)
	for i := range c.Results {
		for _, t := range deciding(c, &c.Results[i]) {
			if !seen[t.Trial.Number] {
				seen[t.Trial.Number] = true
				all = append(all, t)
			}
		}
	}
	return advised(disturbed(all))
}

// advised is a disturbance with what to do about it.
func advised(text string) string {
	if text == "" {
		return ""
	}
	return text + "; stop what else runs on it, or keep that off the CPUs of the benchmark, and repeat"
}

// FasterBefore says of which frames a machine has forwarded more than in a campaign, by
// other campaigns that measured the same there; "" where it has not. It has where the
// intervals do not touch, and none of the speeds that the campaign met is as fast. Of a box behind ports it is not known whether it is the same.
func FasterBefore(c weir.Campaign, others []weir.Campaign) string {
	if c.Manifest.Testbed != "netns" {
		return ""
	}
	var parts []string
	for _, r := range weir.Latest(c.Results) {
		if Kind(&r) != method.Knee || !(r.Value > 0) || r.Run.Number > 0 {
			continue
		}
		var best weir.Result
		id := ""
		for _, other := range others {
			for _, o := range weir.Latest(other.Results) {
				if cmp.Or(o.Lower, o.Value) > cmp.Or(best.Lower, best.Value) && sameThing(r, o) {
					best, id = o, other.ID
				}
			}
		}
		most := max(r.Upper, r.Value)
		for _, s := range r.Speeds {
			most = max(most, s.Capacity)
		}
		if cmp.Or(best.Lower, best.Value) > most {
			parts = append(parts, fmt.Sprintf("%s: %s kpps in campaign %s", Labelled(r.Factors, nil), Significant(best.Value/1e3), id))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "this machine has forwarded more before: " + strings.Join(parts, ", ")
}

// sameThing reports whether two results are of one method at the same levels.
func sameThing(a, b weir.Result) bool {
	levels := func(r weir.Result) string {
		text, _ := json.Marshal(r.Factors)
		return string(text)
	}
	return a.Method == b.Method && a.LossRatio == b.LossRatio && levels(a) == levels(b)
}

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
