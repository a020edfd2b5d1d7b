package figures

import (
	"fmt"
	"slices"

	"weir"
	"weir/internal/method"
)

// whatDisturbed is what had the machine during a trial beside the benchmark:
// the warnings, and what is said of the trials that carry one.
var disturbances = []struct {
	codes []weir.WarningCode
	said  string
}{
	{[]weir.WarningCode{weir.BusyMachine, weir.StealTime}, "the machine was busy"},
	{[]weir.WarningCode{weir.GeneratorStalled, weir.GeneratorPaused}, "the generator was kept from sending for a while"},
}

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
	for _, d := range disturbances {
		n := 0
		for _, list := range trials {
			if slices.ContainsFunc(list, func(w weir.Warning) bool { return slices.Contains(d.codes, w.Code) }) {
				n++
			}
		}
		if n > 0 && float64(n) >= method.GoodPart*float64(len(trials)) {
			return fmt.Sprintf("%s in %d of %d %s", d.said, n, len(trials), Plural(len(trials), "trial"))
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
