package main

import (
	"testing"

	"weir"
)

// That there is no number is said once, with the reason and what to do.
func TestUnknownKnees(t *testing.T) {
	sweep := func(r weir.Result) weir.Result {
		r.Method, r.Sweep, r.Factors = "sweep", &weir.Sweep{}, weir.Factors{"frame_size": 64}
		return r
	}
	disturbed := sweep(weir.Result{Warnings: []weir.Warning{{Code: weir.BusyMachine,
		Text: "72 % of the windows had to be left out (steal: 72 %): there is no number; stop other work, or take a quieter machine"}}})
	limited := sweep(weir.Result{})
	limited.Limited = "time"
	for want, r := range map[string]weir.Result{
		"no number for frames of 64: 72 % of the windows had to be left out (steal: 72 %); stop other work, or take a quieter machine": disturbed,
		"no number for frames of 64: time":              limited,
		"no number for frames of 64: nothing was found": sweep(weir.Result{}),
		"": sweep(weir.Result{Value: 1}),
	} {
		got := ""
		if err := unknownKnees(weir.Campaign{Results: []weir.Result{r}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("it is %q, want %q", got, want)
		}
	}
}
