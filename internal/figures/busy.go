package figures

import (
	"fmt"
	"slices"

	"weir"
	"weir/internal/method"
	"weir/internal/warning"
)

// disturbed is "the machine was busy in 5 of 12 trials", or "" where that was no
// good part of them. A generator that stalled is told of where nothing else is.
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
	for _, kind := range warning.Kinds() {
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
