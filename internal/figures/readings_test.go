package figures

import (
	"slices"
	"testing"

	"weir"
)

// What grows with the work is taken for each frame, and chance is no difference.
func TestGauges(t *testing.T) {
	a := weir.TrialResult{Received: 1000, Readings: []weir.Reading{{Source: "cpu", Name: "time", Value: 2, Unit: "s"}, {Source: "cpu", Name: "clock", Value: 2e9, Unit: "Hz"}}}
	list := gauges(map[string][]weir.TrialResult{"x": {a}})
	if len(list) != 2 || list[0].values["x"][0] != 2e9 || list[1].values["x"][0] != .002 {
		t.Errorf("gauges are %+v", list)
	}
	chance := gauge{values: map[string][]float64{"firewall none": {1, 3, 2}, "firewall stateful": {2, 3, 2}}}
	if spread := chance.spread([]string{"firewall none", "firewall stateful"}); spread != 0 {
		t.Errorf("chance has a spread of %g", spread)
	}
}

// The trial that a result comes from is that of its load, not a later one.
func TestDecider(t *testing.T) {
	trial := func(n int, load float64) weir.TrialResult {
		return weir.TrialResult{Trial: weir.Trial{Number: n, Intended: load}}
	}
	c := weir.Campaign{Trials: []weir.TrialResult{trial(1, 100), trial(4, 200), trial(5, 150), trial(6, 175), trial(9, 150)}}
	c.Trials[4].Trial.Bypass = true
	for _, k := range []struct {
		result weir.Result
		want   int
	}{{weir.Result{First: 4, Last: 9, Value: 150}, 5}, {weir.Result{First: 4, Last: 9, Value: 1}, 6}, {weir.Result{First: 7, Last: 8}, 0}, {weir.Result{Value: 100}, 0}} {
		got := 0
		if d := decider(c, &k.result); d != nil {
			got = d.Trial.Number
		}
		if got != k.want {
			t.Errorf("%+v comes from trial %d, want %d", k.result, got, k.want)
		}
	}
}

// Frames per joule are among the readings wherever energy is.
func TestFramesPerJoule(t *testing.T) {
	trial := weir.TrialResult{Received: 3e6, Readings: []weir.Reading{{Source: "energy", Name: "package-0", Value: 15, Unit: "J"}}}
	list := gauges(map[string][]weir.TrialResult{"x": {trial}})
	i := slices.IndexFunc(list, func(g gauge) bool { return g.name == "frames per joule" })
	if i < 0 || list[i].values["x"][0] != 2e5 {
		t.Fatalf("gauges are %+v", list)
	}
	if row := list[i].row([]string{"x"}); row[2] != "frames/J" {
		t.Errorf("the row is %v", row)
	}
}
