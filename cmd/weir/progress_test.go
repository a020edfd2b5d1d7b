package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weir"
	"weir/internal/campaign"
)

// Each result is shown in its own unit, below the level that it belongs to,
// with each code once.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	p := progress{out: &out}
	steal := []weir.Warning{weir.Warn(weir.StealTime, "a"), weir.Warn(weir.StealTime, "b")}
	for _, e := range []campaign.Event{
		{Under: "routes 1", Method: "throughput", Result: &weir.Result{Value: 1_488_095, Unit: "frames/s", Trials: 1}},
		{Under: "routes 1", Method: "rfc9004-back-to-back", Result: &weir.Result{Value: 258.5, Unit: "frames", Trials: 11}},
		{Under: "routes (count 500k, seed 1)", Method: "soak", Result: &weir.Result{Value: .00022, LossRatio: .00022, Trials: 2, Verdict: "1 event", Warnings: steal}},
	} {
		e.Kind, e.Level = campaign.ResultDone, "64"
		p.tell(e)
	}
	want := `routes 1
    64  throughput            1,488.1 kpps    loss 0 %, 1 trial
    64  rfc9004-back-to-back  258 frames      loss 0 %, 11 trials
routes (count 500k, seed 1)
    64  soak                  loss 0.022 %    2 trials, 1 event; the hypervisor took CPU time
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// The live line stays in one row of the terminal, however narrow that is, as only one is
// erased.
func TestProgressFitsTheTerminal(t *testing.T) {
	for columns, want := range map[string]string{
		"":   erase + "100%      64  throughput            trial 7  is measured",
		"20": erase + "100%      64  throu",
		"1":  erase,
	} {
		t.Setenv("COLUMNS", columns)
		var out bytes.Buffer
		p := progress{out: &out, live: true}
		p.now(campaign.Event{Method: "throughput", Level: "64"}, "trial 7  is measured")
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("%q columns:\n%s", columns, diff)
		}
	}
}
