package result

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weir"
	"weir/internal/testenv/samples"
)

// What the sweeps of several runs found is that of all of them, and not of the
// first one: shares count as the windows that they are shares of.
func TestPoolOfSweeps(t *testing.T) {
	run := func(windows int, share, stops, conditional float64, left ...weir.LeftOut) *weir.Result {
		return &weir.Result{Method: "sweep", Sweep: &weir.Sweep{Windows: windows, LeftOutShare: share, LeftOut: left, Rounds: 3, Conditional: conditional,
			Interruptions: weir.Interruptions{PerSecond: stops, P50: stops / 1e3, Max: .03 - stops/1e3}}}
	}
	list := []*weir.Result{
		run(100, 0, 0, 7e5),
		run(300, .4, 4, 9e5, weir.LeftOut{Reason: "generator stood still", Windows: 90, Share: .3}, weir.LeftOut{Reason: "steal", Windows: 30, Share: .1}),
		run(100, .1, 10, 8e5, weir.LeftOut{Reason: "steal", Windows: 10, Share: .1}),
	}
	list[0].Limited = "tester"
	want := &weir.Sweep{Windows: 500, LeftOutShare: .26, Rounds: 9, Conditional: 8e5, Interruptions: weir.Interruptions{PerSecond: 4.4, P50: .01, Max: .03},
		LeftOut: []weir.LeftOut{{Reason: "generator stood still", Windows: 90, Share: .18}, {Reason: "steal", Windows: 40, Share: .08}}}
	if diff := cmp.Diff(want, poolSweeps(list), cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("pooled (-want +got):\n%s", diff)
	}
	if list[1].LeftOut[1].Windows != 30 {
		t.Error("a run itself was changed")
	}
}

// Pooled results stand for the runs of one arm and one traffic, without the A/A.
func TestPool(t *testing.T) {
	c := samples.Study()
	p, runs := Pool(c, *c.Manifest.Experiment)
	if len(p.Results) != 12 {
		t.Fatalf("%d rows", len(p.Results))
	}
	for i, r := range p.Results {
		if len(runs[i]) != 6 || r.Trials != 54 || r.Ledger.Offered < 6*500_000 || r.Lower > r.Value || r.Upper < r.Value {
			t.Errorf("%d runs: %+v", len(runs[i]), r)
		}
	}
	if got := p.Results[0].Factors["firewall"]; got != "none" {
		t.Errorf("the first row is of %v", got)
	}
}
